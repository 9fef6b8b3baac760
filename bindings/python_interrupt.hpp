// What the native code asks, while it works without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "common/interrupt.hpp"

namespace pucut::bindings {

namespace nb = nanobind;

// Asks the interpreter about signals and tells the callback, if there is one, how far the work is:
// at most every 50 ms, and once at the end. When it says yes, a Python exception is set.
class PythonInterrupt final : public Interrupt {
  public:
    explicit PythonInterrupt(nb::object callback = nb::none()) : callback_(std::move(callback)) {}

    bool requested(const Progress& progress) override {
        const auto now = std::chrono::steady_clock::now();
        if (!progress.is_complete() && now - asked_ < std::chrono::milliseconds(50)) return false;
        asked_ = now;
        nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) return true;
        if (callback_.is_none() || progress.done == told_) return false;
        told_ = progress.done;
        try {
            callback_(progress.done, progress.total);
        } catch (nb::python_error& error) {
            error.restore();
            return true;
        }
        return false;
    }

  private:
    nb::object callback_;
    std::int64_t told_ = 0;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

// Calls work(interrupt) without the interpreter's lock. Nothing, instead of a result, means that
// the interrupt said yes, and why is thrown.
template <class Work>
auto unlocked(nb::object callback, const Work& work) {
    PythonInterrupt interrupt(std::move(callback));
    auto result = [&] {
        nb::gil_scoped_release release;
        return work(interrupt);
    }();
    if (!result) throw nb::python_error();
    return *std::move(result);
}

}  // namespace pucut::bindings
