// Numbered jobs, shared by a few threads; the thread that calls is one of them, and the only one
// that asks whether to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pucut::trees {

// Told how far the work is, now and then; answering true ends it.
class Watch {
  public:
    virtual ~Watch() = default;
    virtual bool wants_stop(std::int64_t done, std::int64_t total) = 0;
};

class Crew {
  public:
    Crew(int n_threads, Watch& watch) : n_threads_(n_threads), watch_(watch) {}

    // How a worker learns whether to stop; asking is cheap, but not free.
    class Pulse {
      public:
        bool stopped() {
            if (asks_ && !crew_.stop_ && crew_.watch_.wants_stop(crew_.done_, crew_.total_))
                crew_.stop_ = true;
            return crew_.stop_;
        }

      private:
        friend class Crew;
        Pulse(Crew& crew, bool asks) : crew_(crew), asks_(asks) {}
        Crew& crew_;
        bool asks_;
    };

    // Every thread gets a worker of its own from `make_worker()` and calls worker(job, pulse) for
    // one job after another. False when told to stop. Rethrows what a worker threw.
    template <class MakeWorker>
    bool run(std::int64_t n_jobs, const MakeWorker& make_worker) {
        total_ = n_jobs;
        done_ = 0;
        next_ = 0;
        stop_ = false;
        failure_ = nullptr;
        const auto wanted = std::min<std::int64_t>(n_threads_, n_jobs);
        std::vector<std::thread> others;
        try {
            for (std::int64_t i = 1; i < wanted; ++i) {
                ++running_;
                try {
                    others.emplace_back([&] { work(make_worker, Pulse(*this, false)); });
                } catch (...) {
                    --running_;
                    throw;
                }
            }
        } catch (...) {
            // Fewer threads than wanted do the same work.
        }
        ++running_;
        Pulse own(*this, true);
        work(make_worker, own);
        {
            std::unique_lock lock(mutex_);
            while (running_ > 0) {
                ended_.wait_for(lock, std::chrono::milliseconds(20));
                lock.unlock();
                own.stopped();
                lock.lock();
            }
        }
        for (std::thread& other : others) other.join();
        if (failure_) std::rethrow_exception(failure_);
        if (stop_) return false;
        return !watch_.wants_stop(total_, total_);
    }

  private:
    template <class MakeWorker>
    void work(const MakeWorker& make_worker, Pulse pulse) {
        try {
            auto worker = make_worker();
            while (!pulse.stopped()) {
                const std::int64_t job = next_++;
                if (job >= total_) break;
                worker(job, pulse);
                ++done_;
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stop_ = true;
        }
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
    }

    int n_threads_;
    Watch& watch_;
    std::int64_t total_ = 0;
    std::atomic<std::int64_t> done_ = 0;
    std::atomic<std::int64_t> next_ = 0;
    std::atomic<bool> stop_ = false;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::atomic<int> running_ = 0;
    std::exception_ptr failure_;
};

}  // namespace pucut::trees
