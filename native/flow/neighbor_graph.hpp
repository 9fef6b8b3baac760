// From lists of neighbours to a symmetric graph, in no more memory than the graph itself; and what
// of a graph can be reached.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/buffer.hpp"
#include "flow/cut_problem.hpp"

namespace pucut::flow {

template <class Weight>
struct NeighborGraph {
    ZeroedBuffer<ArcIndex> offsets;
    Buffer<NodeIndex> neighbors;
    Buffer<Weight> weights;
};

// Row after row, `width` neighbours each, with a weight for each of them; no row lists itself or
// another one twice. An edge joins two rows if either lists the other with a weight above 0; where
// both do, the larger weight counts. Rows of the result are sorted.
template <class Weight>
NeighborGraph<Weight> symmetric_graph(std::span<const NodeIndex> listed,
                                      std::span<const Weight> weights, std::size_t width);

extern template NeighborGraph<float> symmetric_graph(std::span<const NodeIndex>,
                                                     std::span<const float>, std::size_t);
extern template NeighborGraph<double> symmetric_graph(std::span<const NodeIndex>,
                                                      std::span<const double>, std::size_t);

// 1 for nodes that are connected to a seed (not 0 in `seeds`), seeds included.
ZeroedBuffer<std::uint8_t> reached_from(std::span<const ArcIndex> offsets,
                                        std::span<const NodeIndex> neighbors,
                                        std::span<const std::uint8_t> seeds);

}  // namespace pucut::flow
