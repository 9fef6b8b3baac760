// How numbers of things change their type: one policy for all of native/ and bindings/.
//
// Nodes, rows, columns and edges have signed numbers of 32 bits, arcs and trees of 64; the standard
// library counts by std::size_t.
//
// - A number is a subscript as it is. It is never negative there, and no compiler is asked to
//   complain of it (-Wsign-conversion).
// - Every other conversion between whole numbers goes through to<T>(). The value must not change:
//   the tests, which are built with assertions, stop if it does. What is meant to lose bits is
//   masked, and what was a double is cast where it is known to be whole.
// - Nothing that comes from outside relies on that. Sizes are checked at the door: of nodes in
//   _checks.py, of edges in build_network, of rows and columns where tables are read.
#pragma once

#include <cassert>
#include <concepts>
#include <utility>

namespace pucut {

template <std::integral To, std::integral From>
[[nodiscard]] constexpr To to(From value) {
    assert(std::in_range<To>(value));
    return static_cast<To>(value);
}

}  // namespace pucut
