// Nearest rows against all distances sorted; and many threads against one. Run under the thread
// sanitizer too.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "neighbors/nearest_rows.hpp"

using namespace pucut;
using neighbors::RowIndex;

namespace {

// Row after row of c is one of b times all of a: what the search asks for.
template <class Real>
void product(char* /*a transposed*/, char* /*b plain*/, int* m, int* n, int* k, Real* /*1*/,
             Real* a, int* lda, Real* b, int* ldb, Real* /*0*/, Real* c, int* ldc) {
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            Real sum = 0;
            for (int h = 0; h < *k; ++h) sum += a[i * *lda + h] * b[j * *ldb + h];
            c[j * *ldc + i] = sum;
        }
}

template <class Real>
struct Table {
    std::size_t n_features;
    std::vector<Real> values;

    [[nodiscard]] neighbors::Points points() const { return {values.data(), n_features}; }
    [[nodiscard]] RowIndex n_rows() const {
        return static_cast<RowIndex>(values.size() / n_features);
    }
};

// Whole numbers from 0 to most, in steps, from an offset on: ties where there are few of them.
template <class Real>
Table<Real> table_of(RowIndex n_rows, std::size_t n_features, int most, double offset,
                     std::mt19937& random) {
    Table<Real> table{n_features, {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_rows) * n_features; ++i)
        table.values.push_back(
            static_cast<Real>(offset + static_cast<double>(random() % (most + 1U))));
    return table;
}

struct Search {
    std::vector<double> center;
    double scale;
    std::vector<RowIndex> order;
    std::vector<std::int64_t> range_ends;
    std::vector<RowIndex> numbers;
    std::vector<std::int32_t> visited;
    std::size_t n_visits = 0;
    bool is_rounded_before = true;
    std::vector<double> directions = {};  // and boxes along them
    std::vector<double> low = {};
    std::vector<double> high = {};

    template <class Real>
    [[nodiscard]] std::optional<neighbors::NearestRows> run(const Table<Real>& points,
                                                            const Table<Real>& asked, std::size_t k,
                                                            int n_threads,
                                                            Interrupt& interrupt) const {
        const neighbors::Points among = points.points();
        const neighbors::Points rows = asked.points();
        const neighbors::Placement placement{center, scale};
        neighbors::RoundedRows<float> rounded;
        NoInterrupt never;
        if (is_rounded_before)
            rounded = *neighbors::round_all(among, order, placement, n_threads, never);
        return neighbors::nearest_rows({among,
                                        placement,
                                        order,
                                        rounded.matrix,
                                        rounded.gaps,
                                        range_ends,
                                        {directions, low, high}},
                                       {rows, numbers, visited, n_visits}, k,
                                       {product<float>, product<double>}, n_threads, interrupt);
    }
};

// Any centre and any power of two that takes norms below 1 will do.
Search all_columns(RowIndex n_points, RowIndex n_queries, std::size_t n_features, double offset,
                   double scale, std::mt19937& random) {
    Search search{std::vector<double>(n_features, offset), scale, {}, {}, {}, {}};
    search.order.resize(static_cast<std::size_t>(n_points));
    std::iota(search.order.begin(), search.order.end(), 0);
    std::shuffle(search.order.begin(), search.order.end(), random);
    for (std::int64_t end = 7; end < n_points; end += 1500) search.range_ends.push_back(end);
    search.range_ends.push_back(n_points);
    for (RowIndex i = 0; i < n_queries; i += 2) search.numbers.push_back(n_queries - 1 - i);
    return search;
}

// Columns by their first feature, in ranges of up to 100, with boxes along two directions: between
// the first two features, and the last one.
template <class Real>
void put_into_boxes(Search& search, const Table<Real>& points) {
    const std::size_t n = points.n_features;
    const auto value = [&](RowIndex row, std::size_t h) {
        return (static_cast<double>(points.values[static_cast<std::size_t>(row) * n + h]) -
                search.center[h]) *
               search.scale;
    };
    std::stable_sort(search.order.begin(), search.order.end(),
                     [&](RowIndex a, RowIndex b) { return value(a, 0) < value(b, 0); });
    search.range_ends.clear();
    for (std::int64_t end = 100; end < points.n_rows(); end += 100)
        search.range_ends.push_back(end);
    search.range_ends.push_back(points.n_rows());
    const bool has_third = n > 2;
    search.directions.assign(has_third ? 2 * n : n, 0.0);
    search.directions[0] = 0.6;
    search.directions[1] = 0.8;
    if (has_third) search.directions.back() = 1.0;
    for (std::size_t first = 0; first < search.directions.size(); first += n) {
        std::int64_t begin = 0;
        for (const std::int64_t end : search.range_ends) {
            std::vector<double> places;
            for (std::int64_t column = begin; column < end; ++column) {
                double place = 0.0;
                for (std::size_t h = 0; h < n; ++h)
                    place += value(search.order[static_cast<std::size_t>(column)], h) *
                             search.directions[first + h];
                places.push_back(place);
            }
            search.low.push_back(*std::min_element(places.begin(), places.end()));
            search.high.push_back(*std::max_element(places.begin(), places.end()));
            begin = end;
        }
    }
}

template <class Real>
void check_against_sorted(const Table<Real>& points, const Table<Real>& asked, const Search& search,
                          std::size_t k) {
    NoInterrupt never;
    const auto found = search.run(points, asked, k, 1, never);
    CHECK(found.has_value());
    for (std::size_t query = 0; query < search.numbers.size(); ++query) {
        std::vector<RowIndex> met;
        if (search.visited.empty()) {
            met = search.order;
        } else {
            for (std::size_t visit = 0; visit < search.n_visits; ++visit) {
                const auto range = search.visited[query * search.n_visits + visit];
                const auto first = search.order.begin();
                met.insert(met.end(), first + (range > 0 ? search.range_ends[range - 1] : 0),
                           first + search.range_ends[range]);
            }
        }
        std::vector<double> row;
        asked.points().with_row(search.numbers[query], [&](const auto* values) {
            row.assign(values, values + asked.n_features);
        });
        std::vector<std::pair<double, RowIndex>> sorted;
        for (const RowIndex other : met)
            sorted.emplace_back(neighbors::squared_distance(row.data(), points.points(), other),
                                other);
        std::sort(sorted.begin(), sorted.end());
        bool same = true;
        for (std::size_t i = 0; i < k; ++i)
            same = same && found->indices[query * k + i] == sorted[i].second &&
                   found->squared_distances[query * k + i] == sorted[i].first;
        CHECK(same);
    }
}

template <class Real>
void check_tables(std::mt19937& random) {
    struct Case {
        RowIndex n_points;
        std::size_t n_features;
        int most;
        double offset;  // of the rows
        double center;
        double scale;
    };
    // Many ties; real differences; a centre so far off that single precision is too coarse.
    for (const Case& one : {Case{300, 3, 1, 0, 0, 0.25}, Case{2100, 5, 999, 0, 500, 0x1p-12},
                            Case{900, 70, 3, 4096, 0, 0x1p-16}, Case{400, 2, 99, 0, -3e6, 0x1p-24}})
        for (const std::size_t k : {std::size_t{1}, std::size_t{9}, std::size_t{60}}) {
            const auto points =
                table_of<Real>(one.n_points, one.n_features, one.most, one.offset, random);
            const auto asked = table_of<Real>(40, one.n_features, one.most, one.offset, random);
            Search search =
                all_columns(one.n_points, 40, one.n_features, one.center, one.scale, random);
            check_against_sorted(points, asked, search, k);
            search.is_rounded_before = false;
            check_against_sorted(points, asked, search, k);
            put_into_boxes(search, points);
            check_against_sorted(points, asked, search, k);
            search.is_rounded_before = true;
            check_against_sorted(points, asked, search, k);
            // Queries so far away that the norm hides the boxes, or overflows.
            auto far = table_of<Real>(40, one.n_features, 9, 0, random);
            for (const double factor : {1e4, 1e8, 1e18, 1e130}) {
                if (factor > std::numeric_limits<Real>::max()) continue;
                for (Real& value : far.values) value *= static_cast<Real>(factor);
                check_against_sorted(points, far, search, k);
            }
        }
}

}  // namespace

TEST(the_distance_adds_in_the_order_of_its_lanes) {
    // Numbers as large as 2^54 are multiples of 4: the order of additions decides what is left of
    // small ones. Features 1, 129, 33 and 3 meet in lane 1, in this order, before lane 0 gets them.
    const std::vector<double> zeros(130, 0.0);
    std::vector<double> values(130, 0.0);
    values[0] = 0x1p27;
    values[64] = 1.0;  // in the same lane: lost
    values[1] = 1.0;
    values[33] = 1.0;
    values[3] = 2.0;
    values[129] = 1.5;
    const neighbors::Points points(values.data(), values.size());
    double lane_1 = 0.0;
    for (const double square : {1.0, 2.25, 1.0, 4.0}) lane_1 += square;
    CHECK(neighbors::squared_distance(zeros.data(), points, 0) == 0x1p54 + lane_1);
    const neighbors::Points none(values.data(), 0);
    CHECK(neighbors::squared_distance(zeros.data(), none, 0) == 0.0);
}

TEST(nearest_rows_are_those_of_all_distances_sorted) {
    std::mt19937 random(1);
    check_tables<float>(random);
    check_tables<double>(random);
}

TEST(only_ranges_that_are_visited_count) {
    std::mt19937 random(2);
    const auto points = table_of<float>(3000, 4, 30, 0, random);
    const auto asked = table_of<float>(60, 4, 30, 0, random);
    Search search = all_columns(3000, 60, 4, 15, 0x1p-6, random);
    search.range_ends.clear();
    for (std::int64_t end = 100; end <= 3000; end += 100) search.range_ends.push_back(end);
    for (const std::size_t n_visits : {1, 3, 11}) {
        search.visited.clear();
        search.n_visits = n_visits;
        for (std::size_t query = 0; query < search.numbers.size(); ++query) {
            std::vector<std::int32_t> ranges(30);
            std::iota(ranges.begin(), ranges.end(), 0);
            std::shuffle(ranges.begin(), ranges.end(), random);
            search.visited.insert(search.visited.end(), ranges.begin(),
                                  ranges.begin() + static_cast<std::ptrdiff_t>(n_visits));
        }
        check_against_sorted(points, asked, search, 20);
    }
}

TEST(a_box_is_as_far_as_its_nearest_corner_and_never_farther_than_its_points) {
    std::mt19937 random(5);
    const auto points = table_of<double>(2000, 3, 999, 0, random);
    const auto asked = table_of<double>(50, 3, 1999, -500, random);
    Search search = all_columns(2000, 50, 3, 500, 0x1p-10, random);
    put_into_boxes(search, points);
    const std::size_t n_boxes = search.range_ends.size();
    std::vector<double> bounds(n_boxes);
    for (RowIndex query = 0; query < 50; ++query) {
        const double* const row = asked.values.data() + 3 * query;
        const auto value = [&](std::size_t h) { return (row[h] - 500) * 0x1p-10; };
        const double norm = value(0) * value(0) + value(1) * value(1) + value(2) * value(2);
        neighbors::bound_boxes({search.directions, search.low, search.high}, asked.points(), query,
                               {search.center, search.scale}, norm, bounds);
        const double places[2] = {0.6 * value(0) + 0.8 * value(1), value(2)};
        for (std::size_t box = 0; box < n_boxes; ++box) {
            double wanted = 0.0;
            for (std::size_t along = 0; along < 2; ++along) {
                const double low = search.low[along * n_boxes + box];
                const double high = search.high[along * n_boxes + box];
                const double gap = places[along] - std::clamp(places[along], low, high);
                wanted += gap * gap;
            }
            CHECK(bounds[box] <= wanted && bounds[box] > wanted - 1e-11);
        }
        std::size_t box = 0;
        for (std::size_t column = 0; column < search.order.size(); ++column) {
            if (static_cast<std::int64_t>(column) == search.range_ends[box]) ++box;
            CHECK(bounds[box] <=
                  neighbors::squared_distance(row, points.points(), search.order[column]) *
                      0x1p-20);
        }
    }
}

TEST(the_number_of_threads_changes_nothing) {
    std::mt19937 random(3);
    const auto points = table_of<float>(1500, 6, 5, 0, random);
    const Search search = all_columns(1500, 1500, 6, 2, 0x1p-4, random);
    NoInterrupt never;
    const auto one = search.run(points, points, 12, 1, never);
    const auto many = search.run(points, points, 12, 5, never);
    CHECK(one && many && one->indices == many->indices);
    CHECK(one->squared_distances == many->squared_distances);
}

namespace {

class AtOnce final : public Interrupt {
  public:
    using Interrupt::requested;
    bool requested(const Progress&) override { return true; }
};

}  // namespace

TEST(there_is_no_answer_when_told_to_stop) {
    std::mt19937 random(4);
    const auto points = table_of<double>(500, 3, 9, 0, random);
    const Search search = all_columns(500, 500, 3, 4, 0x1p-4, random);
    AtOnce interrupt;
    CHECK(!search.run(points, points, 4, 2, interrupt).has_value());
}
