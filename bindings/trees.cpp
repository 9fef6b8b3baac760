// Forests: how they are grown, and what they say of rows.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/index.hpp"
#include "define.hpp"
#include "python_interrupt.hpp"
#include "trees/forest.hpp"
#include "trees/proximity.hpp"
#include "values.hpp"

using namespace nanobind::literals;

namespace pucut::bindings {
namespace {

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
            table.columns.push_back(column);
        }
    }

    trees::Table table;

  private:
    using Values = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

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

Fields score_rows(const Fields& forest, const Fields& table, std::int64_t first, std::int64_t last,
                  int n_threads) {
    const ForestInput nodes(forest);
    const TableInput rows(table);
    trees::RowScores scores = unlocked(nb::none(), [&](Interrupt& interrupt) {
        return trees::score_rows(nodes.forest(), first, last, rows.table, n_threads, interrupt);
    });
    nb::dict result;
    result["votes"] = give(std::move(scores.votes));
    result["fractions"] = give(std::move(scores.fractions));
    return Fields(result);
}

Output<std::int32_t> find_leaves(const Fields& forest, const Fields& table, int n_threads) {
    const ForestInput nodes(forest);
    const TableInput rows(table);
    return give(unlocked(nb::none(), [&](Interrupt& interrupt) {
        return trees::find_leaves(nodes.forest(), rows.table, n_threads, interrupt);
    }));
}

Fields find_proximities(const Input<std::int32_t>& leaves, std::int32_t n_rows,
                        std::int32_t n_trees, std::int32_t n_leaves, std::int32_t n_neighbors,
                        int n_threads) {
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
    module.def("score_rows", &score_rows, "forest"_a, "table"_a, "first"_a, "last"_a, "n_threads"_a,
               "Votes and sums of the leaves' fractions over some of the trees.");
    module.def("find_leaves", &find_leaves, "forest"_a, "table"_a, "n_threads"_a,
               "The leaf of each row in each tree, row after row.");
    module.def("find_proximities", &find_proximities, "leaves"_a, "n_rows"_a, "n_trees"_a,
               "n_leaves"_a, "n_neighbors"_a, "n_threads"_a,
               "The rows that share a leaf most often with each row, and how often.");
}

}  // namespace pucut::bindings
