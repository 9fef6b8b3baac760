// The router and the region worker by themselves, against all subsets of small networks.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "flow/region_worker.hpp"
#include "flow/residual_network.hpp"
#include "flow/router.hpp"
#include "small_graphs.hpp"

using namespace pucut;
using check::SmallGraph;
using flow::NodeIndex;

namespace {

class AlwaysInterrupted final : public Interrupt {
  public:
    using Interrupt::requested;
    bool requested(const Progress&) override { return true; }
};

// A network before any flow, and the memory to work on it.
struct Work {
    explicit Work(SmallGraph input)
        : graph(std::move(input)),
          problem(graph.problem()),
          net(flow::build_network(problem, never).network),
          state(problem, net, 4096) {
        CHECK(flow::relax_edges(net, 0, never));
    }
    Work(const Work&) = delete;

    std::span<NodeIndex> all() { return state.memory.order; }

    NoInterrupt never;
    SmallGraph graph;
    flow::CutProblem problem;
    flow::Network net;
    flow::RegionState state;
};

// Net flow out of `node` along all its arcs.
double outflow(const flow::Network& net, NodeIndex node) {
    double sum = 0.0;
    for (const flow::Arc& arc : net.all_arcs(node)) {
        const double flow = net.edges[arc.edge()].flow;
        sum += node < arc.head() ? flow : -flow;
    }
    return sum;
}

// The least that excess minus deficits can be reduced to: the cheapest subset as the upper side.
// Amounts are whole numbers, so sums are exact.
struct Cheapest {
    double excess_left;    // on the upper side
    std::uint32_t upper;   // the smallest
    std::uint32_t others;  // all but the smallest lower side, which is the largest upper one
};

Cheapest cheapest_subset(const flow::Network& net, const std::vector<double>& excess) {
    double best = -1.0;
    Cheapest result{};
    for (std::uint32_t subset = 0; subset < 1U << excess.size(); ++subset) {
        double left = 0.0;  // excess inside, less what can leave
        for (NodeIndex i = 0; i < net.n_nodes(); ++i) {
            if (((subset >> i) & 1U) == 0) continue;
            left += excess[i];
            for (const flow::Arc& arc : net.all_arcs(i))
                if (((subset >> arc.head()) & 1U) == 0) left -= net.edges[arc.edge()].weight;
        }
        if (left > best)
            result = {left, subset, subset};
        else if (left == best)
            result = {left, result.upper & subset, result.others | subset};
        best = std::max(best, left);
    }
    return result;
}

std::uint32_t subset_of(std::span<const NodeIndex> nodes) {
    std::uint32_t subset = 0;
    for (const NodeIndex node : nodes) subset |= 1U << node;
    return subset;
}

void check_flow(const flow::Network& net, const std::vector<double>& excess_before) {
    for (const flow::Edge& edge : net.edges) CHECK(std::abs(edge.flow) <= edge.weight);
    for (NodeIndex i = 0; i < net.n_nodes(); ++i) {
        const double before = excess_before[i];
        CHECK(net.nodes[i].excess == before - outflow(net, i));
        for (const flow::Arc& arc : net.all_arcs(i)) {
            CHECK((arc.closed<1>() == 0) == (net.residual<1>(i, arc) > 0.0));
            CHECK((arc.closed<-1>() == 0) == (net.residual<-1>(i, arc) > 0.0));
        }
    }
}

std::vector<double> excesses(const flow::Network& net) {
    std::vector<double> result;
    for (const flow::Node& node : net.nodes) result.push_back(node.excess);
    return result;
}

// A grid whose left half has too much of what the right half lacks.
SmallGraph grid(int width) {
    SmallGraph graph;
    for (int i = 0; i < width * width; ++i) {
        const auto add = [&](bool is_there, int other) {
            if (!is_there) return;
            graph.neighbors.push_back(other);
            graph.weights.push_back(1.0 + (i + other) % 3);
        };
        add(i >= width, i - width);
        add(i % width > 0, i - 1);
        add(i % width < width - 1, i + 1);
        add(i + width < width * width, i + width);
        graph.offsets.push_back(static_cast<flow::ArcIndex>(graph.neighbors.size()));
        graph.pull.push_back(i % width < width / 2 ? 1.0 : -1.0);
        graph.slope.push_back(1.0);
        graph.side.push_back(flow::Side::free);
    }
    return graph;
}

}  // namespace

TEST(the_router_moves_as_much_as_any_flow_can_and_finds_the_cuts_that_stop_it) {
    std::mt19937 random(5);
    for (int round = 0; round < 3000; ++round) {
        Work work(check::random_small_graph(random, 9));
        const std::vector<double> before = excesses(work.net);
        const Cheapest wanted = cheapest_subset(work.net, before);
        flow::Router router(work.net, work.state.memory, work.never);
        const auto parts = router.route(work.all(), 0.0);
        CHECK(parts.has_value());
        check_flow(work.net, before);

        const auto upper = work.all().first(parts->upper_end);
        const auto lower = work.all().subspan(parts->lower_begin);
        CHECK(subset_of(work.all()) == (1U << before.size()) - 1);
        double left = 0.0;
        for (NodeIndex i = 0; i < work.net.n_nodes(); ++i)
            left += std::max(work.net.nodes[i].excess, 0.0);
        CHECK(left == wanted.excess_left);
        for (const NodeIndex node : upper) CHECK(work.net.nodes[node].excess >= 0.0);
        for (const NodeIndex node : lower) CHECK(work.net.nodes[node].excess <= 0.0);
        for (std::size_t at = parts->upper_end; at < parts->lower_begin; ++at)
            CHECK(work.net.nodes[work.all()[at]].excess == 0.0);
        // Both borders are cuts that let no more through, between the smallest and the largest.
        for (const std::uint32_t side : {subset_of(upper), ~subset_of(lower)}) {
            CHECK((side & wanted.upper) == wanted.upper);
            CHECK((side & wanted.others & subset_of(work.all())) == (side & subset_of(work.all())));
            for (NodeIndex i = 0; i < work.net.n_nodes(); ++i)
                for (const flow::Arc& arc : work.net.all_arcs(i))
                    if (((side >> i) & 1U) != 0 && ((side >> arc.head()) & 1U) == 0)
                        CHECK(work.net.residual<1>(i, arc) == 0.0);
        }
    }
}

TEST(what_is_reached_comes_to_the_front) {
    std::mt19937 random(6);
    for (int round = 0; round < 500; ++round) {
        Work work(check::random_small_graph(random, 9));
        if (work.net.n_nodes() == 0) continue;
        flow::Router router(work.net, work.state.memory, work.never);
        CHECK(router.route(work.all(), 0.0).has_value());
        const NodeIndex root = static_cast<NodeIndex>(random() % work.all().size());
        std::uint32_t wanted = 1U << root;
        for (NodeIndex turn = 0; turn < work.net.n_nodes(); ++turn)
            for (NodeIndex i = 0; i < work.net.n_nodes(); ++i)
                for (const flow::Arc& arc : work.net.all_arcs(i))
                    if (((wanted >> i) & 1U) != 0 && work.net.residual<1>(i, arc) > 0.0)
                        wanted |= 1U << arc.head();
        const std::vector<NodeIndex> roots{root};
        const std::size_t n = router.bring_reachable_to_front<-1>(work.all(), roots);
        CHECK(subset_of(work.all().first(n)) == wanted);
    }
}

TEST(an_interrupted_router_leaves_a_flow) {
    Work work(grid(300));
    const std::vector<double> before = excesses(work.net);
    AlwaysInterrupted always;
    flow::Router impatient(work.net, work.state.memory, always);
    CHECK(!impatient.route(work.all(), 0.0));
    check_flow(work.net, before);
    // Another can go on where it stopped.
    flow::Router patient(work.net, work.state.memory, work.never);
    CHECK(patient.route(work.all(), 0.0).has_value());
    check_flow(work.net, before);
}

TEST(a_worker_cuts_off_what_lies_beyond_the_range) {
    std::mt19937 random(8);
    int n_cut_off = 0;
    for (int round = 0; round < 2000; ++round) {
        const SmallGraph graph = check::random_small_graph(random);
        Work work(graph);
        flow::RegionWorker worker(work.state, work.never);
        const flow::Region all{0, work.net.n_nodes(), 0.0, graph.lowest, graph.highest, 0};
        const auto not_above = worker.cut_off_beyond<-1>(all, graph.highest);
        const auto rest = worker.cut_off_beyond<1>(*not_above, graph.lowest);
        CHECK(not_above.has_value() && rest.has_value());
        std::uint32_t above = 0;
        std::uint32_t below = 0;
        for (NodeIndex at = 0; at < rest->begin; ++at)
            (at < not_above->begin ? above : below) |= 1U << work.net.original[work.all()[at]];
        std::uint32_t free = 0;
        for (const NodeIndex node : work.net.original) free |= 1U << node;
        CHECK(above == (check::cheapest(graph, graph.highest).smallest & free));
        CHECK(below == (~check::cheapest(graph, graph.lowest).largest & free));
        n_cut_off += rest->begin;

        // The rest is a network of its own, with excesses relative to its level.
        const auto kept = work.all().subspan(static_cast<std::size_t>(rest->begin));
        for (const NodeIndex node : kept) {
            const double excess = work.net.pull[node] - outflow(work.net, node) -
                                  rest->level * work.net.nodes[node].slope;
            CHECK(work.net.nodes[node].excess == excess);
            for (const flow::Arc& arc : work.net.live_arcs(node))
                CHECK(std::ranges::count(kept, arc.head()) == 1);
        }
    }
    CHECK(n_cut_off > 500);
}

TEST(a_worker_finishes_every_node_once_and_at_its_level) {
    std::mt19937 random(9);
    for (int round = 0; round < 2000; ++round) {
        SmallGraph graph = check::random_small_graph(random);
        graph.lowest = -100.0;
        graph.highest = 100.0;
        for (double& slope : graph.slope) slope = std::max(slope, 1.0);
        Work work(graph);
        flow::RegionWorker worker(work.state, work.never);
        work.state.tasks.add({0, work.net.n_nodes(), 0.0, graph.lowest, graph.highest, 0});
        if (work.net.n_nodes() == 0) continue;
        worker.run();

        std::vector<double> level(graph.pull.size());
        for (std::size_t i = 0; i < level.size(); ++i)
            level[i] = graph.side[i] == flow::Side::source ? HUGE_VAL : -HUGE_VAL;
        std::size_t n_finished = 0;
        std::vector<double> levels;
        for (const flow::Plateau& plateau : worker.plateaus()) {
            for (NodeIndex at = plateau.begin; at < plateau.end; ++at, ++n_finished)
                level[work.net.original[work.all()[at]]] = plateau.level;
            levels.push_back(plateau.level);
        }
        CHECK(n_finished == work.all().size());
        std::ranges::sort(levels);
        levels.push_back(levels.back() + 2.0);
        for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
            if (levels[k + 1] - levels[k] < 1e-9) continue;
            const double between = (levels[k] + levels[k + 1]) / 2.0;
            std::uint32_t upper = 0;
            for (std::size_t i = 0; i < level.size(); ++i)
                if (level[i] >= between) upper |= 1U << i;
            CHECK(upper == check::cheapest(graph, between).largest);
        }
    }
}

TEST(an_interrupted_worker_leaves_its_regions) {
    Work work(grid(20));
    AlwaysInterrupted always;
    flow::RegionWorker worker(work.state, always);
    work.state.tasks.add({0, work.net.n_nodes(), 0.0, -100.0, 100.0, 0});
    worker.run();
    CHECK(worker.plateaus().empty());
    CHECK(work.state.tasks.take(work.never).has_value());
}
