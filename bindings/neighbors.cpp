// Nearest rows of dense tables.
#include "neighbors/nearest_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/index.hpp"
#include "define.hpp"
#include "neighbors/points.hpp"
#include "python_interrupt.hpp"
#include "values.hpp"

using namespace nanobind::literals;

namespace pucut::bindings {
namespace {

using neighbors::RowIndex;
using Table = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse(const char* why) { throw nb::value_error(why); }

neighbors::Points points_of(const Table& table) {
    const std::size_t n_features = table.shape(1);
    if (table.dtype() == nb::dtype<float>())
        return {static_cast<const float*>(table.data()), n_features};
    if (table.dtype() == nb::dtype<double>())
        return {static_cast<const double*>(table.data()), n_features};
    throw nb::type_error("rows must be of float32 or float64");
}

void require_below(std::span<const std::int32_t> numbers, std::size_t bound, const char* why) {
    for (const std::int32_t number : numbers)
        if (number < 0 || to<std::size_t>(number) >= bound) refuse(why);
}

// The points, their order and where they are moved.
struct ColumnsInput {
    explicit ColumnsInput(const nb::dict& fields)
        : table(field<Table>(fields, "points")),
          order(field<Input<RowIndex>>(fields, "order")),
          center(field<Input<double>>(fields, "center")),
          scale(field<double>(fields, "scale")),
          points(points_of(table)) {
        if (center.size() != table.shape(1)) refuse("the centre has other features");
        if (order.size() != table.shape(0)) refuse("the order has other rows");
        require_below(view(order), table.shape(0), "the order names a row that is not there");
    }

    [[nodiscard]] neighbors::Placement placement() const { return {view(center), scale}; }

    Table table;
    Input<RowIndex> order;
    Input<double> center;
    double scale;
    neighbors::Points points;
};

Fields round_points(const Fields& columns, int n_threads) {
    const ColumnsInput given(columns);
    auto rounded = unlocked(nb::none(), [&](Interrupt& interrupt) {
        return neighbors::round_all(given.points, view(given.order), given.placement(), n_threads,
                                    interrupt);
    });
    nb::dict result;
    result["matrix"] = give(std::move(rounded.matrix));
    result["gaps"] = give(std::move(rounded.gaps));
    return Fields(result);
}

// A function of scipy.linalg.cython_blas: a capsule that is named by the function's signature.
template <class Real>
neighbors::Product<Real> product_of(const nb::dict& products, const char* name, const char* type) {
    const auto capsule = field<nb::capsule>(products, name);
    const std::string signature = capsule.name() != nullptr ? capsule.name() : "";
    // Numbers of rows and columns could also be of 64 bits.
    if (!signature.starts_with("void (char *, char *, int *, int *, int *, ") ||
        signature.find(type) == std::string::npos)
        refuse("products are not those of scipy.linalg.cython_blas");
    return reinterpret_cast<neighbors::Product<Real>>(capsule.data());
}

void require_ranges(std::span<const std::int64_t> ends, std::size_t n_columns) {
    std::int64_t previous = 0;
    for (const std::int64_t end : ends) {
        if (end < previous) refuse("ranges do not ascend");
        previous = end;
    }
    if (to<std::size_t>(previous) != n_columns) refuse("ranges do not end with the columns");
}

// Every query needs k columns in the ranges that it visits.
void require_enough(const neighbors::Queries& queries, std::span<const std::int64_t> ends,
                    std::size_t n_columns, std::size_t k) {
    if (k == 0 || k > n_columns) refuse("k is not from 1 to the number of points");
    const std::size_t width = queries.n_visits;
    for (std::size_t first = 0; first < queries.visited.size(); first += width) {
        std::int64_t n_met = 0;
        for (const std::int32_t range : queries.visited.subspan(first, width))
            n_met += ends[range] - (range > 0 ? ends[range - 1] : 0);
        if (to<std::size_t>(n_met) < k) refuse("a query visits fewer than k columns");
    }
}

Fields nearest_rows(const Fields& columns, const Fields& queries, const Fields& products,
                    std::size_t k, int n_threads) {
    const ColumnsInput given(columns);
    const neighbors::Products called{product_of<float>(products, "sgemm", "_s *"),
                                     product_of<double>(products, "dgemm", "_d *")};
    const auto matrix = field<Input<float>>(columns, "matrix");
    const auto gaps = field<Input<float>>(columns, "gaps");
    const auto range_ends = field<Input<std::int64_t>>(columns, "range_ends");
    // Boxes around the ranges, or empty.
    const auto directions = field<Input<double>>(columns, "directions");
    const auto low = field<Input<double>>(columns, "low");
    const auto high = field<Input<double>>(columns, "high");
    const auto rows = field<Table>(queries, "rows");
    const auto numbers = field<Input<RowIndex>>(queries, "numbers");
    const auto visited = field<Input<std::int32_t>>(queries, "visited");
    const std::size_t n_columns = given.table.shape(0);
    const std::size_t n_queries = numbers.size();
    const neighbors::Points asked = points_of(rows);
    if (rows.shape(1) != given.table.shape(1)) refuse("the queries have other features");
    if (matrix.size() != gaps.size() * (rows.shape(1) + 1)) refuse("rounded rows and gaps");
    if (gaps.size() != 0 && gaps.size() != n_columns) refuse("rounded rows are not the points");
    require_below(view(numbers), rows.shape(0), "a query is a row that is not there");
    require_ranges(view(range_ends), n_columns);
    if (n_queries == 0 || visited.size() % n_queries != 0) refuse("visits of the queries");
    require_below(view(visited), range_ends.size(), "a query visits a range that is not there");
    const neighbors::Queries searched{asked, view(numbers), view(visited),
                                      visited.size() / n_queries};
    require_enough(searched, view(range_ends), n_columns, k);
    // A direction has a number for each feature, and two for each box.
    if (directions.size() * range_ends.size() != low.size() * rows.shape(1) ||
        low.size() != high.size() || low.size() % range_ends.size() != 0)
        refuse("boxes are not those of the ranges");
    const neighbors::Columns among{given.points,
                                   given.placement(),
                                   view(given.order),
                                   view(matrix),
                                   view(gaps),
                                   view(range_ends),
                                   {view(directions), view(low), view(high)}};
    auto found = unlocked(nb::none(), [&](Interrupt& interrupt) {
        return neighbors::nearest_rows(among, searched, k, called, n_threads, interrupt);
    });
    nb::dict result;
    result["indices"] = give(std::move(found.indices));
    result["squared_distances"] = give(std::move(found.squared_distances));
    return Fields(result);
}

}  // namespace

void define_neighbors(nb::module_& module) {
    module.def("round_points", &round_points, "columns"_a, "n_threads"_a,
               "Points in their order in single precision, and the gaps of their bounds. Columns "
               "are points, order, center, scale.");
    module.def("nearest_rows", &nearest_rows, "columns"_a, "queries"_a, "products"_a, "k"_a,
               "n_threads"_a,
               "The k nearest points of each query. Columns also are matrix, gaps (empty, or from "
               "round_points), range_ends; queries rows, numbers, visited; products sgemm and "
               "dgemm of scipy.linalg.cython_blas.");
}

}  // namespace pucut::bindings
