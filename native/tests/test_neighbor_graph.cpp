#include <algorithm>
#include <random>

#include "check.hpp"
#include "flow/graph_check.hpp"
#include "flow/neighbor_graph.hpp"

using namespace pucut::flow;
using pucut::ZeroedBuffer;

namespace {

// Against a dense matrix: the larger of the lists and their mirror.
template <class Weight>
void check_against_dense(std::size_t n, std::size_t width, std::mt19937& random) {
    std::vector<NodeIndex> listed;
    std::vector<Weight> weights;
    std::vector<std::vector<Weight>> dense(n, std::vector<Weight>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<NodeIndex> others;
        for (std::size_t j = 0; j < n; ++j)
            if (j != i) others.push_back(static_cast<NodeIndex>(j));
        std::shuffle(others.begin(), others.end(), random);
        for (std::size_t k = 0; k < width; ++k) {
            const auto weight = static_cast<Weight>(random() % 4) / 2;
            const auto j = static_cast<std::size_t>(others[k]);
            listed.push_back(others[k]);
            weights.push_back(weight);
            dense[i][j] = std::max(dense[i][j], weight);
            dense[j][i] = std::max(dense[j][i], weight);
        }
    }
    const auto graph = symmetric_graph<Weight>(listed, weights, width);
    const std::span<const Weight> found(graph.weights.data(), graph.weights.size());
    CHECK(check_graph(graph.offsets, graph.neighbors, found).fault == GraphFault::none);
    std::size_t n_edges = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (const Weight weight : dense[i]) n_edges += weight > 0 ? 1 : 0;
        for (auto k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            const auto j = static_cast<std::size_t>(graph.neighbors[place]);
            CHECK(graph.weights[place] == dense[i][j] && dense[i][j] > 0);
        }
    }
    CHECK(n_edges == graph.neighbors.size());
}

}  // namespace

TEST(the_graph_of_lists_is_symmetric) {
    std::mt19937 random(1);
    for (const std::size_t n : {2, 3, 9, 40})
        for (const std::size_t width : {std::size_t{1}, std::size_t{2}, n - 1})
            if (width < n) {
                check_against_dense<float>(n, width, random);
                check_against_dense<double>(n, width, random);
            }
    const auto none = symmetric_graph<double>({}, {}, 3);
    CHECK(none.offsets == ZeroedBuffer<ArcIndex>{0});
}

TEST(what_seeds_reach) {
    const std::vector<ArcIndex> offsets{0, 1, 3, 4, 5, 6, 6};
    const std::vector<NodeIndex> neighbors{1, 0, 2, 1, 4, 3};
    const std::vector<std::uint8_t> seeds{0, 0, 1, 0, 0, 0};
    CHECK(reached_from(offsets, neighbors, seeds) ==
          ZeroedBuffer<std::uint8_t>({1, 1, 1, 0, 0, 0}));
    CHECK(reached_from(offsets, neighbors, std::vector<std::uint8_t>(6, 0)) ==
          ZeroedBuffer<std::uint8_t>(6, 0));
}
