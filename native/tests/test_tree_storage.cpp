// The same values grow the same trees, however they are stored: types, sparse columns, and the
// codes that follow from these, of one byte or two, each for one value or for several.
#include <algorithm>

#include "check.hpp"
#include "common/random.hpp"
#include "small_forests.hpp"

using namespace pucut;
using namespace pucut::trees;

namespace {

constexpr std::int32_t kRows = 6000;

Forest grow_on(const ColumnView& column) {
    std::vector<std::uint8_t> labelled(kRows);
    for (std::int32_t i = 0; i < kRows; ++i) labelled[i] = i % 7 == 0 && column.at(i) > 40 ? 1 : 0;
    const std::vector<std::int32_t> row_fold(kRows);
    const std::vector<std::int32_t> tree_fold{-1, -1};
    const std::vector<std::uint64_t> seeds{5, 6};
    const std::vector<std::int32_t> n_categories{0};
    GrowOptions options;
    options.max_candidates = 3;
    NoInterrupt never;
    return grow_forest({kRows, {column}, n_categories}, {labelled, row_fold, tree_fold, seeds},
                       options, 1, never)
        .value();
}

CodedColumn codes_of(const ColumnView& column) {
    std::vector<double> values(kRows);
    column.read(0, kRows, values.data(), 1);
    return {column, values, 0};
}

template <class T>
std::vector<T> whole_numbers(std::int32_t n_distinct) {
    Random random(3);
    std::vector<T> values(kRows);
    for (T& value : values) value = static_cast<T>(random.below(n_distinct));
    return values;
}

}  // namespace

TEST(whole_numbers_of_every_type_grow_the_same_trees) {
    // A value a code in all; two bytes for what takes eight, several values a code for the others;
    // several values a code in all.
    for (const std::int32_t n_distinct : {200, 300, 5000}) {
        const auto float64 = whole_numbers<double>(n_distinct);
        const auto float32 = whole_numbers<float>(n_distinct);
        const auto int64 = whole_numbers<std::int64_t>(n_distinct);
        const auto int32 = whole_numbers<std::int32_t>(n_distinct);
        const ColumnView wide = column_of(float64, ValueType::float64);
        const ColumnView narrow = column_of(float32, ValueType::float32);
        CHECK(codes_of(wide).wide() == (n_distinct > 200));
        CHECK(codes_of(wide).exact() == (n_distinct < 5000));
        CHECK(!codes_of(narrow).wide());
        CHECK(codes_of(narrow).exact() == (n_distinct == 200));

        const Forest wanted = grow_on(wide);
        CHECK(wanted.nodes.feature.size() > 20);
        CHECK(are_the_same(grow_on(narrow), wanted));
        CHECK(are_the_same(grow_on(column_of(int64, ValueType::int64)), wanted));
        CHECK(are_the_same(grow_on(column_of(int32, ValueType::int32)), wanted));
        if (n_distinct > 256) continue;
        const auto uint8 = whole_numbers<std::uint8_t>(n_distinct);
        CHECK(are_the_same(grow_on(column_of(uint8, ValueType::uint8)), wanted));
    }
}

TEST(missing_values_grow_the_same_trees_in_every_type) {
    for (const std::int32_t n_distinct : {200, 300, 5000}) {
        auto float64 = whole_numbers<double>(n_distinct);
        auto float32 = whole_numbers<float>(n_distinct);
        for (std::int32_t i = 0; i < kRows; i += 5) {
            float64[i] = kNaN;
            float32[i] = std::numeric_limits<float>::quiet_NaN();
        }
        const Forest wanted = grow_on(column_of(float64, ValueType::float64));
        CHECK(wanted.nodes.feature.size() > 20);
        CHECK(std::ranges::count(wanted.nodes.missing_left, 1) > 0);
        CHECK(are_the_same(grow_on(column_of(float32, ValueType::float32)), wanted));
    }
}

TEST(sparse_and_dense_columns_grow_the_same_trees) {
    auto dense = whole_numbers<double>(5000);
    std::vector<std::int32_t> rows;
    std::vector<double> stored;
    for (std::int32_t i = 0; i < kRows; ++i) {
        if (i % 3 == 0) dense[i] = 0.0;
        if (dense[i] == 0.0) continue;
        rows.push_back(i);
        stored.push_back(dense[i]);
    }
    ColumnView sparse = column_of(stored, ValueType::float64);
    sparse.sparse = true;
    sparse.sparse_rows = rows;
    const Forest wanted = grow_on(column_of(dense, ValueType::float64));
    CHECK(wanted.nodes.feature.size() > 20);
    CHECK(are_the_same(grow_on(sparse), wanted));
}
