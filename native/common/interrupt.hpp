// How work learns that the user wants to stop, and the user how far the work is.
#pragma once

#include <cstdint>

namespace pucut {

struct Progress {
    std::int64_t done = 0;
    std::int64_t total = 0;  // 0: nobody knows

    [[nodiscard]] bool is_complete() const { return total > 0 && done == total; }
};

// Asked now and then, by one thread at a time. Once it has said yes, the work ends.
class Interrupt {
  public:
    virtual ~Interrupt() = default;
    virtual bool requested(const Progress& progress) = 0;
    bool requested() { return requested(Progress{}); }
};

// For callers that nobody can interrupt.
class NoInterrupt final : public Interrupt {
  public:
    using Interrupt::requested;
    bool requested(const Progress&) override { return false; }
};

}  // namespace pucut
