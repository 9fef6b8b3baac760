// Graphs and their cuts.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/buffer.hpp"
#include "common/index.hpp"
#include "define.hpp"
#include "flow/certificate.hpp"
#include "flow/graph_check.hpp"
#include "flow/neighbor_graph.hpp"
#include "flow/parametric_cut.hpp"
#include "python_interrupt.hpp"
#include "values.hpp"

using namespace nanobind::literals;

namespace pucut::bindings {
namespace {

const char* name_of(flow::GraphFault fault) {
    switch (fault) {
        case flow::GraphFault::lengths:
            return "lengths";
        case flow::GraphFault::offsets:
            return "offsets";
        case flow::GraphFault::neighbor_range:
            return "neighbor_range";
        case flow::GraphFault::neighbor_order:
            return "neighbor_order";
        case flow::GraphFault::negative_weight:
            return "negative_weight";
        case flow::GraphFault::not_finite_weight:
            return "not_finite_weight";
        case flow::GraphFault::asymmetric:
            return "asymmetric";
        case flow::GraphFault::none:
            break;
    }
    return "none";
}

// What Python keeps of a graph may have come from a file, or been changed since it was checked:
// whatever else is wrong with it, it must not lead out of its arrays.
void require_places(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                    std::size_t n_weights) {
    const flow::GraphCheck check = flow::check_places(view(offsets), view(neighbors), n_weights);
    if (check.fault != flow::GraphFault::none)
        throw nb::value_error((std::string("the arrays are no graph: ") + name_of(check.fault) +
                               ", row " + std::to_string(check.row))
                                  .c_str());
}

void require_length(std::size_t found, std::size_t wanted, const char* name) {
    if (found != wanted)
        throw nb::value_error((std::string(name) + " has " + std::to_string(found) +
                               " values for " + std::to_string(wanted) + " nodes")
                                  .c_str());
}

// What takes weights comes twice: they are of single or of double precision.
template <class Weight>
Fields check_graph(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                   const Input<Weight>& weights) {
    flow::GraphCheck check;
    {
        nb::gil_scoped_release release;
        check = flow::check_graph(view(offsets), view(neighbors), view(weights));
    }
    nb::dict result;
    result["fault"] = name_of(check.fault);
    result["row"] = check.row;
    result["place"] = check.place;
    return Fields(result);
}

template <class Weight>
Output<double> weighted_degrees(const Input<std::int64_t>& offsets,
                                const Input<std::int32_t>& neighbors,
                                const Input<Weight>& weights) {
    require_places(offsets, neighbors, weights.size());
    std::vector<double> degrees;
    {
        nb::gil_scoped_release release;
        degrees = flow::weighted_degrees(view(offsets), view(neighbors), view(weights));
    }
    return give(std::move(degrees));
}

struct Certified {
    flow::Solution solution;
    flow::Certificate certificate;
};

// Nothing when interrupted.
std::optional<Certified> solve(const flow::CutProblem& problem, const flow::PathOptions& options,
                               Interrupt& interrupt) {
    Certified result{flow::solve_levels(problem, interrupt, options), {}};
    const flow::CutLevels& levels = result.solution.levels;
    if (result.solution.status == flow::Status::interrupted) return std::nullopt;
    if (result.solution.status == flow::Status::optimal)
        result.certificate = flow::certify(problem, levels.level, levels.flow, levels.rank);
    return result;
}

nb::dict fields_of(const flow::PathCounters& counters) {
    nb::dict result;
    result["free_nodes"] = counters.free_nodes;
    result["edges"] = counters.edges;
    result["regions"] = counters.regions;
    result["depth"] = counters.depth;
    result["phases"] = counters.router.phases;
    result["scanned_arcs"] = counters.router.scanned_arcs;
    result["pushes"] = counters.router.pushes;
    return result;
}

template <class Weight>
Fields solve_levels(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                    const Input<Weight>& weights, const Input<double>& pull,
                    const Input<double>& slope, const Input<std::int8_t>& side,
                    const Fields& options) {
    require_places(offsets, neighbors, weights.size());
    const std::size_t n_nodes = offsets.size() - 1;
    require_length(pull.size(), n_nodes, "pull");
    require_length(slope.size(), n_nodes, "slope");
    require_length(side.size(), n_nodes, "side");
    // Side has the representation of int8, and its three values are all that Python sends.
    const std::span<const flow::Side> sides(reinterpret_cast<const flow::Side*>(side.data()),
                                            side.size());
    const flow::CutProblem problem{view(offsets),
                                   view(neighbors),
                                   view(weights),
                                   view(pull),
                                   view(slope),
                                   sides,
                                   field<double>(options, "lowest"),
                                   field<double>(options, "highest")};
    const flow::PathOptions path_options{field<int>(options, "relaxation_rounds"),
                                         field<int>(options, "n_threads")};
    auto [solution, certificate] = unlocked(
        nb::none(), [&](Interrupt& interrupt) { return solve(problem, path_options, interrupt); });

    nb::dict result;
    result["status"] = solution.status == flow::Status::optimal ? "optimal" : "too_large";
    result["feasible"] = certificate.feasible;
    result["gap"] = certificate.gap;
    result["cut_weight"] = certificate.cut_weight;
    result["level"] = give(std::move(solution.levels.level));
    result["forced_level"] = give(std::move(solution.levels.forced_level));
    result["breakpoints"] = give(std::move(solution.levels.breakpoints));
    result["mass"] = give(std::move(solution.levels.mass));
    result["counters"] = fields_of(solution.levels.counters);
    return Fields(result);
}

template <class Weight>
Fields symmetric_graph(const Input<std::int32_t>& listed, const Input<Weight>& weights,
                       std::size_t width) {
    if (listed.size() != weights.size() || width == 0 || listed.size() % width != 0)
        throw nb::value_error("lists do not match");
    const std::size_t n_rows = listed.size() / width;
    for (const std::int32_t other : view(listed))
        if (other < 0 || to<std::size_t>(other) >= n_rows)
            throw nb::value_error(("row " + std::to_string(other) + " is listed, and there are " +
                                   std::to_string(n_rows))
                                      .c_str());
    flow::NeighborGraph<Weight> graph;
    {
        nb::gil_scoped_release release;
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
    require_places(offsets, neighbors, neighbors.size());
    require_length(seeds.size(), offsets.size() - 1, "seeds");
    ZeroedBuffer<std::uint8_t> reached;
    {
        nb::gil_scoped_release release;
        reached = flow::reached_from(view(offsets), view(neighbors), view(seeds));
    }
    return give(std::move(reached));
}

template <class Weight>
void define_for_weights(nb::module_& module) {
    module.def("check_graph", &check_graph<Weight>, "offsets"_a, "neighbors"_a, "weights"_a,
               "Fault (or none), row and place of the first entry that keeps CSR arrays from being "
               "a symmetric graph.");
    module.def("weighted_degrees", &weighted_degrees<Weight>, "offsets"_a, "neighbors"_a,
               "weights"_a, "Sums of the rows of a checked graph, without its diagonal.");
    module.def("symmetric_graph", &symmetric_graph<Weight>, "listed"_a, "weights"_a, "width"_a,
               "Offsets, neighbours and weights of the graph of lists of neighbours.");
    module.def("solve_levels", &solve_levels<Weight>, "offsets"_a, "neighbors"_a, "weights"_a,
               "pull"_a, "slope"_a, "side"_a, "options"_a,
               "Levels of all nodes, breakpoints and certificate, for arrays that have been "
               "checked; options: lowest, highest, relaxation_rounds, n_threads.");
}

}  // namespace

void define_flow(nb::module_& module) {
    define_for_weights<double>(module);
    define_for_weights<float>(module);
    module.def("reached_from", &reached_from, "offsets"_a, "neighbors"_a, "seeds"_a,
               "1 for the nodes of a checked graph that are connected to a seed.");
}

}  // namespace pucut::bindings
