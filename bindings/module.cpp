// The one file that knows both worlds: it presents the native functions to Python.
//
// Only flat arrays of fixed types cross, by view. The interpreter's lock is released around the
// work, and taken for a moment now and then to see whether the user wants to stop.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/buffer.hpp"
#include "common/interrupt.hpp"
#include "flow/certificate.hpp"
#include "flow/graph_check.hpp"
#include "flow/neighbor_graph.hpp"
#include "flow/parametric_cut.hpp"
#include "trees/forest.hpp"
#include "trees/proximity.hpp"

namespace nb = nanobind;
using namespace nb::literals;
namespace flow = pucut::flow;
namespace trees = pucut::trees;

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const Input<T>& array) {
    return {array.data(), array.size()};
}

// Hands the memory over instead of copying it.
template <class T, class Allocator>
Output<T> give(std::vector<T, Allocator>&& values) {
    using Kept = std::vector<T, Allocator>;
    auto* kept = new Kept(std::move(values));
    nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Kept*>(pointer); });
    return Output<T>(kept->data(), {kept->size()}, owner);
}

// Asks the interpreter about signals and tells the callback, if there is one, how far the work is:
// at most every 50 ms, and once at the end.
class PythonInterrupt final : public pucut::Interrupt {
  public:
    explicit PythonInterrupt(nb::object callback = nb::none()) : callback_(std::move(callback)) {}

    bool requested(const pucut::Progress& progress) override {
        const auto now = std::chrono::steady_clock::now();
        if (!progress.is_complete() && now - asked_ < std::chrono::milliseconds(50)) return false;
        asked_ = now;
        nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) return true;
        if (callback_.is_none() || progress.done == told_) return false;
        told_ = progress.done;
        try {
            callback_(progress.done, progress.total);
        } catch (nb::python_error& error) {
            error.restore();
            return true;
        }
        return false;
    }

  private:
    nb::object callback_;
    std::int64_t told_ = 0;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

using Place = nb::typed<nb::tuple, int, std::int32_t, std::int64_t>;
using Fields = nb::typed<nb::dict, nb::str, nb::any>;
using Columns = nb::typed<nb::list, nb::any>;

// What takes weights comes twice: they are of single or of double precision.
template <class Weight>
Place check_graph(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                  const Input<Weight>& weights) {
    flow::GraphCheck check;
    {
        nb::gil_scoped_release unlocked;
        check = flow::check_graph(view(offsets), view(neighbors), view(weights));
    }
    return Place(nb::make_tuple(static_cast<int>(check.fault), check.row, check.place));
}

template <class Weight>
Output<double> weighted_degrees(const Input<std::int64_t>& offsets,
                                const Input<std::int32_t>& neighbors,
                                const Input<Weight>& weights) {
    std::vector<double> degrees;
    {
        nb::gil_scoped_release unlocked;
        degrees = flow::weighted_degrees(view(offsets), view(neighbors), view(weights));
    }
    return give(std::move(degrees));
}

template <class Weight>
Fields solve_levels(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                    const Input<Weight>& weights, const Input<double>& pull,
                    const Input<double>& slope, const Input<std::int8_t>& side, double lowest,
                    double highest, int relaxation_rounds, int n_threads) {
    // Side has the representation of int8, and its three values are all that Python sends.
    const std::span<const flow::Side> sides(reinterpret_cast<const flow::Side*>(side.data()),
                                            side.size());
    const flow::CutProblem problem{view(offsets), view(neighbors), view(weights), view(pull),
                                   view(slope),   sides,           lowest,        highest};
    flow::CutLevels levels;
    flow::Certificate certificate;
    flow::Status status;
    PythonInterrupt interrupt;
    {
        nb::gil_scoped_release unlocked;
        status = flow::solve_levels(problem, interrupt, {relaxation_rounds, n_threads}, levels);
        if (status == flow::Status::optimal)
            certificate = flow::certify(problem, levels.level, levels.flow, levels.rank);
    }
    if (status == flow::Status::interrupted) throw nb::python_error();

    nb::dict counters;
    counters["free_nodes"] = levels.counters.free_nodes;
    counters["edges"] = levels.counters.edges;
    counters["regions"] = levels.counters.regions;
    counters["depth"] = levels.counters.depth;
    counters["phases"] = levels.counters.router.phases;
    counters["scanned_arcs"] = levels.counters.router.scanned_arcs;
    counters["pushes"] = levels.counters.router.pushes;

    nb::dict result;
    result["status"] = static_cast<int>(status);
    result["feasible"] = certificate.feasible;
    result["gap"] = certificate.gap;
    result["cut_weight"] = certificate.cut_weight;
    result["level"] = give(std::move(levels.level));
    result["forced_level"] = give(std::move(levels.forced_level));
    result["breakpoints"] = give(std::move(levels.breakpoints));
    result["mass"] = give(std::move(levels.mass));
    result["counters"] = counters;
    return Fields(result);
}

template <class Weight>
Fields symmetric_graph(const Input<std::int32_t>& listed, const Input<Weight>& weights,
                       std::size_t width) {
    if (listed.size() != weights.size() || width == 0 || listed.size() % width != 0)
        throw nb::value_error("lists do not match");
    flow::NeighborGraph<Weight> graph;
    {
        nb::gil_scoped_release unlocked;
        graph = flow::symmetric_graph(view(listed), view(weights), width);
    }
    nb::dict result;
    result["offsets"] = give(std::move(graph.offsets));
    result["neighbors"] = give(std::move(graph.neighbors));
    result["weights"] = give(std::move(graph.weights));
    return Fields(result);
}

Output<std::uint8_t> reached_from(const Input<std::int64_t>& offsets,
                                  const Input<std::int32_t>& neighbors,
                                  const Input<std::uint8_t>& seeds) {
    pucut::ZeroedBuffer<std::uint8_t> reached;
    {
        nb::gil_scoped_release unlocked;
        reached = flow::reached_from(view(offsets), view(neighbors), view(seeds));
    }
    return give(std::move(reached));
}

// Columns of several types; sparse ones if there are rows for them.
class TableInput {
  public:
    TableInput(std::int32_t n_rows, const Columns& values, const Columns& rows,
               const Input<std::int32_t>& n_categories) {
        const bool sparse = rows.size() > 0;
        if (n_categories.size() != values.size() || (sparse && rows.size() != values.size()))
            throw nb::value_error("columns do not match");
        table.n_rows = n_rows;
        table.n_categories = view(n_categories);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values_.push_back(nb::cast<Values>(values[i]));
            const Values& array = values_.back();
            trees::ColumnView column;
            column.values = static_cast<const std::byte*>(array.data());
            column.stride = array.stride(0) * static_cast<std::ptrdiff_t>(array.itemsize());
            column.type = type_of(array);
            column.sparse = sparse;
            if (sparse) {
                rows_.push_back(nb::cast<Input<std::int32_t>>(rows[i]));
                column.sparse_rows = view(rows_.back());
            }
            if (array.shape(0) != (sparse ? rows_.back().size() : static_cast<std::size_t>(n_rows)))
                throw nb::value_error("columns differ in length");
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

    std::vector<Values> values_;
    std::vector<Input<std::int32_t>> rows_;
};

Fields grow_forest(std::int32_t n_rows, const Columns& values, const Columns& rows,
                   const Input<std::int32_t>& n_categories, const Input<std::uint8_t>& labelled,
                   const Input<std::int32_t>& row_fold, const Input<std::int32_t>& tree_fold,
                   const Input<std::uint64_t>& tree_seed, int risk, int loss, double prior,
                   bool unlabelled_includes_labelled, std::int32_t max_depth,
                   std::int32_t min_samples_leaf, std::int32_t max_features,
                   std::int32_t max_candidates, std::int32_t max_rows, std::int32_t n_draws_made,
                   int n_threads, nb::object callback) {
    const TableInput input(n_rows, values, rows, n_categories);
    const trees::Sampling sampling{view(labelled), view(row_fold), view(tree_fold),
                                   view(tree_seed)};
    const trees::GrowOptions options{static_cast<trees::Risk>(risk),
                                     static_cast<trees::Loss>(loss),
                                     prior,
                                     unlabelled_includes_labelled,
                                     max_depth,
                                     min_samples_leaf,
                                     max_features,
                                     max_candidates,
                                     max_rows,
                                     n_draws_made};
    trees::Forest forest;
    PythonInterrupt interrupt(std::move(callback));
    bool complete;
    {
        nb::gil_scoped_release unlocked;
        complete = trees::grow_forest(input.table, sampling, options, n_threads, interrupt, forest);
    }
    if (!complete) throw nb::python_error();
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
    const std::vector<std::int32_t> no_folds(view(tree_seed).size(), -1);
    const trees::Sampling sampling{view(labelled), {}, no_folds, view(tree_seed)};
    std::vector<std::int32_t> rows;
    {
        nb::gil_scoped_release unlocked;
        rows = trees::rows_of_trees(sampling, max_rows);
    }
    return give(std::move(rows));
}

Fields score_rows(const Input<std::int64_t>& offsets, const Input<std::int32_t>& feature,
                  const Input<double>& threshold, const Input<std::int32_t>& left,
                  const Input<std::uint8_t>& missing_left, const Input<std::uint64_t>& masks,
                  std::int64_t first, std::int64_t last, std::int32_t n_rows, const Columns& values,
                  const Columns& rows, const Input<std::int32_t>& n_categories, int n_threads) {
    const TableInput input(n_rows, values, rows, n_categories);
    const trees::ForestView forest{view(offsets), view(feature),      view(threshold),
                                   view(left),    view(missing_left), view(masks)};
    std::vector<std::int32_t> votes(static_cast<std::size_t>(n_rows), 0);
    std::vector<double> fractions(static_cast<std::size_t>(n_rows), 0.0);
    PythonInterrupt interrupt;
    bool complete;
    {
        nb::gil_scoped_release unlocked;
        complete = trees::score_rows(forest, first, last, input.table, n_threads, interrupt, votes,
                                     fractions);
    }
    if (!complete) throw nb::python_error();
    nb::dict result;
    result["votes"] = give(std::move(votes));
    result["fractions"] = give(std::move(fractions));
    return Fields(result);
}

Output<std::int32_t> find_leaves(const Input<std::int64_t>& offsets,
                                 const Input<std::int32_t>& feature, const Input<double>& threshold,
                                 const Input<std::int32_t>& left,
                                 const Input<std::uint8_t>& missing_left,
                                 const Input<std::uint64_t>& masks, std::int32_t n_rows,
                                 const Columns& values, const Columns& rows,
                                 const Input<std::int32_t>& n_categories, int n_threads) {
    const TableInput input(n_rows, values, rows, n_categories);
    const trees::ForestView forest{view(offsets), view(feature),      view(threshold),
                                   view(left),    view(missing_left), view(masks)};
    std::vector<std::int32_t> leaves(static_cast<std::size_t>(n_rows) *
                                     static_cast<std::size_t>(forest.n_trees()));
    PythonInterrupt interrupt;
    bool complete;
    {
        nb::gil_scoped_release unlocked;
        complete = trees::find_leaves(forest, input.table, n_threads, interrupt, leaves);
    }
    if (!complete) throw nb::python_error();
    return give(std::move(leaves));
}

Fields find_proximities(const Input<std::int32_t>& leaves, std::int32_t n_rows,
                        std::int32_t n_trees, std::int32_t n_leaves, std::int32_t n_neighbors,
                        int n_threads) {
    const std::size_t size =
        static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_neighbors);
    std::vector<std::int32_t> neighbors(size);
    std::vector<std::int32_t> shared(size);
    PythonInterrupt interrupt;
    bool complete;
    {
        nb::gil_scoped_release unlocked;
        complete = trees::find_proximities(view(leaves), n_rows, n_trees, n_leaves, n_neighbors,
                                           n_threads, interrupt, neighbors, shared);
    }
    if (!complete) throw nb::python_error();
    nb::dict result;
    result["neighbors"] = give(std::move(neighbors));
    result["shared"] = give(std::move(shared));
    return Fields(result);
}

template <class Weight>
void define_for_weights(nb::module_& module) {
    module.def("check_graph", &check_graph<Weight>, "offsets"_a, "neighbors"_a, "weights"_a,
               "Fault (0 for none), row and place of the first entry that keeps CSR arrays from "
               "being a symmetric graph.");
    module.def("weighted_degrees", &weighted_degrees<Weight>, "offsets"_a, "neighbors"_a,
               "weights"_a, "Sums of the rows of a checked graph, without its diagonal.");
    module.def("symmetric_graph", &symmetric_graph<Weight>, "listed"_a, "weights"_a, "width"_a,
               "Offsets, neighbours and weights of the graph of lists of neighbours.");
    module.def(
        "solve_levels", &solve_levels<Weight>, "offsets"_a, "neighbors"_a, "weights"_a, "pull"_a,
        "slope"_a, "side"_a, "lowest"_a, "highest"_a, "relaxation_rounds"_a, "n_threads"_a,
        "Levels of all nodes, breakpoints and certificate, for arrays that have been checked.");
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "Native core of pucut.";
    define_for_weights<double>(module);
    define_for_weights<float>(module);
    module.def("reached_from", &reached_from, "offsets"_a, "neighbors"_a, "seeds"_a,
               "1 for the nodes of a checked graph that are connected to a seed.");
    module.def("grow_forest", &grow_forest, "n_rows"_a, "values"_a, "rows"_a, "n_categories"_a,
               "labelled"_a, "row_fold"_a, "tree_fold"_a, "tree_seed"_a, "risk"_a, "loss"_a,
               "prior"_a, "unlabelled_includes_labelled"_a, "max_depth"_a, "min_samples_leaf"_a,
               "max_features"_a, "max_candidates"_a, "max_rows"_a, "n_draws_made"_a, "n_threads"_a,
               "callback"_a.none(),
               "The nodes of all trees and the risk reduction of each feature in each tree.");
    module.def("rows_of_trees", &rows_of_trees, "labelled"_a, "tree_seed"_a, "max_rows"_a,
               "The rows each tree would see of more than max_rows, labelled ones first.");
    module.def("score_rows", &score_rows, "offsets"_a, "feature"_a, "threshold"_a, "left"_a,
               "missing_left"_a, "masks"_a, "first"_a, "last"_a, "n_rows"_a, "values"_a, "rows"_a,
               "n_categories"_a, "n_threads"_a,
               "Votes and sums of the leaves' fractions over some of the trees.");
    module.def("find_leaves", &find_leaves, "offsets"_a, "feature"_a, "threshold"_a, "left"_a,
               "missing_left"_a, "masks"_a, "n_rows"_a, "values"_a, "rows"_a, "n_categories"_a,
               "n_threads"_a, "The leaf of each row in each tree, row after row.");
    module.def("find_proximities", &find_proximities, "leaves"_a, "n_rows"_a, "n_trees"_a,
               "n_leaves"_a, "n_neighbors"_a, "n_threads"_a,
               "The rows that share a leaf most often with each row, and how often.");
}
