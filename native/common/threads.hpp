// One piece of work, done by a few threads together. jobs.hpp and tasks.hpp say how they share it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "common/interrupt.hpp"

namespace pucut {

// Waits until notified, or for a moment, and then asks whether to stop: a thread that waits has
// nothing else to do.
inline bool wait_and_ask(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                         Interrupt& stop) {
    changed.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    const bool requested = stop.requested();
    lock.lock();
    return requested;
}

// The thread that calls is one of the team, and the only one that asks the interrupt: what asks
// Python must not be asked from elsewhere. The others follow it.
class Team {
  public:
    // Progress is told as that of so many steps, which the workers count.
    Team(int n_threads, Interrupt& interrupt, std::int64_t n_steps = 0)
        : n_threads_(n_threads), interrupt_(interrupt), n_steps_(n_steps) {}

    // Every thread gets a worker of its own from make_worker(stop) and calls worker() once; `stop`
    // is the Interrupt it has to heed, and outlives the worker. Fewer threads than wanted do the
    // same work, where there is no memory for more or the system has none to give. What a worker
    // throws stops the others, and is thrown from here when all have ended. False when told to
    // stop.
    template <class MakeWorker>
    bool run(const MakeWorker& make_worker) {
        std::vector<std::thread> helpers = start_helpers(make_worker);
        Pulse own(*this, true);
        guard([&] {
            auto worker = make_worker(static_cast<Interrupt&>(own));
            worker();
        });
        guard([&] {
            std::unique_lock lock(mutex_);
            while (n_ended_ < helpers.size()) wait_and_ask(lock, ended_, own);
        });
        for (std::thread& helper : helpers) helper.join();
        if (failure_) std::rethrow_exception(failure_);
        return !own.requested();
    }

    void count_step() { ++n_done_; }

  private:
    // Whether to stop, as a member of the team knows it.
    class Pulse final : public Interrupt {
      public:
        Pulse(Team& team, bool asks) : team_(team), asks_(asks) {}
        using Interrupt::requested;
        // What the caller knows of the progress is a part of what the team knows.
        bool requested(const Progress&) override {
            if (asks_ && !team_.stop_ &&
                team_.interrupt_.requested({team_.n_done_, team_.n_steps_}))
                team_.stop_ = true;
            return team_.stop_;
        }

      private:
        Team& team_;
        bool asks_;
    };

    template <class MakeWorker>
    std::vector<std::thread> start_helpers(const MakeWorker& make_worker) {
        std::vector<std::thread> helpers;
        try {
            for (int i = 1; i < n_threads_; ++i)
                helpers.emplace_back([this, &make_worker] { help(make_worker); });
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
            // Those there are do the work.
        }
        return helpers;
    }

    template <class MakeWorker>
    void help(const MakeWorker& make_worker) {
        Pulse pulse(*this, false);
        guard([&] {
            bool is_ready = false;
            try {
                auto worker = make_worker(static_cast<Interrupt&>(pulse));
                is_ready = true;
                worker();
            } catch (const std::bad_alloc&) {
                if (is_ready) throw;
            }
        });
        const std::lock_guard lock(mutex_);
        ++n_ended_;
        ended_.notify_one();
    }

    template <class Part>
    void guard(const Part& part) {
        try {
            part();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stop_ = true;
        }
    }

    const int n_threads_;
    Interrupt& interrupt_;
    const std::int64_t n_steps_;
    std::atomic<std::int64_t> n_done_ = 0;
    std::atomic<bool> stop_ = false;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::size_t n_ended_ = 0;  // helpers
    std::exception_ptr failure_;
};

}  // namespace pucut
