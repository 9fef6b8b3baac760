// Bytes -> a small table of awkward values -> a forest; checks that every row is, by walking, where
// it was when its tree was grown: the fractions of the leaves are those of the rows in them.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bytes.hpp"
#include "trees/forest.hpp"
#include "trees/forest_check.hpp"
#include "trees/proximity.hpp"

using namespace pucut::trees;
using pucut::fuzz::Bytes;
using pucut::fuzz::require;

namespace {

double number(Bytes& bytes, std::int32_t n_categories) {
    const std::uint8_t byte = bytes.next();
    if (byte % 7 == 0) return std::numeric_limits<double>::quiet_NaN();
    if (n_categories > 0) return byte % n_categories;
    switch (byte % 16) {
        case 1:
            return 1e308;
        case 2:
            return -1e308;
        case 3:
            return -0.0;
        case 4:
            return 5e-324;
        case 5:
            return byte + bytes.next() / 256.0;
        default:
            return byte / 16;
    }
}

// As a model file might have it: some numbers changed, arrays cut short.
void spoil(Forest& forest, Bytes& bytes) {
    const auto odd = [&] {
        const std::uint8_t byte = bytes.next();
        return byte < 32 ? std::int32_t{1} << (byte % 31) : byte < 64 ? -byte : byte / 8;
    };
    Nodes& nodes = forest.nodes;
    for (int n_changes = 1 + bytes.next() % 3; n_changes > 0; --n_changes) {
        const std::size_t place = bytes.next() % (nodes.feature.size() + 1);
        if (place >= nodes.feature.size()) {
            nodes.masks.resize(bytes.next() % (nodes.masks.size() + 1));
            continue;
        }
        switch (bytes.next() % 6) {
            case 0:
                nodes.feature[place] = odd();
                break;
            case 1:
                nodes.left[place] = odd();
                break;
            case 2:
                nodes.threshold[place] = bytes.next() % 4 == 0 ? std::nan("") : odd();
                break;
            case 3:
                forest.offsets[place % forest.offsets.size()] = odd();
                break;
            case 4:
                nodes.threshold.resize(place);
                return;
            default:
                nodes.left.resize(place);
                return;
        }
    }
}

ForestView view_of(const Forest& forest) {
    return {forest.offsets,    forest.nodes.feature,      forest.nodes.threshold,
            forest.nodes.left, forest.nodes.missing_left, forest.nodes.masks};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const auto n_rows = static_cast<std::size_t>(2 + bytes.next());
    const auto n_columns = static_cast<std::size_t>(1 + bytes.next() % 4);
    GrowOptions options;
    options.risk = static_cast<Risk>(bytes.next() % 3);
    options.loss = static_cast<Loss>(bytes.next() % 2);
    options.prior = (1 + bytes.next()) / 257.0;
    options.unlabelled_includes_labelled = bytes.next() % 2 == 0;
    options.max_depth = bytes.next() % 8;
    options.min_samples_leaf = 1 + bytes.next() % 4;
    options.max_features = 1 + bytes.next() % 4;
    options.max_candidates = 1 + bytes.next() % 3;

    Table table;
    table.n_rows = static_cast<std::int32_t>(n_rows);
    std::vector<std::int32_t> n_categories;
    for (std::size_t j = 0; j < n_columns; ++j) {
        const std::uint8_t byte = bytes.next();
        n_categories.push_back(byte % 3 == 0 ? 1 + byte / 2 : 0);
    }
    table.n_categories = n_categories;
    std::vector<std::uint8_t> labelled(n_rows);
    std::vector<double> values(n_rows * n_columns);
    for (std::size_t i = 0; i < n_rows; ++i) {
        labelled[i] = bytes.next() % 2;
        for (std::size_t j = 0; j < n_columns; ++j)
            values[i * n_columns + j] = number(bytes, n_categories[j]);
    }
    labelled[0] = 1;
    labelled[1] = 0;
    for (std::size_t j = 0; j < n_columns; ++j) {
        ColumnView column;
        column.values = reinterpret_cast<const std::byte*>(values.data() + j);
        column.stride = static_cast<std::ptrdiff_t>(n_columns * sizeof(double));
        table.columns.push_back(column);
    }

    const std::vector<std::int32_t> row_fold(n_rows, 0);
    const std::vector<std::int32_t> tree_fold(2, -1);
    const std::vector<std::uint64_t> seeds{bytes.next(), bytes.next()};
    pucut::NoInterrupt never;
    const int n_threads = 1 + bytes.next() % 3;
    const Sampling sampling{labelled, row_fold, tree_fold, seeds};
    const auto grown = grow_forest(table, sampling, options, n_threads, never);
    require(grown.has_value(), "grown to the end");
    const Forest& forest = *grown;
    const Forest alone = grow_forest(table, sampling, options, 1, never).value();
    require(forest.nodes.feature == alone.nodes.feature && forest.offsets == alone.offsets,
            "the same by one thread");
    const ForestView view = view_of(forest);
    require(check_forest(view, table.n_categories).fault == ForestFault::none, "a forest");
    const auto found = find_leaves(view, table, n_threads, never);
    require(found.has_value(), "walked to the end");
    const std::vector<std::int32_t>& leaves = *found;

    Count all;
    for (const std::uint8_t label : labelled) ++(label != 0 ? all.labelled : all.rest);
    const Criterion criterion(options.risk, options.loss, options.prior,
                              options.unlabelled_includes_labelled, all);
    for (std::size_t tree = 0; tree < 2; ++tree) {
        const auto begin = static_cast<std::size_t>(forest.offsets[tree]);
        const auto n_nodes = static_cast<std::size_t>(forest.offsets[tree + 1]) - begin;
        std::vector<Count> counts(n_nodes);
        for (std::size_t i = 0; i < n_rows; ++i) {
            Count& count = counts[leaves[2 * i + tree]];
            ++(labelled[i] != 0 ? count.labelled : count.rest);
        }
        for (std::size_t node = 0; node < n_nodes; ++node) {
            if (forest.nodes.feature[begin + node] >= 0) {
                require(counts[node].rows() == 0, "rows stop in leaves only");
                continue;
            }
            require(counts[node].rows() >= options.min_samples_leaf || n_nodes == 1,
                    "leaves hold min_samples_leaf rows");
            require(forest.nodes.threshold[begin + node] == criterion.fraction(counts[node]),
                    "the fraction of a leaf is that of its rows");
        }
    }
    const LeafView leaf_view{leaves, table.n_rows, 2, 2 * table.n_rows};
    require(find_proximities(leaf_view, 1, n_threads, never).has_value(), "neighbours found");
    // Whatever passes the check can be walked down, to the end and within its arrays.
    Forest spoiled = forest;
    spoil(spoiled, bytes);
    if (check_forest(view_of(spoiled), table.n_categories).fault == ForestFault::none)
        require(find_leaves(view_of(spoiled), table, 1, never).has_value(), "walked all the same");
    // What does not is noticed on the way, if a row comes there.
    if (check_trees(view_of(spoiled), table.n_categories).fault == ForestFault::none)
        require(score_few_rows(view_of(spoiled), 0, 2, table).scores.votes.size() == n_rows,
                "few rows walked, or stopped");
    return 0;
}
