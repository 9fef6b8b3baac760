#include "flow/parametric_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "common/index.hpp"
#include "common/prefetch.hpp"
#include "common/threads.hpp"
#include "flow/region_worker.hpp"

namespace pucut::flow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Levels that rounding cannot tell apart are one breakpoint. Leaves the plateaus in ascending
// order.
void merge_equal(std::vector<Plateau>& plateaus) {
    std::ranges::sort(plateaus, [](const Plateau& a, const Plateau& b) {
        return a.level != b.level ? a.level < b.level : a.begin < b.begin;
    });
    double last_level = -kInfinity;  // before merging
    double last_error = 0.0;
    double merged = -kInfinity;
    for (Plateau& plateau : plateaus) {
        const double level = plateau.level;
        if (level - last_level > last_error + plateau.error) merged = level;
        plateau.level = merged;
        last_level = level;
        last_error = plateau.error;
    }
}

// For nodes of slope 0, the ends of the range of levels over which they are tied: the lowest level
// among the sloped nodes that the node has a residual path to (Direction = +1: from there up it
// must leave the upper side), or the highest among those that have a residual path to it (-1).
template <int Direction>
void tie_range(const Network& network, std::span<const NodeIndex> flat, Buffer<double>& level) {
    constexpr double kSaturated = 0x1p-40;
    const auto has_room = [&](NodeIndex node, const Arc& arc, bool from_node) {
        const double weight = network.edges[arc.edge()].weight;
        const double room = from_node == (Direction > 0) ? network.residual<1>(node, arc)
                                                         : network.residual<-1>(node, arc);
        return room > kSaturated * weight;
    };
    for (const NodeIndex node : flat) {
        double nearest = Direction * kInfinity;
        for (const Arc& arc : network.all_arcs(node)) {
            if (network.nodes[arc.head()].slope == 0.0 || !has_room(node, arc, true)) continue;
            nearest = Direction > 0 ? std::min(nearest, level[arc.head()])
                                    : std::max(nearest, level[arc.head()]);
        }
        level[node] = nearest;
    }
    std::vector<NodeIndex> queue(flat.begin(), flat.end());
    std::ranges::stable_sort(queue, [&](NodeIndex a, NodeIndex b) {
        return Direction * level[a] < Direction * level[b];
    });
    std::vector<NodeIndex> reached;
    for (const NodeIndex root : queue) {  // in this order, the first value to reach a node is final
        reached.assign(1, root);
        while (!reached.empty()) {
            const NodeIndex node = reached.back();
            reached.pop_back();
            for (const Arc& arc : network.all_arcs(node)) {
                const bool improves = Direction * level[arc.head()] > Direction * level[node];
                if (network.nodes[arc.head()].slope != 0.0 || !improves ||
                    !has_room(node, arc, false))
                    continue;
                level[arc.head()] = level[node];
                reached.push_back(arc.head());
            }
        }
    }
}

void report_breakpoints(const std::vector<Plateau>& plateaus, CutLevels& result) {
    for (const Plateau& plateau : plateaus) {
        if (plateau.mass == 0.0) continue;
        if (result.breakpoints.empty() || result.breakpoints.back() != plateau.level) {
            result.breakpoints.push_back(plateau.level);
            result.mass.push_back(0.0);
        }
        result.mass.back() += plateau.mass;
    }
}

// `order` begins with the nodes that lie above all levels, then come those below all levels.
void report_levels(const RegionState& shared, const std::vector<Plateau>& plateaus,
                   NodeIndex end_above, NodeIndex end_outside, CutLevels& result) {
    Network& net = shared.net;
    const auto& order = shared.memory.order;
    Buffer<double>& level = net.pull;  // no longer needed
    for (NodeIndex at = 0; at < end_outside; ++at)
        level[order[at]] = at < end_above ? kInfinity : -kInfinity;
    std::vector<NodeIndex> flat;
    for (const Plateau& plateau : plateaus) {
        for (NodeIndex at = plateau.begin; at < plateau.end; ++at) {
            level[order[at]] = plateau.level;
            if (net.nodes[order[at]].slope == 0.0) flat.push_back(order[at]);
        }
    }
    const auto& side = shared.problem.side;
    const auto by_original = [&](ZeroedBuffer<double>& target) {
        target.resize(side.size());
        for (std::size_t i = 0; i < side.size(); ++i)
            if (side[i] != Side::free) target[i] = side[i] == Side::source ? kInfinity : -kInfinity;
        for (std::size_t i = 0; i < level.size(); ++i) target[net.original[i]] = level[i];
    };
    if (!flat.empty()) {
        tie_range<-1>(net, flat, level);
        by_original(result.forced_level);
        tie_range<1>(net, flat, level);
    }
    by_original(result.level);
    for (std::size_t i = 0; i < result.forced_level.size(); ++i)  // rounding can turn a range round
        result.forced_level[i] = std::min(result.forced_level[i], result.level[i]);
}

void report_flow(const Network& network, std::size_t n_nodes, std::size_t n_arcs,
                 CutLevels& result) {
    result.rank.assign(n_nodes, -1);
    for (std::size_t i = 0; i < network.original.size(); ++i)
        result.rank[network.original[i]] = to<NodeIndex>(i);
    result.flow.assign(n_arcs, 0.0);
    constexpr std::size_t kAhead = 32;
    for (std::size_t e = 0; e < network.edges.size(); ++e) {
        if (e + kAhead < network.edges.size()) prefetch(&result.flow[network.origin[e + kAhead]]);
        result.flow[network.origin[e]] = network.edges[e].flow;
    }
}

void add_counters(const PathCounters& part, PathCounters& total) {
    total.regions += part.regions;
    total.depth = std::max(total.depth, part.depth);
    total.router.phases += part.router.phases;
    total.router.scanned_arcs += part.router.scanned_arcs;
    total.router.pushes += part.router.pushes;
}

// Connected parts have nothing to do with each other and are worked on one by one, small ones some
// at a time. If the range was found to end among the nodes, their order may no longer be that of
// the parts, whether any were cut off or not; then they stay together.
void add_parts(const Region& all, RegionState& shared) {
    const std::vector<NodeIndex>& parts = shared.net.parts;
    const bool in_order = all.begin == 0 && std::ranges::is_sorted(shared.memory.order);
    Region task = all;
    const auto add_until = [&](NodeIndex end) {
        task.end = end;
        if (task.begin != task.end) shared.tasks.add(task);
        task.begin = end;
    };
    for (std::size_t k = 0; in_order && k < parts.size(); ++k) {
        const NodeIndex end = k + 1 < parts.size() ? parts[k + 1] : all.end;
        if (end - parts[k] >= shared.worth_sharing) add_until(parts[k]);
        if (end - task.begin >= shared.worth_sharing) add_until(end);
    }
    add_until(all.end);
}

// What the workers found, in whatever order they ended.
struct Found {
    std::mutex mutex;
    std::vector<Plateau> plateaus;
    PathCounters counters;

    void add(const RegionWorker& worker) {
        const std::lock_guard lock(mutex);
        plateaus.insert(plateaus.end(), worker.plateaus().begin(), worker.plateaus().end());
        add_counters(worker.counters(), counters);
    }
};

// Works until all regions are finished; returns false when interrupted.
bool finish_regions(RegionState& shared, int n_threads, Interrupt& interrupt, Found& found) {
    // For fewer than two regions that are worth sharing, starting a thread does not pay.
    const int useful = 1 + shared.net.n_nodes() / (2 * shared.worth_sharing);
    Team team(std::min(n_threads, useful), interrupt);
    return team.run([&](Interrupt& stop) {
        return [&found, worker = RegionWorker(shared, stop)]() mutable {
            worker.run();
            found.add(worker);
        };
    });
}

// Nodes beyond the range come first in the order: [0, end_above) lie above all levels, those from
// there to the rest below all of them.
struct WithinRange {
    NodeIndex end_above;
    Region rest;
};

// Nothing when interrupted.
std::optional<WithinRange> cut_off_outside(RegionState& shared, Interrupt& interrupt,
                                           Found& found) {
    const double lowest = shared.problem.lowest;
    const double highest = shared.problem.highest;
    RegionWorker worker(shared, interrupt);
    const auto not_above =
        worker.cut_off_beyond<-1>({0, shared.net.n_nodes(), 0.0, lowest, highest, 0}, highest);
    if (!not_above) return std::nullopt;
    const auto rest = worker.cut_off_beyond<1>(*not_above, lowest);
    if (!rest) return std::nullopt;
    found.add(worker);
    return WithinRange{not_above->begin, *rest};
}

}  // namespace

Solution solve_levels(const CutProblem& problem, Interrupt& interrupt, const PathOptions& options) {
    BuiltNetwork built = build_network(problem, interrupt);
    if (built.status != Status::optimal) return {built.status, {}};
    const auto interrupted = [] { return Solution{Status::interrupted, {}}; };
    Network& network = built.network;
    if (!relax_edges(network, options.relaxation_rounds, interrupt)) return interrupted();

    RegionState shared(problem, network, options.worth_sharing);
    Found found;
    const auto within = cut_off_outside(shared, interrupt, found);
    if (!within) return interrupted();
    add_parts(within->rest, shared);
    if (!finish_regions(shared, options.n_threads, interrupt, found)) return interrupted();

    CutLevels result;
    merge_equal(found.plateaus);
    report_breakpoints(found.plateaus, result);
    report_levels(shared, found.plateaus, within->end_above, within->rest.begin, result);
    report_flow(network, problem.pull.size(), problem.weights.size(), result);
    result.counters = found.counters;
    result.counters.free_nodes = network.n_nodes();
    result.counters.edges = to<std::int64_t>(network.edges.size());
    return {Status::optimal, std::move(result)};
}

}  // namespace pucut::flow
