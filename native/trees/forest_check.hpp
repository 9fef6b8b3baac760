// Whether arrays are a forest that rows can walk down, and if not, where not: a forest may come
// from a file.
#pragma once

#include <cstdint>
#include <span>

#include "trees/forest.hpp"

namespace pucut::trees {

enum class ForestFault {
    none,
    lengths,    // arrays of nodes that differ in length, or no tree at all
    offsets,    // not rising from 0 to the number of nodes, a tree without a node, or too large
    feature,    // not -1 and not a column
    threshold,  // not a number
    child,      // not behind its parent in the same tree: rows would leave the tree or never arrive
    mask,       // words of categories that are not all in `masks`
};

struct ForestCheck {
    ForestFault fault = ForestFault::none;
    std::int64_t tree = 0;
    std::int64_t node = 0;  // within its tree
};

// `n_categories` has an entry for each column, 0 for numbers.
ForestCheck check_forest(const ForestView& forest, std::span<const std::int32_t> n_categories);

}  // namespace pucut::trees
