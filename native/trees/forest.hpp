// A forest as flat arrays, and how one is grown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/index.hpp"
#include "common/interrupt.hpp"
#include "trees/columns.hpp"
#include "trees/risk.hpp"

namespace pucut::trees {

// The nodes of all trees, one tree after another; nodes are numbered within their tree, the root 0.
//
// Inner node: feature >= 0. A number goes to the left child if it is <= threshold. A category c
// goes to the left child if its bit is set: the threshold of a categorical feature is the place in
// `masks` of the first of ceil(n_categories / 64) words. A missing value goes left if
// missing_left is 1. The right child stands behind the left one.
// Leaf: feature = -1, left = -1, and the threshold is v*, the fraction of positives, which may
// exceed 1 and be infinite.
struct ForestView {
    std::span<const std::int64_t> offsets;  // n_trees + 1
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::int32_t> left;
    std::span<const std::uint8_t> missing_left;
    std::span<const std::uint64_t> masks;

    [[nodiscard]] std::int64_t n_trees() const { return to<std::int64_t>(offsets.size()) - 1; }
};

struct Nodes {
    std::vector<std::int32_t> feature;
    std::vector<double> threshold;
    std::vector<std::int32_t> left;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> masks;
};

struct Forest {
    std::vector<std::int64_t> offsets;
    Nodes nodes;
    std::vector<double> risk_reduction;  // n_trees x n_features, row-major; finite reductions only
};

struct GrowOptions {
    Risk risk = Risk::nnpu;
    Loss loss = Loss::quadratic;
    double prior = 0.5;
    bool unlabelled_includes_labelled = true;
    std::int32_t max_depth = 0;  // 0: no limit
    std::int32_t min_samples_leaf = 1;
    std::int32_t max_features = 1;
    std::int32_t max_candidates = 1;
    std::int32_t max_rows = 0;  // of a tree; 0: no limit
    // Where the rows of a tree were drawn elsewhere: so many numbers its seed has given for that.
    std::int32_t n_draws_made = 0;
};

// Who takes part in which tree: all rows but those of the tree's own fold, or a sample of them
// where they are more than max_rows. Folds are numbered from 0; -1 leaves nothing out.
struct Sampling {
    std::span<const std::uint8_t> labelled;  // 1 for labelled positives
    std::span<const std::int32_t> row_fold;
    std::span<const std::int32_t> tree_fold;
    std::span<const std::uint64_t> tree_seed;
};

// What can be told to stop returns nothing then.

// Tree t depends on tree_seed[t] and not on the number of threads.
std::optional<Forest> grow_forest(const Table& table, const Sampling& sampling,
                                  const GrowOptions& options, int n_threads, Interrupt& interrupt);

// The rows that each tree would see of more than max_rows, labelled ones first: n_trees x max_rows,
// row-major.
std::vector<std::int32_t> rows_of_trees(const Sampling& sampling, std::int32_t max_rows);

// What some trees say of every row.
struct RowScores {
    std::vector<std::int32_t> votes;  // trees whose leaf says positive (v* > 1/2)
    std::vector<double> fractions;    // the sum of v*, cut off at 1
};

// Of the trees first to last - 1.
std::optional<RowScores> score_rows(const ForestView& forest, std::int64_t first, std::int64_t last,
                                    const Table& table, int n_threads, Interrupt& interrupt);

// The leaf of every row in every tree, n_rows x n_trees, row-major.
std::optional<std::vector<std::int32_t>> find_leaves(const ForestView& forest, const Table& table,
                                                     int n_threads, Interrupt& interrupt);

}  // namespace pucut::trees
