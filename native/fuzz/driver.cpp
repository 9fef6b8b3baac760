// Stands in for libFuzzer where the compiler has none: feeds pseudo-random inputs to
// LLVMFuzzerTestOneInput. An input depends on the seed and its iteration number alone, so a failure
// is run again with the two numbers printed, and gives the same bytes on every machine.
//
//   fuzz_x [--seconds T] [--runs N] [--seed S] [--first I] [--max-length L]
//   fuzz_x FILE...        runs the given inputs, once each
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "common/random.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define PUCUT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PUCUT_ASAN 1
#endif
#endif
#ifdef PUCUT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#ifdef PUCUT_ASAN
// gcc's undefined behaviour sanitizer is a runtime of its own, which knows no death callback: it is
// made to abort, and the signal is caught.
extern "C" const char* __ubsan_default_options();
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
#endif

namespace {

struct Options {
    double seconds = std::numeric_limits<double>::infinity();
    uint64_t runs = std::numeric_limits<uint64_t>::max();
    uint64_t seed = 1;
    uint64_t first = 0;
    size_t max_length = 4096;
    std::vector<std::string> files;
};

// What is being run now, for the report of a crash.
const char* program = "";
const char* current_file = nullptr;
uint64_t current_seed = 0;
uint64_t current_iteration = 0;
size_t current_max_length = 0;

void report_failing_input() {
    if (current_file != nullptr) {
        std::fprintf(stderr, "\nfailed on the file %s\n", current_file);
        return;
    }
    const auto seed = static_cast<unsigned long long>(current_seed);
    const auto iteration = static_cast<unsigned long long>(current_iteration);
    std::fprintf(stderr, "\nfailed at seed %llu, iteration %llu; again with\n", seed, iteration);
    std::fprintf(stderr, "  %s --seed %llu --first %llu --runs 1 --max-length %zu\n", program, seed,
                 iteration, current_max_length);
}

extern "C" void on_signal(int signal) {
    std::signal(signal, SIG_DFL);
    report_failing_input();
    std::raise(signal);
}

void install_crash_report() {
#ifdef PUCUT_ASAN
    // Covers memory errors and the signals that the sanitizer takes for itself.
    __sanitizer_set_death_callback(report_failing_input);
#else
    std::signal(SIGSEGV, on_signal);
    std::signal(SIGFPE, on_signal);
    std::signal(SIGILL, on_signal);
#endif
    std::signal(SIGABRT, on_signal);
}

// splitmix64 (Steele, Lea, Flood 2014): unlike the distributions of <random>, the same everywhere.
class Random {
  public:
    Random(uint64_t seed, uint64_t iteration) : state_(seed) {
        state_ = next() ^ iteration;
        next();
    }

    uint64_t next() { return pucut::mix_bits(state_ += pucut::kMixStep); }

    uint64_t below(uint64_t bound) { return next() % bound; }

  private:
    uint64_t state_;
};

// Lengths are spread over all orders of magnitude. The bytes are of a few kinds, because uniform
// ones hardly ever tie, repeat or reach the limits of a type, which is where errors live.
std::vector<uint8_t> make_input(uint64_t seed, uint64_t iteration, size_t max_length) {
    Random random(seed, iteration);
    size_t limit = 1;
    for (uint64_t doublings = random.below(32); doublings > 0 && limit < max_length; --doublings) {
        limit *= 2;
    }
    limit = std::min(limit, max_length);
    std::vector<uint8_t> input(static_cast<size_t>(random.below(limit + 1)));

    static constexpr uint8_t extremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    enum Kind : uint64_t { uniform, small, extreme, repeated, kinds };
    uint64_t kind = uniform;
    size_t left_of_kind = 0;
    uint8_t last = 0;
    for (uint8_t& byte : input) {
        if (left_of_kind == 0) {
            kind = random.below(kinds);
            left_of_kind = 1 + static_cast<size_t>(random.below(64));
        }
        --left_of_kind;
        if (kind == uniform) last = static_cast<uint8_t>(random.below(256));
        if (kind == small) last = static_cast<uint8_t>(random.below(4));
        if (kind == extreme) last = extremes[random.below(std::size(extremes))];
        byte = last;
    }
    return input;
}

[[noreturn]] void usage(const std::string& problem) {
    std::fprintf(stderr,
                 "%s\nusage: %s [--seconds T] [--runs N] [--seed S] [--first I] [--max-length L]\n"
                 "       %s FILE...\n",
                 problem.c_str(), program, program);
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    bool bounded = false;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name.rfind("--", 0) != 0) {
            options.files.push_back(name);
            continue;
        }
        if (++i == argc) usage(name + " needs a value");
        char* end = nullptr;
        if (name == "--seconds") {
            options.seconds = std::strtod(argv[i], &end);
            bounded = true;
        } else {
            const uint64_t value = std::strtoull(argv[i], &end, 10);
            if (name == "--runs") {
                options.runs = value;
                bounded = true;
            } else if (name == "--seed") {
                options.seed = value;
            } else if (name == "--first") {
                options.first = value;
            } else if (name == "--max-length") {
                options.max_length = static_cast<size_t>(value);
            } else {
                usage("unknown option " + name);
            }
        }
        if (end == argv[i] || *end != '\0') usage(name + " needs a number, not " + argv[i]);
    }
    if (!bounded && options.files.empty()) usage("give --seconds, --runs or files");
    return options;
}

int run_files(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        std::ifstream stream(file, std::ios::binary);
        if (!stream) {
            std::fprintf(stderr, "cannot read %s\n", file.c_str());
            return 2;
        }
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        // A copy of exactly this size, so that reading past its end is caught.
        const std::vector<uint8_t> input(bytes.begin(), bytes.end());
        current_file = file.c_str();
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%s: %zu inputs from files\n", program, files.size());
    return 0;
}

int run_random(const Options& options) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    current_seed = options.seed;
    current_max_length = options.max_length;
    uint64_t done = 0;
    while (done < options.runs && elapsed() < options.seconds) {
        current_iteration = options.first + done;
        const std::vector<uint8_t> input =
            make_input(options.seed, current_iteration, options.max_length);
        LLVMFuzzerTestOneInput(input.data(), input.size());
        ++done;
    }
    std::printf("%s: %llu inputs, seed %llu, %.1f s\n", program,
                static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(options.seed), elapsed());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    program = argv[0];
    const Options options = parse(argc, argv);
    install_crash_report();
    return options.files.empty() ? run_random(options) : run_files(options.files);
}
