// Boxes around ranges of columns, and how far a row is from them at least.
#pragma once

#include <span>

#include "neighbors/points.hpp"

namespace pucut::neighbors {

// In the coordinates of the points, moved and scaled, along a few directions that are orthonormal
// up to rounding.
struct Boxes {
    std::span<const double> directions;  // one after another
    // Of all boxes along the first direction, then along the second, and so on.
    std::span<const double> low;
    std::span<const double> high;

    [[nodiscard]] bool empty() const { return directions.empty(); }
};

// Writes for each box a number that the squared distance of the row, moved and scaled, from a point
// in it is never below, whatever is rounded. `norm` is the squared norm of the row.
void bound_boxes(const Boxes& boxes, const Points& points, RowIndex row, const Placement& placement,
                 double norm, std::span<double> bounds);

}  // namespace pucut::neighbors
