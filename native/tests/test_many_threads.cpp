// Many threads against one, on random problems: every bit has to be the same. Run under the thread
// sanitizer too, which sees two threads at the same memory even where nothing comes of it.
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "common/random.hpp"
#include "flow/parametric_cut.hpp"
#include "small_graphs.hpp"
#include "trees/forest.hpp"
#include "trees/proximity.hpp"

using namespace pucut;
using check::SmallGraph;

namespace {

template <class Values>
bool same_bits(const Values& a, const Values& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

// Some separate grids, whose pulls differ by place and by chance, so that regions of all sizes come
// about at all depths; some weights are 0, some nodes are seeds.
SmallGraph grids(int n_grids, int width, std::mt19937& random) {
    const int n = width * width;
    const auto below = [&](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    std::vector<double> across(static_cast<std::size_t>(n_grids * n));
    std::vector<double> down(across.size());
    for (double& weight : across) weight = below(4);
    for (double& weight : down) weight = below(4);
    SmallGraph graph;
    for (int i = 0; i < n_grids * n; ++i) {
        const int place = i % n;
        const auto add = [&](bool is_there, int other, const std::vector<double>& weights, int at) {
            if (!is_there) return;
            graph.neighbors.push_back(other);
            graph.weights.push_back(weights[at]);
        };
        add(place >= width, i - width, down, i - width);
        add(place % width > 0, i - 1, across, i - 1);
        add(place % width < width - 1, i + 1, across, i);
        add(place + width < n, i + width, down, i);
        graph.offsets.push_back(static_cast<flow::ArcIndex>(graph.neighbors.size()));
        graph.pull.push_back(place % width % 7 + below(8));
        graph.slope.push_back(below(9) == 0 ? 0.0 : 1.0 + below(8));
        const int draw = below(40);
        graph.side.push_back(draw == 0   ? flow::Side::source
                             : draw == 1 ? flow::Side::sink
                                         : flow::Side::free);
    }
    graph.highest = 3.0;
    return graph;
}

void check_same(const flow::CutLevels& one, const flow::CutLevels& many) {
    CHECK(same_bits(one.level, many.level));
    CHECK(same_bits(one.forced_level, many.forced_level));
    CHECK(same_bits(one.breakpoints, many.breakpoints));
    CHECK(same_bits(one.mass, many.mass));
    CHECK(same_bits(one.flow, many.flow));
    CHECK(one.counters.regions == many.counters.regions);
    CHECK(one.counters.depth == many.counters.depth);
    CHECK(one.counters.router.scanned_arcs == many.counters.router.scanned_arcs);
    CHECK(one.counters.router.pushes == many.counters.router.pushes);
}

flow::CutLevels solve(const SmallGraph& graph, int n_threads, flow::NodeIndex worth_sharing) {
    NoInterrupt never;
    flow::Solution solution =
        flow::solve_levels(graph.problem(), never, {4, n_threads, worth_sharing});
    CHECK(solution.status == flow::Status::optimal);
    return std::move(solution.levels);
}

class AfterAWhile final : public Interrupt {
  public:
    explicit AfterAWhile(int n) : left_(n) {}
    bool requested(const Progress&) override { return --left_ < 0; }

  private:
    int left_;
};

}  // namespace

TEST(threads_that_share_every_region_find_what_one_finds) {
    std::mt19937 random(1);
    for (int round = 0; round < 30; ++round) {
        const SmallGraph graph = grids(1 + round % 3, 4 + 2 * round / 3, random);
        for (const flow::NodeIndex worth_sharing : {1, 20}) {
            const auto one = solve(graph, 1, worth_sharing);
            for (const int n_threads : {2, 6})
                check_same(one, solve(graph, n_threads, worth_sharing));
        }
    }
}

TEST(threads_that_share_large_regions_find_what_one_finds) {
    std::mt19937 random(2);
    const SmallGraph graph = grids(3, 80, random);
    const auto one = solve(graph, 1, 1000);
    CHECK(one.breakpoints.size() > 100);
    for (const int n_threads : {2, 4}) check_same(one, solve(graph, n_threads, 1000));
}

TEST(an_interrupt_ends_all_threads_of_a_cut) {
    std::mt19937 random(3);
    const SmallGraph graph = grids(2, 40, random);
    int n_interrupted = 0;
    for (int n_asked = 0; n_asked < 30; ++n_asked) {
        AfterAWhile after(n_asked);
        const auto solution = flow::solve_levels(graph.problem(), after, {4, 4, 1});
        n_interrupted += solution.status == flow::Status::interrupted ? 1 : 0;
    }
    CHECK(n_interrupted > 5);
}

TEST(threads_grow_and_ask_the_forest_that_one_grows_and_asks) {
    using namespace trees;
    constexpr std::int32_t kRows = 700;
    constexpr std::size_t kColumns = 40;  // more than one thread codes at once
    Random random(4);
    std::vector<double> values(kRows * kColumns);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i % 3 == 0 ? random.below(6) : random.unit();
    std::vector<std::uint8_t> labelled(kRows);
    std::vector<std::int32_t> row_fold(kRows);
    for (std::size_t i = 0; i < labelled.size(); ++i) {
        labelled[i] = values[i * kColumns] > 2.0 && random.below(2) == 0 ? 1 : 0;
        row_fold[i] = random.below(2);
    }
    labelled[0] = 1;
    const std::vector<std::int32_t> n_categories(kColumns, 0);
    Table table{kRows, {}, n_categories};
    for (std::size_t j = 0; j < kColumns; ++j) {
        ColumnView column;
        column.values = reinterpret_cast<const std::byte*>(values.data() + j);
        column.stride = kColumns * sizeof(double);
        table.columns.push_back(column);
    }
    std::vector<std::int32_t> tree_fold;
    std::vector<std::uint64_t> seeds;
    for (std::int32_t tree = 0; tree < 24; ++tree) {
        tree_fold.push_back(tree % 3 - 1);
        seeds.push_back(random.bits());
    }
    NoInterrupt never;
    GrowOptions options;
    options.max_features = 5;
    const auto run = [&](int n_threads) {
        return grow_forest(table, {labelled, row_fold, tree_fold, seeds}, options, n_threads, never)
            .value();
    };
    const Forest one = run(1);
    const ForestView view{one.offsets,    one.nodes.feature,      one.nodes.threshold,
                          one.nodes.left, one.nodes.missing_left, one.nodes.masks};
    const auto leaves = find_leaves(view, table, 1, never).value();
    const auto scores = score_rows(view, 0, 24, table, 1, never).value();
    const LeafView leaf_view{leaves, kRows, 24, kRows};
    const auto near = find_proximities(leaf_view, 6, 1, never).value();
    for (const int n_threads : {2, 5, 8}) {
        const Forest many = run(n_threads);
        CHECK(one.offsets == many.offsets);
        CHECK(same_bits(one.nodes.feature, many.nodes.feature));
        CHECK(same_bits(one.nodes.threshold, many.nodes.threshold));
        CHECK(same_bits(one.nodes.left, many.nodes.left));
        CHECK(same_bits(one.risk_reduction, many.risk_reduction));
        CHECK(leaves == find_leaves(view, table, n_threads, never).value());
        const auto scored = score_rows(view, 0, 24, table, n_threads, never).value();
        CHECK(scores.votes == scored.votes);
        CHECK(same_bits(scores.fractions, scored.fractions));
        const auto met = find_proximities(leaf_view, 6, n_threads, never).value();
        CHECK(near.neighbors == met.neighbors && near.shared == met.shared);
    }
}
