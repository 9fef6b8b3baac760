// Rows walk down the trees: a block of rows at a time, so that they stay in the cache for all
// trees, and several rows side by side, so that one waits for memory while another goes on.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/index.hpp"
#include "common/jobs.hpp"
#include "trees/forest.hpp"
#include "trees/forest_check.hpp"

namespace pucut::trees {

namespace {

constexpr std::int32_t kRowsSideBySide = 16;

// A leaf leads to itself, whatever the value is, unless it is missing.
struct PackedNode {
    double threshold;
    std::int32_t left;
    std::int32_t feature;
};

std::vector<PackedNode> pack(const ForestView& forest) {
    std::vector<PackedNode> packed(forest.feature.size());
    for (std::size_t tree = 0; tree + 1 < forest.offsets.size(); ++tree) {
        const auto begin = to<std::size_t>(forest.offsets[tree]);
        const auto end = to<std::size_t>(forest.offsets[tree + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            const bool is_leaf = forest.feature[i] < 0;
            packed[i] = is_leaf
                            ? PackedNode{std::numeric_limits<double>::infinity(),
                                         to<std::int32_t>(i - begin), 0}
                            : PackedNode{forest.threshold[i], forest.left[i], forest.feature[i]};
        }
    }
    return packed;
}

// Rows of the table as numbers, row after row.
class Block {
  public:
    Block(const Table& table, std::int32_t capacity)
        : table_(table),
          values_(to<std::size_t>(capacity) * table.columns.size()),
          row_length_(table.n_columns()) {}

    void read(std::int32_t first, std::int32_t n) {
        // Few rows at a time: columns of a row-major table share cache lines.
        constexpr std::int32_t kRows = 16;
        for (std::int32_t row = 0; row < n; row += kRows)
            for (std::int32_t column = 0; column < row_length_; ++column)
                table_.columns[column].read(
                    first + row, std::min(kRows, n - row),
                    values_.data() + std::ptrdiff_t{row} * row_length_ + column, row_length_);
        const auto end = values_.begin() + std::ptrdiff_t{n} * row_length_;
        has_missing_ = std::any_of(values_.begin(), end, [](double x) { return x != x; });
    }

    [[nodiscard]] const double* row(std::int32_t i) const {
        return values_.data() + std::ptrdiff_t{i} * row_length_;
    }
    [[nodiscard]] bool has_missing() const { return has_missing_; }

  private:
    const Table& table_;
    std::vector<double> values_;
    std::int32_t row_length_;
    bool has_missing_ = false;
};

// Where an inner node sends a row; `i` is its place among the nodes of all trees.
std::int32_t child_of(const ForestView& forest, std::span<const std::int32_t> n_categories,
                      const double* values, std::size_t i) {
    const std::int32_t feature = forest.feature[i];
    const double value = values[feature];
    bool left = value <= forest.threshold[i];
    if (value != value) {
        left = forest.missing_left[i] != 0;
    } else if (n_categories[feature] > 0) {
        const auto category = static_cast<std::size_t>(value);
        const auto word = static_cast<std::size_t>(forest.threshold[i]) + category / 64;
        left = ((forest.masks[word] >> (category % 64)) & 1U) != 0;
    }
    return forest.left[i] + (left ? 0 : 1);
}

void add_leaf(RowScores& scores, std::int32_t row, double fraction) {
    scores.votes[row] += fraction > 0.5 ? 1 : 0;
    scores.fractions[row] += std::min(fraction, 1.0);
}

RowScores no_scores(const Table& table) {
    const auto n_rows = to<std::size_t>(table.n_rows);
    return {std::vector<std::int32_t>(n_rows, 0), std::vector<double>(n_rows, 0.0)};
}

class Walker {
  public:
    Walker(const ForestView& forest, const std::vector<PackedNode>& packed, const Table& table)
        : forest_(forest),
          packed_(packed),
          n_categories_(table.n_categories),
          any_categories_(std::any_of(n_categories_.begin(), n_categories_.end(),
                                      [](std::int32_t n) { return n > 0; })) {}

    // Calls take(row, leaf) for the rows 0 to n - 1 of the block.
    template <class Take>
    void walk(const Block& block, std::int32_t n, std::int64_t tree, const Take& take) const {
        const std::int64_t offset = forest_.offsets[tree];
        if (block.has_missing() || any_categories_) {
            for (std::int32_t row = 0; row < n; ++row) take(row, leaf_of(block.row(row), offset));
            return;
        }
        const PackedNode* nodes = packed_.data() + offset;
        std::int32_t row = 0;
        for (; row + kRowsSideBySide <= n; row += kRowsSideBySide)
            walk_group<kRowsSideBySide>(block, row, nodes, take);
        for (; row < n; ++row) walk_group<1>(block, row, nodes, take);
    }

  private:
    template <std::int32_t kCount, class Take>
    static void walk_group(const Block& block, std::int32_t first, const PackedNode* nodes,
                           const Take& take) {
        const double* values[kCount];
        std::int32_t at[kCount];
        for (std::int32_t i = 0; i < kCount; ++i) {
            values[i] = block.row(first + i);
            at[i] = 0;
        }
        std::int32_t moved = 0;
        do {
            moved = 0;
            for (std::int32_t i = 0; i < kCount; ++i) {
                const PackedNode& node = nodes[at[i]];
                const std::int32_t next =
                    node.left + (values[i][node.feature] <= node.threshold ? 0 : 1);
                moved |= next ^ at[i];
                at[i] = next;
            }
        } while (moved != 0);
        for (std::int32_t i = 0; i < kCount; ++i) take(first + i, at[i]);
    }

    [[nodiscard]] std::int32_t leaf_of(const double* values, std::int64_t offset) const {
        std::int32_t node = 0;
        for (;;) {
            const auto i = to<std::size_t>(offset + node);
            if (forest_.feature[i] < 0) return node;
            node = child_of(forest_, n_categories_, values, i);
        }
    }

    const ForestView& forest_;
    const std::vector<PackedNode>& packed_;
    std::span<const std::int32_t> n_categories_;
    bool any_categories_;
};

// Calls take(tree, row, leaf) for all rows and the trees first to last - 1, rows in parallel, the
// trees of a row in their order.
template <class Take>
bool walk_all(const ForestView& forest, std::int64_t first, std::int64_t last, const Table& table,
              int n_threads, Interrupt& interrupt, const Take& take) {
    constexpr std::int32_t kNumbersInBlock = 1 << 15;
    const std::int32_t rows_in_block =
        std::clamp(kNumbersInBlock / std::max(table.n_columns(), 1), kRowsSideBySide, 512);
    const std::vector<PackedNode> packed = pack(forest);
    const Walker walker(forest, packed, table);
    return run_jobs((table.n_rows + rows_in_block - 1) / rows_in_block, n_threads, interrupt, [&] {
        return [&, block = Block(table, rows_in_block)](std::int64_t job, Interrupt&) mutable {
            const auto first_row = to<std::int32_t>(job) * rows_in_block;
            const std::int32_t n = std::min(rows_in_block, table.n_rows - first_row);
            block.read(first_row, n);
            for (std::int64_t tree = first; tree < last; ++tree)
                walker.walk(block, n, tree, [&](std::int32_t row, std::int32_t leaf) {
                    take(tree, first_row + row, leaf);
                });
        };
    });
}

}  // namespace

std::optional<RowScores> score_rows(const ForestView& forest, std::int64_t first, std::int64_t last,
                                    const Table& table, int n_threads, Interrupt& interrupt) {
    RowScores scores = no_scores(table);
    const auto take = [&](std::int64_t tree, std::int32_t row, std::int32_t leaf) {
        add_leaf(scores, row, forest.threshold[forest.offsets[to<std::size_t>(tree)] + leaf]);
    };
    if (!walk_all(forest, first, last, table, n_threads, interrupt, take)) return std::nullopt;
    return scores;
}

bool are_few(const ForestView& forest, std::int32_t n_rows) {
    // A row comes to about as many nodes of a tree as that.
    constexpr std::int64_t kSteps = 32;
    const auto n_nodes = to<std::int64_t>(forest.feature.size());
    return n_rows < n_nodes / kSteps / std::max<std::int64_t>(forest.n_trees(), 1);
}

FewScores score_few_rows(const ForestView& forest, std::int64_t first, std::int64_t last,
                         const Table& table) {
    FewScores found{no_scores(table), {}};
    Block block(table, table.n_rows);
    block.read(0, table.n_rows);
    for (std::int32_t row = 0; row < table.n_rows; ++row) {
        for (std::int64_t tree = first; tree < last; ++tree) {
            std::int32_t node = 0;
            for (;;) {
                const ForestFault fault = check_node(forest, table.n_categories, tree, node);
                if (fault != ForestFault::none) return {no_scores(table), {fault, tree, node}};
                const auto i = to<std::size_t>(forest.offsets[tree] + node);
                if (forest.feature[i] < 0) {
                    add_leaf(found.scores, row, forest.threshold[i]);
                    break;
                }
                node = child_of(forest, table.n_categories, block.row(row), i);
            }
        }
    }
    return found;
}

std::optional<std::vector<std::int32_t>> find_leaves(const ForestView& forest, const Table& table,
                                                     int n_threads, Interrupt& interrupt) {
    std::vector<std::int32_t> leaves(to<std::size_t>(table.n_rows * forest.n_trees()));
    const auto take = [&](std::int64_t tree, std::int32_t row, std::int32_t leaf) {
        leaves[row * forest.n_trees() + tree] = leaf;
    };
    if (!walk_all(forest, 0, forest.n_trees(), table, n_threads, interrupt, take))
        return std::nullopt;
    return leaves;
}

}  // namespace pucut::trees
