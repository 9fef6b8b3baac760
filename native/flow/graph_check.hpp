// Whether arrays are a symmetric graph that a cut can be computed on, and if not, where not; and
// its degrees.
#pragma once

#include <span>
#include <vector>

#include "flow/cut_problem.hpp"

namespace pucut::flow {

enum class GraphFault {
    none,
    lengths,         // no offsets at all, or not as many weights as neighbours
    offsets,         // not non-decreasing from 0 to the number of entries
    neighbor_range,  // not between 0 and the number of nodes
    neighbor_order,  // not strictly increasing within a row
    negative_weight,
    not_finite_weight,
    asymmetric,  // the mirror entry is missing or has another weight
};

struct GraphCheck {
    GraphFault fault = GraphFault::none;
    NodeIndex row = 0;
    ArcIndex place = 0;  // of the first offending entry (for offsets: of the row)
};

// Whether every place that the arrays name exists: the first three faults. Nothing that follows
// neighbours reads outside its arrays then.
GraphCheck check_places(std::span<const ArcIndex> offsets, std::span<const NodeIndex> neighbors,
                        std::size_t n_weights);

// All faults.
GraphCheck check_graph(std::span<const ArcIndex> offsets, std::span<const NodeIndex> neighbors,
                       const Weights& weights);

// The sum of the weights of every node's edges, without self-loops: added up as the solver adds up
// the pull of seeds, so that a node whose neighbours are all seeds of one side has exactly that
// pull as its degree.
std::vector<double> weighted_degrees(std::span<const ArcIndex> offsets,
                                     std::span<const NodeIndex> neighbors, const Weights& weights);

}  // namespace pucut::flow
