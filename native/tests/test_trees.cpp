// Trees from inside: the sanitizers watch, and what is checked needs no second implementation.
// Node for node they are compared with a slow tree in the Python tests.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "check.hpp"
#include "common/random.hpp"
#include "small_forests.hpp"
#include "trees/columns.hpp"
#include "trees/forest.hpp"
#include "trees/forest_check.hpp"
#include "trees/proximity.hpp"
#include "trees/risk.hpp"

using namespace pucut;
using namespace pucut::trees;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Patient final : public Interrupt {
  public:
    bool requested(const Progress& progress) override {
        last = progress;
        return stop;
    }
    bool stop = false;
    Progress last;
};

// Columns of numbers with a few distinct values, with many, with categories, and missing ones.
struct Example {
    explicit Example(std::int32_t n_rows, std::uint64_t seed = 1)
        : values(4, std::vector<double>(static_cast<std::size_t>(n_rows))),
          labelled(static_cast<std::size_t>(n_rows)),
          row_fold(static_cast<std::size_t>(n_rows)) {
        Random random(seed);
        for (std::size_t i = 0; i < labelled.size(); ++i) {
            values[0][i] = random.below(5);
            values[1][i] = random.unit() - 0.5;
            values[2][i] = random.below(6) == 0 ? kNaN : random.below(70);
            values[3][i] = random.below(3) == 0 ? kNaN : random.unit();
            labelled[i] = values[0][i] > 1 && random.below(2) == 0 ? 1 : 0;
            row_fold[i] = random.below(3);
        }
        labelled[0] = 1;
        labelled[1] = 0;
        table.n_rows = n_rows;
        table.n_categories = n_categories;
        for (const auto& column : values)
            table.columns.push_back(column_of(column, ValueType::float64));
    }
    Example(const Example&) = delete;

    std::vector<std::vector<double>> values;
    std::vector<std::int32_t> n_categories{0, 0, 70, 0};
    std::vector<std::uint8_t> labelled;
    std::vector<std::int32_t> row_fold;
    Table table;
};

Forest grow(const Example& example, const GrowOptions& options, int n_threads,
            const std::vector<std::int32_t>& tree_fold) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < tree_fold.size(); ++i) seeds.push_back(17 * i);
    NoInterrupt never;
    auto forest = grow_forest(example.table, {example.labelled, example.row_fold, tree_fold, seeds},
                              options, n_threads, never);
    CHECK(forest.has_value());
    return *std::move(forest);
}

}  // namespace

TEST(random_numbers_are_those_of_the_published_generator) {
    // From the seed 0: splitmix64 gives the state, whose first word is well known.
    Random random(0);
    const std::uint64_t first = random.bits();
    const auto rotate = [](std::uint64_t word, int by) { return word << by | word >> (64 - by); };
    const std::uint64_t state0 = 0xe220a8397b1dcdafU;
    const std::uint64_t state3 = 0xf88bb8a8724c81ecU;
    CHECK(first == rotate(state0 + state3, 23) + state0);
}

TEST(risks_of_small_nodes) {
    const Criterion nnpu(Risk::nnpu, Loss::quadratic, 0.5, true, {4, 12});
    const Criterion upu(Risk::upu, Loss::quadratic, 0.5, true, {4, 12});
    const Criterion logistic(Risk::upu, Loss::logistic, 0.5, true, {4, 12});
    const Criterion apart(Risk::upu, Loss::quadratic, 0.5, false, {4, 12});
    const Criterion pn(Risk::pn, Loss::logistic, 0.5, true, {4, 12});
    // W_p = 1/8 and W = 1/4, so v = 1/2.
    CHECK_NEAR(nnpu.node_risk({1, 3}), 0.25, 1e-15);
    CHECK_NEAR(logistic.node_risk({1, 3}), 0.25 * std::log(2.0), 1e-15);
    CHECK_NEAR(nnpu.fraction({1, 3}), 0.5, 1e-15);
    // W_p = 1/4 and W = 3/16: more positives than rows.
    CHECK(nnpu.node_risk({2, 1}) == 0);
    CHECK_NEAR(upu.node_risk({2, 1}), 4 * 0.25 * (-1.0 / 16) / (3.0 / 16), 1e-15);
    CHECK(logistic.node_risk({2, 1}) == -kInfinity);
    CHECK(apart.node_risk({2, 0}) == -kInfinity);
    CHECK(apart.fraction({2, 0}) == kInfinity);
    CHECK(apart.fraction({0, 2}) == 0);
    CHECK_NEAR(pn.node_risk({1, 3}), 0.25 * std::log(2.0), 1e-15);
    CHECK(nnpu.is_final({2, 1}, 0.0));
    CHECK(!upu.is_final({2, 1}, upu.node_risk({2, 1})));
    CHECK(nnpu.is_final({0, 3}, 0.0));
}

TEST(codes_keep_the_order_of_the_values) {
    for (const std::int32_t n_rows : {2, 300, 5000}) {
        const Example example(n_rows);
        NoInterrupt never;
        const std::vector<CodedColumn> coded = code_columns(example.table, 2, never).value();
        for (std::size_t j = 0; j < coded.size(); ++j) {
            const CodedColumn& column = coded[j];
            bool right = true;
            for (std::size_t i = 0; i < example.labelled.size(); ++i) {
                const double value = example.values[j][i];
                const std::uint32_t code = column.wide() ? column.codes<std::uint16_t>()[i]
                                                         : column.codes<std::uint8_t>()[i];
                if (std::isnan(value))
                    right &= column.has_missing() && code == column.missing_code();
                else if (column.exact())
                    right &= column.cuts()[code] == value;
                else
                    right &= (code == column.cuts().size() || value <= column.cuts()[code]) &&
                             (code == 0 || column.cuts()[code - 1] < value);
                right &= std::isnan(value) || column.value(static_cast<std::int32_t>(i)) == value;
            }
            CHECK(right);
        }
    }
}

TEST(a_byte_holds_256_values_but_one_less_beside_missing_ones) {
    std::vector<double> values;
    for (int i = 0; i < 256; ++i) values.push_back(i);
    const CodedColumn full(column_of(values, ValueType::float64), values, 0);
    CHECK(full.exact() && !full.wide() && full.codes<std::uint8_t>()[255] == 255);
    values.push_back(kNaN);
    const CodedColumn beyond(column_of(values, ValueType::float64), values, 0);
    CHECK(!beyond.exact());
    values.erase(values.begin());
    const CodedColumn just(column_of(values, ValueType::float64), values, 0);
    CHECK(just.exact() && just.codes<std::uint8_t>()[255] == 255 && just.cuts().size() == 255);
}

TEST(sparse_columns_read_as_dense_ones) {
    const std::vector<std::int32_t> rows{1, 4, 5};
    const std::vector<float> stored{2.0F, -1.0F, 7.0F};
    ColumnView view = column_of(stored, ValueType::float32);
    view.sparse = true;
    view.sparse_rows = rows;
    const std::vector<double> wanted{0, 2, 0, 0, -1, 7, 0};
    for (std::int32_t i = 0; i < 7; ++i) CHECK(view.at(i) == wanted[i]);
    std::vector<double> read(6, 9.0);
    view.read(4, 3, read.data(), 2);
    CHECK(read == std::vector<double>({-1, 9, 7, 9, 0, 9}));
}

TEST(forests_do_not_depend_on_the_number_of_threads) {
    const Example example(800);
    const std::vector<std::int32_t> folds{-1, 0, 1, 2, -1};
    GrowOptions options;
    options.max_features = 2;
    options.max_candidates = 2;
    const Forest one = grow(example, options, 1, folds);
    const Forest many = grow(example, options, 4, folds);
    CHECK(are_the_same(one, many));

    // Every row ends in a leaf, in both ways of walking.
    NoInterrupt never;
    const auto leaves = find_leaves(view_of(one), example.table, 2, never).value();
    CHECK(leaves.size() == 800 * folds.size());
    bool all_leaves = true;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const std::int64_t node = one.offsets[i % folds.size()] + leaves[i];
        all_leaves &= one.nodes.feature[node] == -1;
    }
    CHECK(all_leaves);
    const RowScores scores = score_rows(view_of(one), 0, 5, example.table, 2, never).value();
    CHECK(scores.votes.size() == 800);

    // Few rows, whose nodes are checked on the way, have the same scores to the bit.
    const FewScores few = score_few_rows(view_of(one), 0, 5, example.table);
    CHECK(few.check.fault == ForestFault::none);
    CHECK(few.scores.votes == scores.votes);
    CHECK(few.scores.fractions == scores.fractions);
    Forest spoiled = one;
    spoiled.nodes.left[spoiled.offsets[3]] = 0;
    const FewScores stopped = score_few_rows(view_of(spoiled), 0, 5, example.table);
    CHECK(stopped.check.fault == ForestFault::child);
    CHECK(stopped.check.tree == 3 && stopped.check.node == 0);
    CHECK(score_few_rows(view_of(spoiled), 0, 3, example.table).check.fault == ForestFault::none);

    const auto near = find_proximities({leaves, 800, 5, 800}, 3, 2, never).value();
    for (std::size_t i = 0; i < 800; ++i)
        CHECK(near.neighbors[3 * i] != static_cast<std::int32_t>(i));
}

TEST(a_tree_of_a_sample_has_no_more_rows_than_it_may) {
    const Example example(800);
    const std::vector<std::int32_t> folds{-1, 0, 1, 0};
    GrowOptions options;
    options.max_rows = 60;
    const Forest one = grow(example, options, 1, folds);
    const Forest many = grow(example, options, 4, folds);
    CHECK(are_the_same(one, many));
    // A tree of m leaves has at least as many rows.
    for (std::size_t tree = 0; tree < folds.size(); ++tree)
        CHECK((one.offsets[tree + 1] - one.offsets[tree] + 1) / 2 <= 60);
    options.max_rows = 800;
    const Forest all = grow(example, options, 1, folds);
    options.max_rows = 0;
    CHECK(are_the_same(all, grow(example, options, 1, folds)));
    CHECK(all.nodes.feature.size() > one.nodes.feature.size());
}

TEST(the_rows_of_a_tree_can_be_drawn_before_it_is_grown) {
    const Example example(800);
    const std::vector<std::int32_t> folds{-1, 0};
    const std::vector<std::uint64_t> seeds{0, 17};
    constexpr std::int32_t kDrawn = 60;
    const auto rows = rows_of_trees({example.labelled, example.row_fold, folds, seeds}, kDrawn);
    CHECK(rows.size() == 2 * kDrawn);
    GrowOptions options;
    options.max_features = 2;
    options.max_rows = kDrawn;
    const Forest wanted = grow(example, options, 1, folds);
    for (std::size_t tree = 0; tree < 2; ++tree) {
        const auto drawn = std::span(rows).subspan(tree * kDrawn, kDrawn);
        // Each row once, labelled ones first, none of the tree's own fold, and in proportion.
        const auto is_labelled = [&](std::int32_t row) { return example.labelled[row] != 0; };
        const auto first_other = std::ranges::find_if_not(drawn, is_labelled);
        CHECK(std::none_of(first_other, drawn.end(), is_labelled));
        for (const auto part :
             {drawn.first(first_other - drawn.begin()), drawn.subspan(first_other - drawn.begin())})
            CHECK(std::ranges::adjacent_find(part, std::greater_equal<>()) == part.end());
        CHECK(std::ranges::none_of(
            drawn, [&](std::int32_t row) { return example.row_fold[row] == folds[tree]; }));
        const auto share = static_cast<double>(std::ranges::count(example.labelled, 1)) / 800;
        CHECK_NEAR(static_cast<double>(first_other - drawn.begin()), kDrawn * share, 5.0);

        // Grown on these rows alone, it is the same tree.
        std::vector<std::vector<double>> values(4);
        Table table;
        table.n_rows = kDrawn;
        table.n_categories = example.n_categories;
        std::vector<std::uint8_t> labelled;
        for (const std::int32_t row : drawn) labelled.push_back(example.labelled[row]);
        for (std::size_t j = 0; j < 4; ++j) {
            for (const std::int32_t row : drawn) values[j].push_back(example.values[j][row]);
            table.columns.push_back(column_of(values[j], ValueType::float64));
        }
        GrowOptions after = options;
        after.max_rows = 0;
        after.n_draws_made = kDrawn;
        const std::vector<std::int32_t> row_fold(kDrawn);
        const std::vector<std::int32_t> none{-1};
        NoInterrupt never;
        const Forest alone =
            grow_forest(table, {labelled, row_fold, none, {&seeds[tree], 1}}, after, 1, never)
                .value();
        const auto begin = wanted.nodes.feature.begin() + wanted.offsets[tree];
        CHECK(std::equal(alone.nodes.feature.begin(), alone.nodes.feature.end(), begin,
                         wanted.nodes.feature.begin() + wanted.offsets[tree + 1]));
    }
}

TEST(gaps_are_told_from_the_only_value_of_a_column) {
    // The labelled rows are those without a value: one question separates them.
    const std::vector<double> values{3, 3, kNaN, 3, kNaN, 3};
    const std::vector<std::uint8_t> labelled{0, 0, 1, 0, 1, 0};
    const std::vector<std::int32_t> row_fold(6);
    const std::vector<std::int32_t> none{-1};
    const std::vector<std::uint64_t> seeds{1};
    for (const std::int32_t n_categories : {0, 5}) {
        const std::vector<std::int32_t> kinds{n_categories};
        const Table table{6, {column_of(values, ValueType::float64)}, kinds};
        NoInterrupt never;
        const Forest forest =
            grow_forest(table, {labelled, row_fold, none, seeds}, {}, 1, never).value();
        CHECK(forest.nodes.feature == std::vector<std::int32_t>({0, -1, -1}));
        CHECK(forest.nodes.missing_left[0] == 0);
        const RowScores scores = score_rows(view_of(forest), 0, 1, table, 1, never).value();
        CHECK(scores.votes == std::vector<std::int32_t>({0, 0, 1, 0, 1, 0}));
    }
}

TEST(rows_that_never_meet_come_last_by_their_number) {
    const std::vector<std::int32_t> leaves{0, 0, 1, 2};
    NoInterrupt never;
    const Proximities found = find_proximities({leaves, 4, 1, 3}, 3, 1, never).value();
    CHECK(found.neighbors == std::vector<std::int32_t>({1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2}));
    CHECK(found.shared == std::vector<std::int32_t>({1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(work_stops_when_told) {
    const Example example(500);
    const std::vector<std::int32_t> folds(50, -1);
    const std::vector<std::uint64_t> seeds(50, 3);
    const Sampling sampling{example.labelled, example.row_fold, folds, seeds};
    for (const int n_threads : {1, 3}) {
        Patient watch;
        watch.stop = true;
        CHECK(!grow_forest(example.table, sampling, {}, n_threads, watch));
        watch.stop = false;
        CHECK(grow_forest(example.table, sampling, {}, n_threads, watch));
        CHECK(watch.last.done == 50 && watch.last.total == 50);

        const Forest forest = grow_forest(example.table, sampling, {}, 1, watch).value();
        const auto leaves = find_leaves(view_of(forest), example.table, 1, watch).value();
        watch.stop = true;
        CHECK(!find_leaves(view_of(forest), example.table, n_threads, watch));
        CHECK(!score_rows(view_of(forest), 0, 50, example.table, n_threads, watch));
        CHECK(!find_proximities({leaves, 500, 50, 500}, 3, n_threads, watch));
    }
}
