// The proof that levels are right, by code that shares nothing with the solver.
//
// For levels x within [lowest, highest] and a flow f with |f| <= w, primal minus dual is
//
//     sum over edges of  w |x_i - x_j| - f_ij (x_i - x_j)
//   + sum over nodes of  h_i(x_i) - min of h_i over [lowest, highest],     h_i(x) = g_i x^2 / 2 -
//   (b_i + inflow_i) x.
//
// Each term is >= 0, and all are 0 only at the optimum: then the sets { x >= level } are minimum
// cuts for every level.
#pragma once

#include <span>

#include "flow/cut_problem.hpp"

namespace pucut::flow {

struct Certificate {
    bool feasible = true;  // |f| <= w throughout
    double gap = 0.0;      // relative to the sizes of all terms of the primal, or to a thousandth
                           // of what its linear terms can be within the range, if that is more
    // Of the edges cut at the lowest level, between nodes above or at it and nodes below.
    double cut_weight = 0.0;
};

// `flow` is read along arcs from a smaller to a larger rank; `rank` is any numbering of the free
// nodes.
Certificate certify(const CutProblem& problem, std::span<const double> level,
                    std::span<const double> flow, std::span<const NodeIndex> rank);

}  // namespace pucut::flow
