#include "flow/neighbor_graph.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/index.hpp"
#include "common/prefetch.hpp"

namespace pucut::flow {
namespace {

constexpr std::size_t kAhead = 16;  // entries fetched before they are needed

}  // namespace

template <class Weight>
NeighborGraph<Weight> symmetric_graph(std::span<const NodeIndex> listed,
                                      std::span<const Weight> weights, std::size_t width) {
    const std::size_t n = width > 0 ? listed.size() / width : 0;
    // The weight that `row` gives to `other`, 0 if it does not list it.
    const auto weight_of = [&](std::size_t row, std::size_t other) {
        for (std::size_t k = row * width; k < (row + 1) * width; ++k)
            if (to<std::size_t>(listed[k]) == other) return weights[k];
        return Weight{0};
    };
    const auto each_listed = [&](const auto& take) {
        for (std::size_t row = 0; row < n; ++row)
            for (std::size_t k = row * width; k < (row + 1) * width; ++k) {
                if (k + kAhead < listed.size())
                    prefetch(listed.data() + to<std::size_t>(listed[k + kAhead]) * width);
                if (weights[k] > 0) take(row, to<std::size_t>(listed[k]), k);
            }
    };

    NeighborGraph<Weight> graph;
    graph.offsets.assign(n + 1, 0);
    std::vector<bool> is_mutual(listed.size());
    each_listed([&](std::size_t row, std::size_t other, std::size_t k) {
        ++graph.offsets[row + 1];
        is_mutual[k] = weight_of(other, row) > 0;
        if (!is_mutual[k]) ++graph.offsets[other + 1];
    });
    for (std::size_t row = 0; row < n; ++row) graph.offsets[row + 1] += graph.offsets[row];

    graph.neighbors.resize(to<std::size_t>(graph.offsets[n]));
    graph.weights.resize(graph.neighbors.size());
    ZeroedBuffer<NodeIndex> n_filled(n, 0);
    const auto add = [&](std::size_t row, std::size_t other, Weight weight) {
        const auto place = to<std::size_t>(graph.offsets[row] + n_filled[row]++);
        graph.neighbors[place] = to<NodeIndex>(other);
        graph.weights[place] = weight;
    };
    each_listed([&](std::size_t row, std::size_t other, std::size_t k) {
        if (is_mutual[k] && row > other) return;  // added when it was the other's turn
        const Weight weight =
            is_mutual[k] ? std::max(weights[k], weight_of(other, row)) : weights[k];
        add(row, other, weight);
        add(other, row, weight);
    });

    std::vector<std::pair<NodeIndex, Weight>> entries;
    for (std::size_t row = 0; row < n; ++row) {
        const auto begin = to<std::size_t>(graph.offsets[row]);
        const auto end = to<std::size_t>(graph.offsets[row + 1]);
        entries.clear();
        for (std::size_t k = begin; k < end; ++k)
            entries.emplace_back(graph.neighbors[k], graph.weights[k]);
        std::ranges::sort(entries, {}, &std::pair<NodeIndex, Weight>::first);
        for (std::size_t k = begin; k < end; ++k)
            std::tie(graph.neighbors[k], graph.weights[k]) = entries[k - begin];
    }
    return graph;
}

template NeighborGraph<float> symmetric_graph(std::span<const NodeIndex>, std::span<const float>,
                                              std::size_t);
template NeighborGraph<double> symmetric_graph(std::span<const NodeIndex>, std::span<const double>,
                                               std::size_t);

ZeroedBuffer<std::uint8_t> reached_from(std::span<const ArcIndex> offsets,
                                        std::span<const NodeIndex> neighbors,
                                        std::span<const std::uint8_t> seeds) {
    ZeroedBuffer<std::uint8_t> reached(seeds.size(), 0);
    std::vector<NodeIndex> waiting;
    for (std::size_t i = 0; i < seeds.size(); ++i)
        if (seeds[i] != 0) {
            reached[i] = 1;
            waiting.push_back(to<NodeIndex>(i));
        }
    while (!waiting.empty()) {
        const auto node = to<std::size_t>(waiting.back());
        waiting.pop_back();
        const auto begin = to<std::size_t>(offsets[node]);
        const auto end = to<std::size_t>(offsets[node + 1]);
        for (std::size_t k = begin; k < end; ++k) {
            std::uint8_t& other = reached[neighbors[k]];
            if (other != 0) continue;
            other = 1;
            waiting.push_back(neighbors[k]);
        }
    }
    return reached;
}

}  // namespace pucut::flow
