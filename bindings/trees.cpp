// Forests: how they are grown, and what they say of rows.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/index.hpp"
#include "define.hpp"
#include "python_interrupt.hpp"
#include "trees/forest.hpp"
#include "trees/forest_check.hpp"
#include "trees/proximity.hpp"
#include "values.hpp"

using namespace nanobind::literals;

namespace pucut::bindings {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw nb::value_error(why.c_str()); }

const char* name_of(trees::ForestFault fault) {
    switch (fault) {
        case trees::ForestFault::lengths:
            return "lengths";
        case trees::ForestFault::offsets:
            return "offsets";
        case trees::ForestFault::feature:
            return "feature";
        case trees::ForestFault::threshold:
            return "threshold";
        case trees::ForestFault::child:
            return "child";
        case trees::ForestFault::mask:
            return "mask";
        case trees::ForestFault::none:
            break;
    }
    return "none";
}

// The classes below hold the arrays that the views of the native code look at.

// A table is n_rows, values, rows and n_categories: columns of several types, sparse ones if there
// are rows for them.
class TableInput {
  public:
    explicit TableInput(const nb::dict& fields)
        : n_categories_(field<Input<std::int32_t>>(fields, "n_categories")) {
        const auto values = field<nb::list>(fields, "values");
        const auto rows = field<nb::list>(fields, "rows");
        const bool sparse = !rows.empty();
        if (n_categories_.size() != values.size() || (sparse && rows.size() != values.size()))
            throw nb::value_error("columns do not match");
        table.n_rows = field<std::int32_t>(fields, "n_rows");
        if (table.n_rows < 0 || values.empty()) refuse("a table needs rows and columns");
        table.n_categories = view(n_categories_);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values_.push_back(nb::cast<Values>(values[i]));
            const Values& array = values_.back();
            trees::ColumnView column;
            column.values = static_cast<const std::byte*>(array.data());
            column.stride = array.stride(0) * to<std::ptrdiff_t>(array.itemsize());
            column.type = type_of(array);
            column.sparse = sparse;
            if (sparse) {
                rows_.push_back(nb::cast<Input<std::int32_t>>(rows[i]));
                column.sparse_rows = view(rows_.back());
            }
            const std::size_t length = sparse ? rows_.back().size() : to<std::size_t>(table.n_rows);
            if (array.shape(0) != length) throw nb::value_error("columns differ in length");
            if (sparse) require_rows(column.sparse_rows);
            table.columns.push_back(column);
            if (table.n_categories[i] != 0) require_categories(i);
        }
    }

    trees::Table table;

  private:
    using Values = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

    // Ascending, and rows of the table.
    void require_rows(std::span<const std::int32_t> rows) const {
        std::int32_t previous = -1;
        for (const std::int32_t row : rows) {
            if (row <= previous || row >= table.n_rows) refuse("rows of a sparse column");
            previous = row;
        }
    }

    // Whole numbers below the number of categories, or missing.
    void require_categories(std::size_t i) const {
        const trees::ColumnView& column = table.columns[i];
        const std::int32_t n_categories = table.n_categories[i];
        if (n_categories < 0 || column.sparse) refuse("categories of a column");
        for (std::int32_t row = 0; row < table.n_rows; ++row) {
            const double value = column.at(row);
            if (value != value) continue;
            if (!(value >= 0 && value < n_categories) || value != std::floor(value))
                refuse("category " + std::to_string(value) + " of " + std::to_string(n_categories));
        }
    }

    static trees::ValueType type_of(const Values& array) {
        if (array.dtype() == nb::dtype<float>()) return trees::ValueType::float32;
        if (array.dtype() == nb::dtype<double>()) return trees::ValueType::float64;
        if (array.dtype() == nb::dtype<std::uint8_t>()) return trees::ValueType::uint8;
        if (array.dtype() == nb::dtype<std::int32_t>()) return trees::ValueType::int32;
        if (array.dtype() == nb::dtype<std::int64_t>()) return trees::ValueType::int64;
        throw nb::type_error("a column has a type that is not known");
    }

    Input<std::int32_t> n_categories_;
    std::vector<Values> values_;
    std::vector<Input<std::int32_t>> rows_;
};

struct SamplingInput {
    explicit SamplingInput(const nb::dict& fields)
        : labelled(field<Input<std::uint8_t>>(fields, "labelled")),
          row_fold(field<Input<std::int32_t>>(fields, "row_fold")),
          tree_fold(field<Input<std::int32_t>>(fields, "tree_fold")),
          tree_seed(field<Input<std::uint64_t>>(fields, "tree_seed")) {}

    [[nodiscard]] trees::Sampling sampling() const {
        return {view(labelled), view(row_fold), view(tree_fold), view(tree_seed)};
    }

    void require_lengths(std::int32_t n_rows) const {
        const auto n = to<std::size_t>(n_rows);
        if (labelled.size() != n || row_fold.size() != n) refuse("labels or folds of the rows");
        if (tree_fold.size() != tree_seed.size()) refuse("folds of the trees");
    }

    Input<std::uint8_t> labelled;
    Input<std::int32_t> row_fold;
    Input<std::int32_t> tree_fold;
    Input<std::uint64_t> tree_seed;
};

struct ForestInput {
    explicit ForestInput(const nb::dict& fields)
        : offsets(field<Input<std::int64_t>>(fields, "offsets")),
          feature(field<Input<std::int32_t>>(fields, "feature")),
          threshold(field<Input<double>>(fields, "threshold")),
          left(field<Input<std::int32_t>>(fields, "left")),
          missing_left(field<Input<std::uint8_t>>(fields, "missing_left")),
          masks(field<Input<std::uint64_t>>(fields, "masks")) {}

    [[nodiscard]] trees::ForestView forest() const {
        return {view(offsets), view(feature),      view(threshold),
                view(left),    view(missing_left), view(masks)};
    }

    // Rows of the table can walk down it.
    void require_forest(std::span<const std::int32_t> n_categories) const {
        require(trees::check_forest(forest(), n_categories));
    }

    static void require(const trees::ForestCheck& check) {
        if (check.fault != trees::ForestFault::none)
            refuse(std::string("the arrays are no forest: ") + name_of(check.fault) + ", tree " +
                   std::to_string(check.tree) + ", node " + std::to_string(check.node));
    }

    Input<std::int64_t> offsets;
    Input<std::int32_t> feature;
    Input<double> threshold;
    Input<std::int32_t> left;
    Input<std::uint8_t> missing_left;
    Input<std::uint64_t> masks;
};

trees::GrowOptions grow_options(const nb::dict& fields) {
    using trees::Loss;
    using trees::Risk;
    trees::GrowOptions options;
    options.risk = field_of<Risk>(fields, "risk",
                                  {{"nnpu", Risk::nnpu}, {"upu", Risk::upu}, {"pn", Risk::pn}});
    options.loss = field_of<Loss>(fields, "loss",
                                  {{"quadratic", Loss::quadratic}, {"logistic", Loss::logistic}});
    options.prior = field<double>(fields, "prior");
    options.unlabelled_includes_labelled = field<bool>(fields, "unlabelled_includes_labelled");
    options.max_depth = field<std::int32_t>(fields, "max_depth");
    options.min_samples_leaf = field<std::int32_t>(fields, "min_samples_leaf");
    options.max_features = field<std::int32_t>(fields, "max_features");
    options.max_candidates = field<std::int32_t>(fields, "max_candidates");
    options.max_rows = field<std::int32_t>(fields, "max_rows");
    options.n_draws_made = field<std::int32_t>(fields, "n_draws_made");
    return options;
}

Fields grow_forest(const Fields& table, const Fields& sampling, const Fields& options,
                   int n_threads, nb::object callback) {
    const TableInput rows(table);
    const SamplingInput drawn(sampling);
    const trees::GrowOptions grown = grow_options(options);
    drawn.require_lengths(rows.table.n_rows);
    trees::Forest forest = unlocked(std::move(callback), [&](Interrupt& interrupt) {
        return trees::grow_forest(rows.table, drawn.sampling(), grown, n_threads, interrupt);
    });
    nb::dict result;
    result["offsets"] = give(std::move(forest.offsets));
    result["feature"] = give(std::move(forest.nodes.feature));
    result["threshold"] = give(std::move(forest.nodes.threshold));
    result["left"] = give(std::move(forest.nodes.left));
    result["missing_left"] = give(std::move(forest.nodes.missing_left));
    result["masks"] = give(std::move(forest.nodes.masks));
    result["risk_reduction"] = give(std::move(forest.risk_reduction));
    return Fields(result);
}

Output<std::int32_t> rows_of_trees(const Input<std::uint8_t>& labelled,
                                   const Input<std::uint64_t>& tree_seed, std::int32_t max_rows) {
    const std::vector<std::int32_t> no_folds(tree_seed.size(), -1);
    const trees::Sampling sampling{view(labelled), {}, no_folds, view(tree_seed)};
    std::vector<std::int32_t> rows;
    {
        nb::gil_scoped_release release;
        rows = trees::rows_of_trees(sampling, max_rows);
    }
    return give(std::move(rows));
}

void check_forest(const Fields& forest, const Input<std::int32_t>& n_categories) {
    ForestInput(forest).require_forest(view(n_categories));
}

Fields score_rows(const Fields& forest, const Fields& table, std::int64_t first, std::int64_t last,
                  int n_threads) {
    const ForestInput nodes(forest);
    const TableInput rows(table);
    const bool are_few = trees::are_few(nodes.forest(), rows.table.n_rows);
    if (are_few)
        ForestInput::require(trees::check_trees(nodes.forest(), rows.table.n_categories));
    else
        nodes.require_forest(rows.table.n_categories);
    if (first < 0 || last < first || last > nodes.forest().n_trees()) refuse("trees that are not");
    trees::RowScores scores;
    if (are_few) {
        trees::FewScores found = trees::score_few_rows(nodes.forest(), first, last, rows.table);
        ForestInput::require(found.check);
        scores = std::move(found.scores);
    } else {
        scores = unlocked(nb::none(), [&](Interrupt& interrupt) {
            return trees::score_rows(nodes.forest(), first, last, rows.table, n_threads, interrupt);
        });
    }
    nb::dict result;
    result["votes"] = give(std::move(scores.votes));
    result["fractions"] = give(std::move(scores.fractions));
    return Fields(result);
}

Output<std::int32_t> find_leaves(const Fields& forest, const Fields& table, int n_threads) {
    const ForestInput nodes(forest);
    const TableInput rows(table);
    nodes.require_forest(rows.table.n_categories);
    return give(unlocked(nb::none(), [&](Interrupt& interrupt) {
        return trees::find_leaves(nodes.forest(), rows.table, n_threads, interrupt);
    }));
}

Fields find_proximities(const Input<std::int32_t>& leaves, std::int32_t n_rows,
                        std::int32_t n_trees, std::int32_t n_leaves, std::int32_t n_neighbors,
                        int n_threads) {
    const bool fits = n_rows > 0 && n_trees > 0 && n_neighbors > 0 && n_neighbors < n_rows &&
                      leaves.size() == to<std::size_t>(n_rows) * to<std::size_t>(n_trees);
    if (!fits) refuse("leaves, rows and trees do not match");
    for (const std::int32_t leaf : view(leaves))
        if (leaf < 0 || leaf >= n_leaves) refuse("leaf " + std::to_string(leaf));
    const trees::LeafView leaf_view{view(leaves), n_rows, n_trees, n_leaves};
    trees::Proximities found = unlocked(nb::none(), [&](Interrupt& interrupt) {
        return trees::find_proximities(leaf_view, n_neighbors, n_threads, interrupt);
    });
    nb::dict result;
    result["neighbors"] = give(std::move(found.neighbors));
    result["shared"] = give(std::move(found.shared));
    return Fields(result);
}

}  // namespace

void define_trees(nb::module_& module) {
    module.def("grow_forest", &grow_forest, "table"_a, "sampling"_a, "options"_a, "n_threads"_a,
               "callback"_a.none(),
               "The nodes of all trees and the risk reduction of each feature in each tree. A "
               "table is n_rows, values, rows, n_categories; a sampling labelled, row_fold, "
               "tree_fold, tree_seed.");
    module.def("rows_of_trees", &rows_of_trees, "labelled"_a, "tree_seed"_a, "max_rows"_a,
               "The rows each tree would see of more than max_rows, labelled ones first.");
    module.def("check_forest", &check_forest, "forest"_a, "n_categories"_a,
               "Raises if the arrays are no forest for columns with so many categories each.");
    module.def("score_rows", &score_rows, "forest"_a, "table"_a, "first"_a, "last"_a, "n_threads"_a,
               "Votes and sums of the leaves' fractions over some of the trees.");
    module.def("find_leaves", &find_leaves, "forest"_a, "table"_a, "n_threads"_a,
               "The leaf of each row in each tree, row after row.");
    module.def("find_proximities", &find_proximities, "leaves"_a, "n_rows"_a, "n_trees"_a,
               "n_leaves"_a, "n_neighbors"_a, "n_threads"_a,
               "The rows that share a leaf most often with each row, and how often.");
}

}  // namespace pucut::bindings
