#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace pucut::flow {

// Leaves elements without a value where the standard allocator would write zeros first.
template <class T>
class UnsetAllocator : public std::allocator<T> {
  public:
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

}  // namespace pucut::flow
