#include "neighbors/boxes.hpp"

#include <algorithm>
#include <limits>

namespace pucut::neighbors {

void bound_boxes(const Boxes& boxes, const Points& points, RowIndex row, const Placement& placement,
                 double norm, std::span<double> bounds) {
    const std::size_t n = points.n_features();
    const std::size_t n_directions = boxes.directions.size() / n;
    std::fill(bounds.begin(), bounds.end(), 0.0);
    for (std::size_t direction = 0; direction < n_directions; ++direction) {
        const double* const along = boxes.directions.data() + direction * n;
        double place = 0.0;
        points.with_row(row, [&](const auto* values) {
            for (std::size_t h = 0; h < n; ++h)
                place += (values[h] - placement.center[h]) * placement.scale * along[h];
        });
        const double* const low = boxes.low.data() + direction * bounds.size();
        const double* const high = boxes.high.data() + direction * bounds.size();
        for (std::size_t box = 0; box < bounds.size(); ++box) {
            const double gap = std::max(std::max(low[box] - place, place - high[box]), 0.0);
            bounds[box] += gap * gap;
        }
    }
    // A coordinate of a row or a box is off by at most 2 (n + 3) roundings of its norm, and points
    // have norms of at most 1. Squares, and directions that are not quite orthonormal, make that
    // less than 40 (n + 3) roundings of 1 + norm along each direction.
    const double unit = std::numeric_limits<double>::epsilon() / 2;
    const double slack =
        64 * static_cast<double>(n_directions) * static_cast<double>(n + 24) * unit * (1 + norm);
    for (double& bound : bounds) bound -= slack;
}

}  // namespace pucut::neighbors
