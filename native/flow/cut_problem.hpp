// The input of a parametric cut, and the words that all of flow/ uses for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pucut::flow {

using NodeIndex = std::int32_t;
using EdgeIndex = std::int32_t;  // undirected edges: up to 2^31 - 1, that is 4.29e9 directed arcs
using ArcIndex = std::int64_t;

enum class Status { optimal, interrupted, too_large };

enum class Side : std::int8_t { free = 0, source = 1, sink = -1 };

// The weights of arcs, by view, in double or in single precision. They are computed with in double.
class Weights {
  public:
    Weights() = default;
    Weights(std::span<const double> wide) : wide_(wide.data()), size_(wide.size()) {}
    Weights(std::span<const float> narrow) : narrow_(narrow.data()), size_(narrow.size()) {}
    Weights(const std::vector<double>& wide) : Weights(std::span(wide)) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] double operator[](ArcIndex k) const {
        return wide_ != nullptr ? wide_[k] : static_cast<double>(narrow_[k]);
    }
    [[nodiscard]] const void* address(ArcIndex k) const {
        return wide_ != nullptr ? static_cast<const void*>(wide_ + k) : narrow_ + k;
    }

  private:
    const double* wide_ = nullptr;
    const float* narrow_ = nullptr;
    std::size_t size_ = 0;
};

// The input, by view: a symmetric graph in canonical CSR form (rows sorted, no duplicates, finite
// weights >= 0; zeros and self-loops may be stored and mean no edge), the linear pull b - x g of
// every node, and the seeds.
struct CutProblem {
    std::span<const ArcIndex> offsets;
    std::span<const NodeIndex> neighbors;
    Weights weights;
    std::span<const double> pull;
    std::span<const double> slope;
    std::span<const Side> side;
    double lowest = 0.0;   // levels below are not told apart
    double highest = 1.0;  // levels above neither
};

}  // namespace pucut::flow
