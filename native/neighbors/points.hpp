// Dense rows, the distance that they are judged by, and the same rows in low precision.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/buffer.hpp"
#include "common/index.hpp"
#include "common/interrupt.hpp"

namespace pucut::neighbors {

using RowIndex = std::int32_t;

// Rows one after another, by view, in double or in single precision. They are computed with in
// double.
class Points {
  public:
    Points(const double* wide, std::size_t n_features) : wide_(wide), n_features_(n_features) {}
    Points(const float* narrow, std::size_t n_features)
        : narrow_(narrow), n_features_(n_features) {}

    [[nodiscard]] std::size_t n_features() const { return n_features_; }

    // use(values) with the first value of a row.
    template <class Use>
    void with_row(RowIndex row, const Use& use) const {
        const std::size_t first = to<std::size_t>(row) * n_features_;
        if (wide_ != nullptr)
            use(wide_ + first);
        else
            use(narrow_ + first);
    }

  private:
    const double* wide_ = nullptr;
    const float* narrow_ = nullptr;
    std::size_t n_features_;
};

// The squared distance in the fixed order of additions that distances.py describes.
inline double squared_distance(const double* row, const Points& points, RowIndex other) {
    constexpr std::size_t kLanes = 64;
    const std::size_t n = points.n_features();
    std::array<double, kLanes> lanes{};
    points.with_row(other, [&](const auto* values) {
        const auto add = [&](std::size_t first, std::size_t n_lanes) {
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                const double difference = row[first + lane] - values[first + lane];
                lanes[lane] += difference * difference;
            }
        };
        std::size_t first = 0;
        for (; first + kLanes <= n; first += kLanes) add(first, kLanes);
        add(first, n - first);
    });
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        if (half < n)  // else the upper lanes are 0
            for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    return lanes[0];
}

// Where rows are moved and how they are scaled, so that none of the points has a norm above 1.
struct Placement {
    std::span<const double> center;
    double scale = 1.0;
};

// Rows of n_features + 1 numbers in low precision. The product of a point and a query is a lower
// bound of the squared distance, less what depends on the query alone; with the gaps of both it is
// an upper bound.
//
// The product gives |x|^2 + |y|^2 - 2 x.y up to an error of at most slack * (|x|^2 + |y|^2):
// |x| |y| <= (|x|^2 + |y|^2) / 2 turns the usual bounds on rounding into multiples of the norms. Of
// the product these are 2 (n_features + 1) roundings; of norms, sums, the points themselves and the
// bounds less than 48; 5 % for terms of second order. In double precision the exact distance rounds
// as much as the product.
template <class Real>
struct RoundedRows {
    Buffer<Real> matrix;
    Buffer<Real> gaps;
};

template <class Real>
Real slack_of(std::size_t n_features);

// Writes a row and returns its squared norm. Queries are also multiplied by -2.
template <class Real>
double round_row(const Points& points, RowIndex row, const Placement& placement, bool is_query,
                 Real* rounded);

// Writes rounded points and their gaps; `rows` are their numbers.
template <class Real>
void round_points(const Points& points, std::span<const RowIndex> rows, const Placement& placement,
                  Real* matrix, Real* gaps);

extern template float slack_of(std::size_t);
extern template double slack_of(std::size_t);
extern template double round_row(const Points&, RowIndex, const Placement&, bool, float*);
extern template double round_row(const Points&, RowIndex, const Placement&, bool, double*);
extern template void round_points(const Points&, std::span<const RowIndex>, const Placement&,
                                  float*, float*);
extern template void round_points(const Points&, std::span<const RowIndex>, const Placement&,
                                  double*, double*);

// All points in this order, in single precision. Nothing when told to stop.
std::optional<RoundedRows<float>> round_all(const Points& points, std::span<const RowIndex> order,
                                            const Placement& placement, int n_threads,
                                            Interrupt& interrupt);

}  // namespace pucut::neighbors
