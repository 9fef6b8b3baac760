// Work that makes more work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "common/interrupt.hpp"
#include "common/threads.hpp"

namespace pucut {

// The list that the workers of a Team take tasks from, and add new ones to.
template <class Task>
class Tasks {
  public:
    void add(const Task& task) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(task);
            ++n_unfinished_;
        }
        changed_.notify_one();
    }

    // Waits for a task. None when there is none left to come, or when told to stop.
    std::optional<Task> take(Interrupt& stop) {
        if (stop.requested()) return std::nullopt;
        std::unique_lock lock(mutex_);
        while (waiting_.empty() && n_unfinished_ > 0)
            if (wait_and_ask(lock, changed_, stop)) return std::nullopt;
        if (waiting_.empty()) return std::nullopt;
        const Task task = waiting_.back();
        waiting_.pop_back();
        return task;
    }

    // A task that was taken is finished; those that it added are tasks of their own.
    void finish() {
        const std::lock_guard lock(mutex_);
        if (--n_unfinished_ == 0) changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Task> waiting_;
    std::int64_t n_unfinished_ = 0;
};

}  // namespace pucut
