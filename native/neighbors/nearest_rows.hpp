// The nearest points of queries, exactly, from matrix products and bounds on their rounding.
//
// Queries visit ranges of columns: all of them, or a few, nearest ranges first. Every pair of a
// query and a column has a lower and an upper bound (points.hpp). A pair whose lower bound lies
// above k upper bounds of its query is out. The few pairs left are measured by squared_distance and
// ranked by distance and row number. A range whose columns lie in a box that is too far away need
// not be visited. Nothing in the result depends on how products were rounded: not on the library,
// the threads or the blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/buffer.hpp"
#include "common/interrupt.hpp"
#include "neighbors/boxes.hpp"
#include "neighbors/points.hpp"

namespace pucut::neighbors {

// GEMM as Fortran has it: transpositions, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc. It is
// called by several threads at once and should use no others.
template <class Real>
using Product = void (*)(char*, char*, int*, int*, int*, Real*, Real*, int*, Real*, int*, Real*,
                         Real*, int*);

struct Products {
    Product<float> narrow;
    Product<double> wide;
};

// The columns are the points in an order that may differ from theirs.
struct Columns {
    const Points& points;
    Placement placement;
    std::span<const RowIndex> order;  // the row that each column is
    // In single precision; empty where they are to be rounded whenever they are visited.
    std::span<const float> matrix;
    std::span<const float> gaps;
    std::span<const std::int64_t> range_ends;  // ascending, the last is the number of columns
    Boxes boxes;                               // one around each range, or none
};

struct Queries {
    const Points& rows;
    std::span<const RowIndex> numbers;  // of the rows that are the queries; near ones together
    // For each query as many numbers of ranges, nearest first, which have to hold k columns. Empty
    // where all ranges are visited.
    std::span<const std::int32_t> visited;
    std::size_t n_visits = 0;
};

struct NearestRows {
    Buffer<RowIndex> indices;  // k for each query, nearest first, ties by number
    Buffer<double> squared_distances;
};

// Nothing when told to stop.
std::optional<NearestRows> nearest_rows(const Columns& columns, const Queries& queries,
                                        std::size_t k, const Products& products, int n_threads,
                                        Interrupt& interrupt);

}  // namespace pucut::neighbors
