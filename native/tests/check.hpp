// The whole test harness, so that the native tests need nothing but a compiler.
//
// Each test_*.cpp is a program of its own: it includes this header once, which brings main(), and
// holds TEST(name) { ... } blocks. A failed check prints file:line and the test goes on; the
// program returns 1 when any check failed, a test threw, or no check was made at all.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace pucut::check {

struct Test {
    const char* name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

// Checks may be made by several threads.
inline std::atomic<int> checks = 0;
inline std::atomic<int> failures = 0;

struct Register {
    Register(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

inline void that(bool holds, const char* condition, const char* file, int line) {
    ++checks;
    if (holds) return;
    ++failures;
    std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, condition);
}

// Equal infinities are near each other; NaN is near nothing.
inline void near(double got, double wanted, double tolerance, const char* what, const char* file,
                 int line) {
    ++checks;
    if (got == wanted || std::abs(got - wanted) <= tolerance) return;
    ++failures;
    std::fprintf(stderr, "%s:%d: CHECK_NEAR(%s) failed: %.17g and %.17g differ by more than %.3g\n",
                 file, line, what, got, wanted, tolerance);
}

inline int run_all() {
    for (const Test& test : tests()) {
        const int failures_before = failures;
        try {
            test.body();
        } catch (const std::exception& error) {
            ++failures;
            std::fprintf(stderr, "%s threw: %s\n", test.name, error.what());
        } catch (...) {
            ++failures;
            std::fprintf(stderr, "%s threw something that is no std::exception\n", test.name);
        }
        std::printf("%s %s\n", failures == failures_before ? "ok    " : "FAILED", test.name);
    }
    std::printf("%zu tests, %d checks, %d failures\n", tests().size(), checks.load(),
                failures.load());
    return failures == 0 && checks > 0 ? 0 : 1;
}

}  // namespace pucut::check

#define TEST(name)                                                           \
    static void test_##name();                                               \
    static const pucut::check::Register register_##name{#name, test_##name}; \
    static void test_##name()

// Variadic, for conditions with commas in template arguments.
#define CHECK(...) \
    pucut::check::that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#define CHECK_NEAR(got, wanted, tolerance)                                                        \
    pucut::check::near((got), (wanted), (tolerance), #got ", " #wanted ", " #tolerance, __FILE__, \
                       __LINE__)

int main() { return pucut::check::run_all(); }
