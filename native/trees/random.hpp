// Random numbers that are the same on every machine: the generators of the standard library are,
// its distributions are not.
#pragma once

#include <array>
#include <cstdint>

namespace pucut::trees {

// xoshiro256++ (Blackman and Vigna), its state filled by splitmix64, as its authors advise.
class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15U;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
            word = mixed ^ (mixed >> 31);
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
        return static_cast<std::int32_t>(((bits() >> 32) * static_cast<std::uint64_t>(count)) >>
                                         32);
    }

  private:
    static std::uint64_t rotate(std::uint64_t word, int by) {
        return (word << by) | (word >> (64 - by));
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace pucut::trees
