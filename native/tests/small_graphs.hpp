// Small random problems and the simplest solver there is: all subsets.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "flow/parametric_cut.hpp"

namespace pucut::check {

struct SmallGraph {
    std::vector<flow::ArcIndex> offsets{0};
    std::vector<flow::NodeIndex> neighbors;
    std::vector<double> weights;
    std::vector<double> pull;
    std::vector<double> slope;
    std::vector<flow::Side> side;
    double lowest = 0.0;
    double highest = 1.0;

    [[nodiscard]] flow::CutProblem problem() const {
        return {offsets, neighbors, weights, pull, slope, side, lowest, highest};
    }
    [[nodiscard]] int n_nodes() const { return static_cast<int>(pull.size()); }
};

// From a dense symmetric matrix of weights.
inline void set_edges(SmallGraph& graph, const std::vector<std::vector<double>>& weights) {
    for (const auto& row : weights) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            if (row[column] == 0.0) continue;
            graph.neighbors.push_back(static_cast<flow::NodeIndex>(column));
            graph.weights.push_back(row[column]);
        }
        graph.offsets.push_back(static_cast<flow::ArcIndex>(graph.neighbors.size()));
    }
}

// Integers throughout, so that values of cuts are exact; zeros of every kind are common.
inline SmallGraph random_small_graph(std::mt19937& random, int largest = 7) {
    const auto below = [&](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    SmallGraph graph;
    const auto n = static_cast<std::size_t>(1 + below(largest));
    std::vector<std::vector<double>> weights(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) weights[i][j] = weights[j][i] = below(2) * below(6);
    set_edges(graph, weights);
    const bool may_be_flat = below(2) == 0;
    for (std::size_t i = 0; i < n; ++i) {
        graph.pull.push_back(below(13) - 4);
        graph.slope.push_back(may_be_flat ? below(4) : 1 + below(8));
        const int draw = below(8);
        graph.side.push_back(draw == 0   ? flow::Side::source
                             : draw == 1 ? flow::Side::sink
                                         : flow::Side::free);
    }
    graph.lowest = below(3) - 1;
    graph.highest = graph.lowest + below(4);
    return graph;
}

// Cost of the upper side given by the bits of `subset`, up to a constant; infinite against a seed.
inline double cut_cost(const SmallGraph& graph, std::uint32_t subset, double level) {
    double cost = 0.0;
    for (std::size_t i = 0; i < graph.pull.size(); ++i) {
        const bool is_upper = ((subset >> i) & 1u) != 0;
        if (graph.side[i] == (is_upper ? flow::Side::sink : flow::Side::source))
            return std::numeric_limits<double>::infinity();
        if (is_upper) cost -= graph.pull[i] - level * graph.slope[i];
        for (auto k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
            const auto j = static_cast<std::size_t>(graph.neighbors[k]);
            const bool other_is_upper = ((subset >> j) & 1u) != 0;
            if (i < j && is_upper != other_is_upper) cost += graph.weights[k];
        }
    }
    return cost;
}

// The largest and the smallest of the cheapest upper sides.
struct Extremes {
    std::uint32_t largest = 0;
    std::uint32_t smallest = 0;
    double cost = std::numeric_limits<double>::infinity();
};

inline Extremes cheapest(const SmallGraph& graph, double level) {
    Extremes result;
    for (std::uint32_t subset = 0; subset < 1u << graph.pull.size(); ++subset) {
        const double cost = cut_cost(graph, subset, level);
        if (cost < result.cost)
            result = {subset, subset, cost};
        else if (cost == result.cost) {
            result.largest |= subset;  // cheapest sides are closed under union and intersection
            result.smallest &= subset;
        }
    }
    return result;
}

}  // namespace pucut::check
