#include "neighbors/points.hpp"

#include <limits>
#include <type_traits>

#include "common/jobs.hpp"

namespace pucut::neighbors {

template <class Real>
Real slack_of(std::size_t n_features) {
    const double unit = static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
    const double slack = 2.1 * static_cast<double>(n_features + 24) * unit;
    return static_cast<Real>(std::is_same_v<Real, double> ? 2 * slack : slack);
}

template <class Real>
double round_row(const Points& points, RowIndex row, const Placement& placement, bool is_query,
                 Real* rounded) {
    const std::size_t n = points.n_features();
    points.with_row(row, [&](const auto* values) {
        for (std::size_t h = 0; h < n; ++h)
            rounded[h] = static_cast<Real>((values[h] - placement.center[h]) * placement.scale);
    });
    constexpr std::size_t kLanes = 8;  // sums that do not wait for each other
    std::array<double, kLanes> sums{};
    for (std::size_t first = 0; first < n; first += kLanes)
        for (std::size_t lane = 0; lane < std::min(kLanes, n - first); ++lane) {
            const double value = rounded[first + lane];
            sums[lane] += value * value;
        }
    double norm = 0.0;
    for (const double sum : sums) norm += sum;
    if (is_query)
        for (std::size_t h = 0; h < n; ++h) rounded[h] *= Real{-2};
    return norm;
}

template <class Real>
void round_points(const Points& points, std::span<const RowIndex> rows, const Placement& placement,
                  Real* matrix, Real* gaps) {
    const std::size_t width = points.n_features() + 1;
    const Real slack = slack_of<Real>(points.n_features());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Real* const rounded = matrix + i * width;
        const auto norm = static_cast<Real>(round_row(points, rows[i], placement, false, rounded));
        rounded[width - 1] = norm * (1 - slack);
        gaps[i] = norm * (2 * slack);
    }
}

template float slack_of(std::size_t);
template double slack_of(std::size_t);
template double round_row(const Points&, RowIndex, const Placement&, bool, float*);
template double round_row(const Points&, RowIndex, const Placement&, bool, double*);
template void round_points(const Points&, std::span<const RowIndex>, const Placement&, float*,
                           float*);
template void round_points(const Points&, std::span<const RowIndex>, const Placement&, double*,
                           double*);

std::optional<RoundedRows<float>> round_all(const Points& points, std::span<const RowIndex> order,
                                            const Placement& placement, int n_threads,
                                            Interrupt& interrupt) {
    constexpr std::size_t kRowsInJob = 512;
    const std::size_t width = points.n_features() + 1;
    RoundedRows<float> rounded;
    rounded.matrix.resize(order.size() * width);
    rounded.gaps.resize(order.size());
    const auto n_jobs = to<std::int64_t>((order.size() + kRowsInJob - 1) / kRowsInJob);
    const bool complete = run_jobs(n_jobs, n_threads, interrupt, [&] {
        return [&](std::int64_t job, Interrupt&) {
            const std::size_t first = to<std::size_t>(job) * kRowsInJob;
            round_points(points, order.subspan(first, std::min(kRowsInJob, order.size() - first)),
                         placement, rounded.matrix.data() + first * width,
                         rounded.gaps.data() + first);
        };
    });
    if (!complete) return std::nullopt;
    return rounded;
}

}  // namespace pucut::neighbors
