// Threads that share work: nothing is lost, nothing is done twice, and whatever goes wrong in one
// of them ends the others.
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "common/jobs.hpp"
#include "common/tasks.hpp"
#include "common/threads.hpp"

using namespace pucut;

namespace {

// Says yes when asked for the nth time; remembers who asked, and what it was told.
class NthTime final : public Interrupt {
  public:
    explicit NthTime(int n) : left_(n) {}
    using Interrupt::requested;
    bool requested(const Progress& progress) override {
        CHECK(std::this_thread::get_id() == caller_);
        CHECK(progress.done >= last.done);
        last = progress;
        ++n_asked;
        return --left_ == 0;
    }
    Progress last;
    int n_asked = 0;

  private:
    const std::thread::id caller_ = std::this_thread::get_id();
    int left_;
};

class Throws final : public Interrupt {
  public:
    bool requested(const Progress&) override { throw std::runtime_error("asked"); }
};

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

template <class Action>
std::string what_is_thrown(const Action& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

// A task stands for the numbers begin to end - 1; it is split until one is left.
struct Range {
    int begin;
    int end;
};

// Splits the ranges of `tasks` and counts the numbers they end with; visit(number) may throw.
template <class Visit>
bool visit_all(Tasks<Range>& tasks, int n_threads, Interrupt& interrupt, const Visit& visit) {
    Team team(n_threads, interrupt);
    return team.run([&](Interrupt& stop) {
        return [&] {
            while (const auto range = tasks.take(stop)) {
                const int middle = (range->begin + range->end) / 2;
                if (range->end - range->begin == 1) {
                    visit(range->begin);
                } else {
                    tasks.add({range->begin, middle});
                    tasks.add({middle, range->end});
                }
                tasks.finish();
            }
        };
    });
}

}  // namespace

TEST(every_member_of_a_team_works_once_with_a_worker_of_its_own) {
    for (const int n_threads : {0, 1, 2, 7}) {
        NthTime never(0);
        Team team(n_threads, never);
        std::mutex mutex;
        std::set<std::thread::id> makers;
        std::set<std::thread::id> workers;
        CHECK(team.run([&](Interrupt& stop) {
            const std::lock_guard lock(mutex);
            CHECK(makers.insert(std::this_thread::get_id()).second);
            return [&] {
                CHECK(!stop.requested());
                const std::lock_guard also(mutex);
                CHECK(workers.insert(std::this_thread::get_id()).second);
            };
        }));
        CHECK(static_cast<int>(workers.size()) == std::max(n_threads, 1));
        CHECK(makers == workers);
    }
}

TEST(every_job_is_done_once) {
    for (const int n_threads : {1, 2, 5}) {
        for (const std::int64_t n_jobs : {0, 1, 3, 1000}) {
            NthTime never(0);
            std::vector<std::atomic<int>> done(1000);
            std::atomic<int> n_workers = 0;
            CHECK(run_jobs(n_jobs, n_threads, never, [&] {
                ++n_workers;
                return [&](std::int64_t job, Interrupt&) { ++done[job]; };
            }));
            bool once = true;
            for (std::int64_t job = 0; job < 1000; ++job)
                once &= done[job] == (job < n_jobs ? 1 : 0);
            CHECK(once);
            CHECK(n_workers <=
                  std::max<std::int64_t>(1, std::min<std::int64_t>(n_threads, n_jobs)));
            CHECK(never.last.done == n_jobs && never.last.total == n_jobs);
        }
    }
}

TEST(tasks_that_make_tasks_are_all_done_once) {
    for (const int n_threads : {1, 2, 5}) {
        for (const int n : {1, 2, 999}) {
            NthTime never(0);
            Tasks<Range> tasks;
            tasks.add({0, n});
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
            CHECK(visit_all(tasks, n_threads, never, [&](int number) { ++seen[number]; }));
            bool once = true;
            for (const auto& count : seen) once &= count == 1;
            CHECK(once);
            CHECK(!tasks.take(never));
        }
    }
}

TEST(what_one_thread_throws_ends_the_others_and_is_thrown_to_the_caller) {
    for (const int n_threads : {1, 4}) {
        NoInterrupt never;
        std::atomic<int> n_done = 0;
        CHECK(what_is_thrown([&] {
                  run_jobs(1'000'000, n_threads, never, [&] {
                      return [&](std::int64_t job, Interrupt&) {
                          if (job == 50) throw std::runtime_error("job 50");
                          ++n_done;
                          rest();
                      };
                  });
              }) == "job 50");
        CHECK(n_done < 10'000);

        Tasks<Range> tasks;
        tasks.add({0, 1 << 20});
        CHECK(what_is_thrown([&] {
                  visit_all(tasks, n_threads, never,
                            [](int) { throw std::runtime_error("a task"); });
              }) == "a task");

        // One that does nothing but ask waits for the one that throws.
        CHECK(what_is_thrown([&] {
                  std::atomic<bool> thrown = false;
                  Team(n_threads, never).run([&](Interrupt& stop) {
                      return [&] {
                          if (!thrown.exchange(true)) throw std::runtime_error("the first");
                          while (!stop.requested()) rest();
                      };
                  });
              }) == "the first");

        Throws throws;
        CHECK(what_is_thrown([&] {
                  run_jobs(100, n_threads, throws,
                           [] { return [](std::int64_t, Interrupt&) { rest(); }; });
              }) == "asked");
    }
}

TEST(an_interrupt_ends_work_and_waiting) {
    for (const int n_threads : {1, 4}) {
        NthTime third(3);
        std::atomic<int> n_done = 0;
        CHECK(!run_jobs(1'000'000, n_threads, third, [&] {
            return [&](std::int64_t, Interrupt& stop) {
                ++n_done;
                stop.requested();
                rest();
            };
        }));
        CHECK(n_done < 10'000);
        CHECK(third.n_asked == 3);  // and not again after it has said yes

        // The caller waits for tasks that never come, since the only one is never finished.
        NthTime fifth(5);
        Tasks<Range> tasks;
        tasks.add({0, 1});
        CHECK(tasks.take(fifth));
        CHECK(!visit_all(tasks, n_threads, fifth, [](int) { CHECK(false); }));
        CHECK(fifth.n_asked == 5);
    }
    // The caller has nothing to do but wait for one that heeds only what it is told.
    NthTime fourth(4);
    const std::thread::id caller = std::this_thread::get_id();
    CHECK(!Team(2, fourth).run([&](Interrupt& stop) {
        return [&] {
            while (std::this_thread::get_id() != caller && !stop.requested()) rest();
        };
    }));
    CHECK(fourth.n_asked == 4);
}

TEST(threads_that_get_no_memory_leave_the_work_to_the_others) {
    const std::thread::id caller = std::this_thread::get_id();
    NoInterrupt never;
    std::vector<int> done(300);
    CHECK(run_jobs(300, 4, never, [&] {
        if (std::this_thread::get_id() != caller) throw std::bad_alloc();
        return [&](std::int64_t job, Interrupt&) { ++done[job]; };
    }));
    CHECK(done == std::vector<int>(300, 1));
    // Without a worker for the caller, or when work has begun, it is a failure like any other.
    for (const bool in_work : {false, true}) {
        bool thrown = false;
        try {
            run_jobs(300, 4, never, [&] {
                if (!in_work) throw std::bad_alloc();
                return [](std::int64_t, Interrupt&) { throw std::bad_alloc(); };
            });
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        CHECK(thrown);
    }
}
