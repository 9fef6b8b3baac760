// Which rows meet in one leaf most often.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/interrupt.hpp"

namespace pucut::trees {

// The leaf of every row in every tree, n_rows x n_trees, row-major: numbers from 0 to n_leaves - 1.
struct LeafView {
    std::span<const std::int32_t> leaves;
    std::int32_t n_rows = 0;
    std::int32_t n_trees = 0;
    std::int32_t n_leaves = 0;

    [[nodiscard]] std::int32_t of(std::int32_t row, std::int32_t tree) const {
        return leaves[std::int64_t{row} * n_trees + tree];
    }
};

// Both n_rows x n_neighbors, row-major.
struct Proximities {
    std::vector<std::int32_t> neighbors;
    std::vector<std::int32_t> shared;  // trees in which they meet
};

// For every row the `n_neighbors` other rows, fewer than n_rows, that share its leaf in most trees,
// most first, ties by row number. Besides the lists of rows of the leaves, a thread keeps a counter
// a row. Nothing when told to stop.
std::optional<Proximities> find_proximities(const LeafView& leaves, std::int32_t n_neighbors,
                                            int n_threads, Interrupt& interrupt);

}  // namespace pucut::trees
