// Arrays of the size of a graph.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pucut {

// Asks for huge pages where an array is so large that it fills many of them: what is looked up here
// and there in a large array waits for the addresses of small pages as long as for the memory.
template <class T>
class LargeAllocator {
  public:
    using value_type = T;

    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        if (!is_large(n)) return std::allocator<T>().allocate(n);
        void* const place = ::operator new(n * sizeof(T), kHugePage);
#if defined(__linux__)
        // Whether there are any to be had only changes the time.
        static_cast<void>(madvise(place, n * sizeof(T), MADV_HUGEPAGE));
#endif
        return static_cast<T*>(place);
    }
    void deallocate(T* place, std::size_t n) noexcept {
        if (is_large(n))
            ::operator delete(place, kHugePage);
        else
            std::allocator<T>().deallocate(place, n);
    }
    friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

  private:
    static constexpr std::align_val_t kHugePage{std::size_t{1} << 21};
    static constexpr std::size_t kLarge = std::size_t{1} << 25;

    static bool is_large(std::size_t n) { return n >= kLarge / sizeof(T); }
};

// Leaves elements without a value where the standard allocator would write zeros first.
template <class T>
class UnsetAllocator : public LargeAllocator<T> {
  public:
    using LargeAllocator<T>::LargeAllocator;
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
};

// A vector for large arrays that are filled right after they are sized.
template <class T>
using Buffer = std::vector<T, UnsetAllocator<T>>;

// A vector for large arrays that begin with zeros.
template <class T>
using ZeroedBuffer = std::vector<T, LargeAllocator<T>>;

}  // namespace pucut
