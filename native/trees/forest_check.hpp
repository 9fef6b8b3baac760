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

// Of the arrays as a whole: their lengths, and where trees begin and end. Nodes are not looked at.
ForestCheck check_trees(const ForestView& forest, std::span<const std::int32_t> n_categories);

// Of one node of a tree whose arrays are right.
ForestFault check_node(const ForestView& forest, std::span<const std::int32_t> n_categories,
                       std::int64_t tree, std::int64_t node);

// Of everything.
ForestCheck check_forest(const ForestView& forest, std::span<const std::int32_t> n_categories);

// Whether rows are so few that most nodes are never reached: checking all would take longer.
bool are_few(const ForestView& forest, std::int32_t n_rows);

// What `score_rows` says, of few rows and a forest that only `check_trees` has seen: the nodes that
// rows come to are checked on the way. Without a fault the scores are right.
struct FewScores {
    RowScores scores;
    ForestCheck check;
};
FewScores score_few_rows(const ForestView& forest, std::int64_t first, std::int64_t last,
                         const Table& table);

}  // namespace pucut::trees
