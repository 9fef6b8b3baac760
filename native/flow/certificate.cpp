#include "flow/certificate.hpp"

#include <algorithm>
#include <cmath>

#include "common/buffer.hpp"
#include "common/index.hpp"
#include "common/prefetch.hpp"

namespace pucut::flow {
namespace {

constexpr ArcIndex kAhead = 32;  // arcs whose heads are fetched before they are needed

struct State {
    double level;   // within the range
    double supply;  // pull plus net inflow
    double lost;    // what rounding took from it (Knuth's exact sum of two numbers)
    NodeIndex rank;
    bool is_below;  // the lowest level

    void receive(double amount) {
        const double total = supply + amount;
        const double added = total - supply;
        lost += (supply - (total - added)) + (amount - added);
        supply = total;
    }
};

}  // namespace

Certificate certify(const CutProblem& problem, std::span<const double> level,
                    std::span<const double> flow, std::span<const NodeIndex> rank) {
    const std::size_t n = problem.pull.size();
    ZeroedBuffer<State> states(n);
    for (std::size_t i = 0; i < n; ++i)
        states[i] = {std::clamp(level[i], problem.lowest, problem.highest), problem.pull[i], 0.0,
                     rank[i], level[i] < problem.lowest};

    const ArcIndex n_arcs = problem.offsets[n];
    Certificate result;
    double gap = 0.0;
    double magnitude = 0.0;  // of the primal's terms, at these levels
    double pulls = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        for (ArcIndex k = problem.offsets[i]; k < problem.offsets[i + 1]; ++k) {
            if (k + kAhead < n_arcs) prefetch(&states[problem.neighbors[k + kAhead]]);
            const auto j = to<std::size_t>(problem.neighbors[k]);
            const double weight = problem.weights[k];
            if (i == j || weight == 0.0) continue;
            if (i < j && states[i].is_below != states[j].is_below) result.cut_weight += weight;
            if (problem.side[i] != Side::free) continue;
            if (problem.side[j] != Side::free) {
                const double pull = problem.side[j] == Side::source ? weight : -weight;
                states[i].receive(pull);
                magnitude += std::abs(pull * states[i].level);
                pulls += weight;
                continue;
            }
            if (states[i].rank > states[j].rank) continue;
            if (!(std::abs(flow[k]) <= weight)) result.feasible = false;
            const double rise = states[i].level - states[j].level;
            states[i].receive(-flow[k]);
            states[j].receive(flow[k]);
            gap += weight * std::abs(rise) - flow[k] * rise;
            magnitude += weight * std::abs(rise);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (problem.side[i] != Side::free) continue;
        const double slope = problem.slope[i];
        const double supply = states[i].supply + states[i].lost;
        const double unclamped = slope > 0.0 ? supply / slope : supply * HUGE_VAL;
        // 0 * infinity: without slope and supply every level is a minimum.
        const double best = std::isnan(unclamped)
                                ? states[i].level
                                : std::clamp(unclamped, problem.lowest, problem.highest);
        const double step = states[i].level - best;
        gap += step * (slope * (states[i].level + best) / 2.0 - supply);
        pulls += std::abs(problem.pull[i]);
        magnitude += slope * states[i].level * states[i].level / 2.0 +
                     std::abs(problem.pull[i] * states[i].level);
    }
    // Where all levels are near 0 so are the terms; then they are measured by what they could be.
    const double farthest = std::max(std::abs(problem.lowest), std::abs(problem.highest));
    magnitude = std::max(magnitude, 1e-3 * farthest * pulls);
    result.gap = magnitude > 0.0 ? gap / magnitude : gap;
    return result;
}

}  // namespace pucut::flow
