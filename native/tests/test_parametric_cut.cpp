#include <span>

#include "check.hpp"
#include "flow/certificate.hpp"
#include "flow/parametric_cut.hpp"
#include "small_graphs.hpp"

using namespace pucut;
using check::SmallGraph;

namespace {

flow::CutLevels solve(const SmallGraph& graph, int relaxation_rounds = 16,
                      flow::NodeIndex worth_sharing = 4096) {
    NoInterrupt never;
    flow::Solution solution =
        flow::solve_levels(graph.problem(), never, {relaxation_rounds, 1, worth_sharing});
    CHECK(solution.status == flow::Status::optimal);
    return std::move(solution.levels);
}

flow::Certificate certify(const SmallGraph& graph, const flow::CutLevels& levels) {
    return flow::certify(graph.problem(), levels.level, levels.flow, levels.rank);
}

std::uint32_t upper_side(std::span<const double> level, double at, bool ties_are_upper) {
    std::uint32_t subset = 0;
    for (std::size_t i = 0; i < level.size(); ++i)
        if (ties_are_upper ? level[i] >= at : level[i] > at) subset |= 1u << i;
    return subset;
}

SmallGraph pair_of_nodes() {
    SmallGraph graph;
    check::set_edges(graph, {{0, 2}, {2, 0}});
    graph.pull = {5, 0};
    graph.slope = {4, 4};
    graph.side = {flow::Side::free, flow::Side::free};
    return graph;
}

class AlwaysInterrupted final : public Interrupt {
  public:
    bool requested(const Progress&) override { return true; }
};

}  // namespace

TEST(levels_by_hand) {
    // The flow of 2 saturates the edge: (5 - 2) / 4 and (0 + 2) / 4.
    const auto levels = solve(pair_of_nodes());
    CHECK_NEAR(levels.level[0], 0.75, 0.0);
    CHECK_NEAR(levels.level[1], 0.5, 0.0);
    CHECK(levels.breakpoints == std::vector<double>({0.5, 0.75}));
    CHECK(levels.mass == std::vector<double>({4.0, 4.0}));
}

TEST(parts_whose_level_is_the_end_of_the_range) {
    // Three parts, two of them with the level 1. To see that nothing lies beyond, flow is routed at
    // that level, which changes the order of the nodes: it is not that of the parts any more.
    SmallGraph graph;
    const double large = 0x1p+24 * 10.0 / 7.0;
    check::set_edges(graph, {{0, 0, 0, 0, 0, 1, 0, 0},
                             {0, 0, 0, 0, 0, 0, 0, large},
                             {0, 0, 0, large, 7, 0, 0, 0},
                             {0, 0, large, 0, 0, 0, 0, 0},
                             {0, 0, 7, 0, 0, 0, 3, 0},
                             {1, 0, 0, 0, 0, 0, 0, 0},
                             {0, 0, 0, 0, 3, 0, 0, 0},
                             {0, large, 0, 0, 0, 0, 0, 0}});
    graph.pull = {2, 1, 0, 1, 2, 1, 0, 0};
    graph.slope = {2, 1, 0, 0, 2, 1, 1, 1};
    graph.side.assign(8, flow::Side::free);
    for (const flow::NodeIndex worth_sharing : {1, 2, 3, 4096}) {
        const auto levels = solve(graph, 8, worth_sharing);
        CHECK(certify(graph, levels).gap == 0.0);
        CHECK(levels.breakpoints == std::vector<double>({0.5, 1.0}));
    }
}

TEST(all_subsets_agree_at_and_between_breakpoints) {
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        const SmallGraph graph = check::random_small_graph(random);
        // Even the smallest parts and regions stand by themselves in some rounds.
        const flow::NodeIndex worth_sharing = round % 4 == 0 ? 4096 : round % 4;
        const auto levels = solve(graph, round % 3 == 0 ? 0 : 16, worth_sharing);
        const auto& forced = levels.forced_level.empty() ? levels.level : levels.forced_level;
        std::vector<double> probes{graph.lowest, graph.highest};
        for (std::size_t k = 0; k < levels.breakpoints.size(); ++k) {
            const double point = levels.breakpoints[k];
            if (point * 64 == std::floor(point * 64)) probes.push_back(point);  // exact in binary
            const double next =
                k + 1 < levels.breakpoints.size() ? levels.breakpoints[k + 1] : graph.highest;
            probes.push_back((point + next) / 2);
            probes.push_back((point + graph.lowest) / 2);
        }
        for (const double level : probes) {
            bool near_breakpoint = false;
            for (const double point : levels.breakpoints)
                near_breakpoint =
                    near_breakpoint || (point != level && std::abs(point - level) < 1e-9);
            if (near_breakpoint) continue;
            const auto wanted = check::cheapest(graph, level);
            const auto largest = upper_side(levels.level, level, true);
            const auto smallest = upper_side(forced, level, false);
            CHECK_NEAR(check::cut_cost(graph, largest, level), wanted.cost, 1e-9);
            CHECK_NEAR(check::cut_cost(graph, smallest, level), wanted.cost, 1e-9);
            if (level * 64 != std::floor(level * 64)) continue;
            CHECK(largest == wanted.largest);
            CHECK(smallest == wanted.smallest);
        }
        const auto certificate = certify(graph, levels);
        CHECK(certificate.feasible);
        CHECK_NEAR(certificate.gap, 0.0, 1e-12);
    }
}

TEST(warm_and_cold_start_find_the_same_levels) {
    std::mt19937 random(2);
    for (int round = 0; round < 1000; ++round) {
        const SmallGraph graph = check::random_small_graph(random, 12);
        const auto cold = solve(graph, 0);
        const auto warm = solve(graph, 16);
        for (std::size_t i = 0; i < cold.level.size(); ++i)
            CHECK_NEAR(cold.level[i], warm.level[i], 1e-12);
        CHECK(cold.breakpoints.size() == warm.breakpoints.size());
    }
}

TEST(certificate_sees_wrong_levels) {
    const SmallGraph graph = pair_of_nodes();
    auto levels = solve(graph);
    levels.level[0] += 0.125;
    // Worth (0.125)^2 * 4 / 2 for the node, and nothing for the edge, which stays saturated.
    const double primal_size = 2.0 * 0.375 + 4 * 0.875 * 0.875 / 2 + 5 * 0.875 + 4 * 0.25 / 2;
    CHECK_NEAR(certify(graph, levels).gap, 0.03125 / primal_size, 1e-15);
}

TEST(certificate_sees_wrong_flow) {
    const SmallGraph graph = pair_of_nodes();
    auto levels = solve(graph);
    for (double& flow : levels.flow) flow *= 0.5;
    // Half the flow: 0.25 for the edge, 0.125 for each node.
    const double primal_size = 2.0 * 0.25 + 4 * 0.75 * 0.75 / 2 + 5 * 0.75 + 4 * 0.25 / 2;
    CHECK_NEAR(certify(graph, levels).gap, 0.5 / primal_size, 1e-15);
    for (double& flow : levels.flow) flow *= 4.0;
    CHECK(!certify(graph, levels).feasible);
}

TEST(certificate_knows_the_weight_cut_at_the_lowest_level) {
    SmallGraph graph = pair_of_nodes();
    graph.lowest = 0.625;
    CHECK_NEAR(certify(graph, solve(graph)).cut_weight, 2.0, 0.0);
    graph.lowest = 0.25;
    CHECK_NEAR(certify(graph, solve(graph)).cut_weight, 0.0, 0.0);
    graph.side = {flow::Side::source, flow::Side::sink};
    CHECK_NEAR(certify(graph, solve(graph)).cut_weight, 2.0, 0.0);
}

TEST(nothing_to_do) {
    SmallGraph empty;
    const auto none = solve(empty);
    CHECK(none.level.empty() && none.breakpoints.empty());
    CHECK(certify(empty, none).gap == 0.0);

    SmallGraph seeds = pair_of_nodes();
    seeds.side = {flow::Side::source, flow::Side::sink};
    const auto fixed = solve(seeds);
    CHECK(fixed.level[0] == HUGE_VAL && fixed.level[1] == -HUGE_VAL);
    CHECK(fixed.breakpoints.empty());
}

TEST(interruption_is_reported) {
    AlwaysInterrupted always;
    const SmallGraph graph = pair_of_nodes();
    const auto solution = flow::solve_levels(graph.problem(), always, {});
    CHECK(solution.status == flow::Status::interrupted);
    CHECK(solution.levels.level.empty());
}
