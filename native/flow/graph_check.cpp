#include "flow/graph_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/compensated_sum.hpp"
#include "common/index.hpp"
#include "common/random.hpp"

namespace pucut::flow {
namespace {

std::uint64_t fingerprint(NodeIndex smaller, NodeIndex larger, double weight) {
    const auto pair = (to<std::uint64_t>(smaller) << 32) | to<std::uint64_t>(larger);
    return mix_bits(mix_bits(pair) ^ std::bit_cast<std::uint64_t>(weight));
}

double mirror_weight(std::span<const ArcIndex> offsets, std::span<const NodeIndex> neighbors,
                     const Weights& weights, NodeIndex row, NodeIndex column) {
    const auto begin = neighbors.begin() + offsets[column];
    const auto end = neighbors.begin() + offsets[column + 1];
    const auto found = std::lower_bound(begin, end, row);
    return found != end && *found == row ? weights[found - neighbors.begin()] : 0.0;
}

}  // namespace

GraphCheck check_places(std::span<const ArcIndex> offsets, std::span<const NodeIndex> neighbors,
                        std::size_t n_weights) {
    if (offsets.empty() || n_weights != neighbors.size()) return {GraphFault::lengths, 0, 0};
    const auto n = to<NodeIndex>(offsets.size() - 1);
    if (offsets[0] != 0) return {GraphFault::offsets, 0, 0};
    for (NodeIndex row = 0; row < n; ++row)
        if (offsets[row + 1] < offsets[row]) return {GraphFault::offsets, row, offsets[row]};
    if (offsets[n] != to<ArcIndex>(neighbors.size())) return {GraphFault::offsets, n, offsets[n]};
    const auto outside = std::ranges::find_if(
        neighbors, [n](NodeIndex column) { return column < 0 || column >= n; });
    if (outside == neighbors.end()) return {};
    const ArcIndex place = outside - neighbors.begin();
    const auto row = std::ranges::upper_bound(offsets, place) - offsets.begin() - 1;
    return {GraphFault::neighbor_range, to<NodeIndex>(row), place};
}

GraphCheck check_graph(std::span<const ArcIndex> offsets, std::span<const NodeIndex> neighbors,
                       const Weights& weights) {
    const GraphCheck places = check_places(offsets, neighbors, weights.size());
    if (places.fault != GraphFault::none) return places;
    const auto n = to<NodeIndex>(offsets.size() - 1);

    // Symmetric if the entries above the diagonal are those below it: compared by the sums of their
    // fingerprints, which needs one pass in the order of memory. Unequal entries have equal sums
    // with probability 2^-64.
    std::uint64_t balance = 0;
    for (NodeIndex row = 0; row < n; ++row) {
        NodeIndex previous = -1;
        for (ArcIndex k = offsets[row]; k < offsets[row + 1]; ++k) {
            const NodeIndex column = neighbors[k];
            const double weight = weights[k];
            if (column <= previous) return {GraphFault::neighbor_order, row, k};
            if (weight < 0.0) return {GraphFault::negative_weight, row, k};
            if (!std::isfinite(weight)) return {GraphFault::not_finite_weight, row, k};
            previous = column;
            if (weight == 0.0 || column == row) continue;
            if (row < column)
                balance += fingerprint(row, column, weight);
            else
                balance -= fingerprint(column, row, weight);
        }
    }
    if (balance == 0) return {};
    for (NodeIndex row = 0; row < n; ++row)
        for (ArcIndex k = offsets[row]; k < offsets[row + 1]; ++k)
            if (weights[k] != mirror_weight(offsets, neighbors, weights, row, neighbors[k]))
                return {GraphFault::asymmetric, row, k};
    return {};
}

std::vector<double> weighted_degrees(std::span<const ArcIndex> offsets,
                                     std::span<const NodeIndex> neighbors, const Weights& weights) {
    std::vector<double> degrees(offsets.size() - 1);
    for (std::size_t row = 0; row < degrees.size(); ++row) {
        CompensatedSum sum;
        for (ArcIndex k = offsets[row]; k < offsets[row + 1]; ++k)
            if (to<std::size_t>(neighbors[k]) != row) sum.add(weights[k]);
        degrees[row] = sum.value();
    }
    return degrees;
}

}  // namespace pucut::flow
