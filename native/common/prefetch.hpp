#pragma once

namespace pucut {

// A hint that the memory at `address` is needed soon; where the compiler has no such hint, nothing.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#endif
}

}  // namespace pucut
