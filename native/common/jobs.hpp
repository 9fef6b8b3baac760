// Numbered jobs that have nothing to do with each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "common/index.hpp"
#include "common/interrupt.hpp"
#include "common/threads.hpp"

namespace pucut {

// Does the jobs 0 to n_jobs - 1, each once. Every thread gets a worker of its own from
// make_worker() and calls worker(job, stop) for one job after another. False when told to stop.
// Rethrows what a worker threw.
template <class MakeWorker>
bool run_jobs(std::int64_t n_jobs, int n_threads, Interrupt& interrupt,
              const MakeWorker& make_worker) {
    std::atomic<std::int64_t> next = 0;
    Team team(to<int>(std::min<std::int64_t>(n_threads, n_jobs)), interrupt, n_jobs);
    return team.run([&](Interrupt& stop) {
        return [&, worker = make_worker()]() mutable {
            while (!stop.requested()) {
                const std::int64_t job = next++;
                if (job >= n_jobs) return;
                worker(job, stop);
                team.count_step();
            }
        };
    });
}

}  // namespace pucut
