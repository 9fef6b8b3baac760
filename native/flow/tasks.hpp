// Work that makes more work, shared by a few threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "flow/cut_problem.hpp"

namespace pucut::flow {

template <class Task>
class Tasks {
  public:
    void add(const Task& task) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(task);
            ++unfinished_;
        }
        changed_.notify_one();
    }

    // Waits for a task. False when none is left to come, or when somebody stopped. The interrupt is
    // polled meanwhile, for the thread that may ask has nothing else to do.
    bool take(Task& task, Interrupt& interrupt) {
        std::unique_lock lock(mutex_);
        while (waiting_.empty() && unfinished_ > 0 && !stopped_) {
            changed_.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            const bool requested = interrupt.requested();
            lock.lock();
            if (requested) stopped_ = true;
        }
        if (waiting_.empty() || stopped_) return false;
        task = waiting_.back();
        waiting_.pop_back();
        return true;
    }

    // A task that was taken is finished, and so are all that it added itself and took back.
    void finish() {
        const std::lock_guard lock(mutex_);
        if (--unfinished_ == 0) changed_.notify_all();
    }

    void stop(std::exception_ptr reason = nullptr) {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        if (reason && !reason_) reason_ = std::move(reason);
        changed_.notify_all();
    }

    [[nodiscard]] bool stopped() const {
        const std::lock_guard lock(mutex_);
        return stopped_;
    }

    // After all threads have ended.
    void rethrow() const {
        if (reason_) std::rethrow_exception(reason_);
    }

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Task> waiting_;
    std::int64_t unfinished_ = 0;
    bool stopped_ = false;
    std::exception_ptr reason_;
};

}  // namespace pucut::flow
