// Random numbers that are the same on every machine: the generators of the standard library are,
// its distributions are not.
#pragma once

#include <array>
#include <cstdint>

#include "common/index.hpp"

namespace pucut {

// SplitMix64's finaliser (Steele, Lea, Flood 2014): every bit of the result depends on every bit
// given.
inline std::uint64_t mix_bits(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

// The steps between numbers that are mixed one after another: splitmix64.
constexpr std::uint64_t kMixStep = 0x9e3779b97f4a7c15U;

// xoshiro256++ (Blackman and Vigna), its state filled by splitmix64, as its authors advise.
class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += kMixStep;
            word = mix_bits(seed);
        }
    }

    std::uint64_t bits() {
        const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // In [0, 1), a multiple of 2^-53.
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    // 0 to count - 1; uneven by at most count / 2^32.
    std::int32_t below(std::int32_t count) {
        return to<std::int32_t>(((bits() >> 32) * to<std::uint64_t>(count)) >> 32);
    }

  private:
    static std::uint64_t rotate(std::uint64_t word, int by) {
        return (word << by) | (word >> (64 - by));
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace pucut
