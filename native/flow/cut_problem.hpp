// The input of a parametric cut, and the words that all of flow/ uses for it.
#pragma once

#include <cstdint>
#include <span>

namespace pucut::flow {

using NodeIndex = std::int32_t;
using EdgeIndex = std::int32_t;  // undirected edges: up to 2^31 - 1, that is 4.29e9 directed arcs
using ArcIndex = std::int64_t;

enum class Status : std::int32_t { optimal = 0, interrupted = 1, too_large = 2 };

enum class Side : std::int8_t { free = 0, source = 1, sink = -1 };

// Polled while working; answering true ends the work with Status::interrupted.
class Interrupt {
  public:
    virtual ~Interrupt() = default;
    virtual bool requested() = 0;
};

// The input, by view: a symmetric graph in canonical CSR form (rows sorted, no duplicates, finite
// weights >= 0; zeros and self-loops may be stored and mean no edge), the linear pull b - x g of
// every node, and the seeds.
struct CutProblem {
    std::span<const ArcIndex> offsets;
    std::span<const NodeIndex> neighbors;
    std::span<const double> weights;
    std::span<const double> pull;
    std::span<const double> slope;
    std::span<const Side> side;
    double lowest = 0.0;   // levels below are not told apart
    double highest = 1.0;  // levels above neither
};

}  // namespace pucut::flow
