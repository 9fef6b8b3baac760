// Which rows meet in one leaf most often.
#pragma once

#include <cstdint>
#include <span>

#include "common/interrupt.hpp"

namespace pucut::trees {

// For every row the `n_neighbors` other rows that share its leaf in most trees, most first, ties by
// row number; and the number of those trees. `leaves` is n_rows x n_trees, row-major, and a leaf is
// a number from 0 to n_leaves - 1. Both results are n_rows x n_neighbors, n_neighbors < n_rows.
// Besides the lists of rows of the leaves, a thread keeps a counter a row. False when told to stop.
bool find_proximities(std::span<const std::int32_t> leaves, std::int32_t n_rows,
                      std::int32_t n_trees, std::int32_t n_leaves, std::int32_t n_neighbors,
                      int n_threads, Interrupt& interrupt, std::span<std::int32_t> neighbors,
                      std::span<std::int32_t> shared);

}  // namespace pucut::trees
