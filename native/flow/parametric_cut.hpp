// Every minimum cut of a parametric network, from one flow.
//
// Divide and conquer over the levels with a single flow, in the notation of residual_network.hpp.
// The connected parts of the free nodes are the first regions, small ones some at a time. A region
// has the mean level at which its excesses sum to 0. Excess is routed to deficits inside the
// region; if all of it finds a place, the whole region has that level. Otherwise saturated arcs
// separate an upper from a lower side: they are frozen with the flow they carry, and each side is a
// region of its own. The flow that remains in the end is the dual solution.
#pragma once

#include <cstdint>
#include <vector>

#include "flow/residual_network.hpp"
#include "flow/router.hpp"

namespace pucut::flow {

struct PathCounters {
    std::int64_t free_nodes = 0;
    std::int64_t edges = 0;
    std::int64_t regions = 0;
    std::int64_t depth = 0;
    RouterCounters router;
};

struct CutLevels {
    // By original node: the highest level at which the node can be on the upper side; +inf or -inf
    // for nodes that stay above or below for all levels from lowest to highest, and for seeds.
    ZeroedBuffer<double> level;
    // The highest level below which the node has to be on the upper side: differs from `level` only
    // for nodes of slope 0, which can be tied over a range of levels. Empty if it differs nowhere.
    ZeroedBuffer<double> forced_level;
    std::vector<double> breakpoints;  // the finite levels, ascending
    std::vector<double> mass;         // total slope of the nodes at each of them

    // The dual solution: net flow along the problem's arcs from a smaller to a larger rank;
    // elsewhere 0.
    ZeroedBuffer<double> flow;
    ZeroedBuffer<NodeIndex> rank;  // by original node; -1 for seeds

    PathCounters counters;
};

struct PathOptions {
    int relaxation_rounds = 16;  // 0 starts cold: the same cuts, more slowly
    int n_threads = 1;           // no bit of the result depends on it
    // Nodes of a region that any thread may take; smaller ones stay with the thread that made them.
    NodeIndex worth_sharing = 4096;
};

// There are no levels unless the status is optimal.
struct Solution {
    Status status = Status::optimal;
    CutLevels levels;
};

Solution solve_levels(const CutProblem& problem, Interrupt& interrupt, const PathOptions& options);

}  // namespace pucut::flow
