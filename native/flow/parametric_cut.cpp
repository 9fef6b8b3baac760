#include "flow/parametric_cut.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <numeric>
#include <thread>

#include "flow/compensated_sum.hpp"
#include "flow/tasks.hpp"

namespace pucut::flow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnitRoundoff = 0x1p-53;

// An imbalance of a few times the dust of a node is rounding, no reason to separate the node from
// its neighbours.
constexpr double kSignificant = 4.0;

struct Region {
    NodeIndex begin;  // a range of the solver's order of nodes
    NodeIndex end;
    double level;  // that the excesses of its nodes are relative to
    double floor;  // none of its nodes lies lower
    double ceiling;
    std::int64_t depth;
};

// A finished region.
struct Plateau {
    NodeIndex begin;
    NodeIndex end;
    double level;
    double error;  // how far rounding can have moved the level
    double mass;   // total slope
};

bool is_whole(const Parts& parts, const Region& region) {
    const auto size = static_cast<std::size_t>(region.end - region.begin);
    return parts.upper_end == size || parts.lower_begin == 0 ||
           (parts.upper_end == 0 && parts.lower_begin == size);
}

// What the workers share. Each works on the nodes of its own region only, and on the edges between
// them, so they need no locks; and no result depends on which of them does what, or when.
struct Shared {
    Shared(const CutProblem& input, Network& built)
        : problem(input), net(built), part(built.pull.size()) {
        memory.order.resize(built.pull.size());
        memory.spare.resize(built.pull.size());
        memory.label.resize(built.pull.size());
        std::iota(memory.order.begin(), memory.order.end(), NodeIndex{0});
    }

    const CutProblem& problem;
    Network& net;
    RouterMemory memory;
    std::vector<std::int8_t> part;  // which part of the region last separated a node went to
    Tasks<Region> tasks;
};

class Worker {
  public:
    Worker(Shared& shared, Interrupt& interrupt)
        : shared_(shared),
          problem_(shared.problem),
          net_(shared.net),
          order_(shared.memory.order),
          part_(shared.part),
          interrupt_(interrupt),
          router_(shared.net, shared.memory, interrupt) {}

    // Takes out of `all` the nodes that lie strictly beyond the level: above (Direction = -1) or
    // below it (+1). Returns false when interrupted.
    template <int Direction>
    bool cut_off_beyond(Region& all, double level);

    // Works on regions until none is left.
    void run();

    [[nodiscard]] const std::vector<Plateau>& plateaus() const { return plateaus_; }
    [[nodiscard]] PathCounters counters() const {
        PathCounters counters = counters_;
        counters.router = router_.counters();
        return counters;
    }

  private:
    [[nodiscard]] std::span<NodeIndex> nodes(NodeIndex begin, NodeIndex end) {
        return std::span(order_).subspan(static_cast<std::size_t>(begin),
                                         static_cast<std::size_t>(end - begin));
    }
    [[nodiscard]] std::span<NodeIndex> nodes(const Region& region) {
        return nodes(region.begin, region.end);
    }

    bool work_on(Region region);
    bool settle(const Region& region, Parts& parts);
    void leave_for_later(const Region& region);
    void move_to_level(Region& region, double level);
    void recount(Region& region);
    void freeze_between(std::initializer_list<Region> parts);
    std::span<const Arc> keep_arcs_within_part(NodeIndex node);
    void finish(const Region& region);

    Shared& shared_;
    const CutProblem& problem_;
    Network& net_;
    std::vector<NodeIndex>& order_;
    std::vector<std::int8_t>& part_;
    Interrupt& interrupt_;
    Router router_;
    std::vector<Region> pending_;  // too small to be shared
    std::vector<Plateau> plateaus_;
    std::vector<NodeIndex> scratch_;
    PathCounters counters_;
};

void Worker::run() {
    try {
        for (Region region; shared_.tasks.take(region, interrupt_); shared_.tasks.finish()) {
            pending_.push_back(region);
            while (!pending_.empty()) {
                region = pending_.back();
                pending_.pop_back();
                if (!work_on(region)) return shared_.tasks.stop();
            }
        }
    } catch (...) {
        shared_.tasks.stop(std::current_exception());
    }
}

void Worker::leave_for_later(const Region& region) {
    constexpr NodeIndex kWorthSharing = 4096;
    if (region.begin == region.end) return;
    if (region.end - region.begin >= kWorthSharing)
        shared_.tasks.add(region);
    else
        pending_.push_back(region);
}

template <int Direction>
bool Worker::cut_off_beyond(Region& all, double level) {
    const double change = level - all.level;
    const auto would_be_beyond = [&](NodeIndex number) {
        const Node& node = net_.nodes[number];
        return -Direction * (node.excess - change * node.slope) > kSignificant * node.dust;
    };
    if (std::ranges::none_of(nodes(all), would_be_beyond))
        return true;  // as a rule; and nothing is rounded
    move_to_level(all, level);
    const auto is_beyond = [&](NodeIndex number) {
        const Node& node = net_.nodes[number];
        return -Direction * node.excess > kSignificant * node.dust;
    };
    Parts ignored;
    if (!router_.route(nodes(all), 0.0, ignored)) return false;
    scratch_.clear();
    std::ranges::copy_if(nodes(all), std::back_inserter(scratch_), is_beyond);
    const std::size_t n_beyond = router_.bring_reachable_to_front<Direction>(nodes(all), scratch_);
    Region beyond = all;
    all.begin = beyond.end = beyond.begin + static_cast<NodeIndex>(n_beyond);
    freeze_between({beyond, all});
    recount(all);
    return true;
}

// Excesses anew from the flow, relative to the level 0: far out, at the ends of a wide range, their
// digits were lost.
void Worker::recount(Region& region) {
    region.level = 0.0;
    for (const NodeIndex number : nodes(region)) {
        CompensatedSum supply(net_.pull[number]);
        Node& node = net_.nodes[number];
        node.dust = 0.0;
        node.note_rounding(net_.pull[number]);
        for (const Arc& arc : net_.all_arcs(number)) {
            const double flow = net_.edges[arc.edge()].flow;
            supply.add(number < arc.head() ? -flow : flow);
            node.note_rounding(flow);
        }
        node.excess = supply.value();
    }
}

bool Worker::work_on(Region region) {
    ++counters_.regions;
    counters_.depth = std::max(counters_.depth, region.depth);
    double excess = 0.0;
    double slope = 0.0;
    for (const NodeIndex node : nodes(region)) {
        excess += net_.nodes[node].excess;
        slope += net_.nodes[node].slope;
    }
    // Without slope every level between floor and ceiling is as good.
    const double mean = slope > 0.0 ? region.level + excess / slope : region.level;
    move_to_level(region, std::clamp(mean, region.floor, region.ceiling));
    Parts parts;
    if (region.end - region.begin == 1 || region.floor == region.ceiling) {
        finish(region);
        return true;
    }
    if (!settle(region, parts)) return false;

    if (is_whole(parts, region)) {
        finish(region);
        return true;
    }
    Region upper = region;
    Region middle = region;
    Region lower = region;
    upper.end = middle.begin = region.begin + static_cast<NodeIndex>(parts.upper_end);
    lower.begin = middle.end = region.begin + static_cast<NodeIndex>(parts.lower_begin);
    upper.floor = lower.ceiling = region.level;
    upper.depth = lower.depth = region.depth + 1;
    freeze_between({upper, middle, lower});
    if (middle.begin != middle.end) finish(middle);
    leave_for_later(lower);
    leave_for_later(upper);
    return true;
}

// Routes what can be routed.
bool Worker::settle(const Region& region, Parts& parts) {
    if (!router_.route(nodes(region), 0.0, parts)) return false;
    double left = 0.0;
    double dust = 0.0;
    bool over = false;
    bool under = false;
    for (const NodeIndex node : nodes(region)) {
        left += std::abs(net_.nodes[node].excess);
        dust += net_.nodes[node].dust;
        over = over || net_.nodes[node].excess > kSignificant * net_.nodes[node].dust;
        under = under || net_.nodes[node].excess < -kSignificant * net_.nodes[node].dust;
    }
    if (left > 2.0 * dust && !is_whole(parts, region)) return true;
    // What is left is rounding for the region as a whole, but may still mean much to nodes of tiny
    // weight. Let every node take in its share of rounding, and see whether something real remains.
    parts = {0, nodes(region).size()};
    if (over && !router_.route(nodes(region), 2.0, parts)) return false;
    if (under && is_whole(parts, region) && !router_.route(nodes(region), -2.0, parts))
        return false;
    return true;
}

void Worker::move_to_level(Region& region, double level) {
    const double change = level - region.level;
    region.level = level;
    if (change == 0.0) return;
    for (const NodeIndex number : nodes(region)) {
        Node& node = net_.nodes[number];
        node.excess -= change * node.slope;
        node.note_rounding(change * node.slope);
    }
}

// Freezes the arcs between the parts, at the cost of the smaller ones.
void Worker::freeze_between(std::initializer_list<Region> parts) {
    constexpr std::int8_t kLargest = 0;
    constexpr std::int8_t kLargestTouched = -1;
    const auto size = [](const Region& part) { return part.end - part.begin; };
    const Region& largest = *std::ranges::max_element(parts, {}, size);
    std::int8_t number = kLargest;
    for (const Region& part : parts) {
        const std::int8_t own = &part == &largest ? kLargest : ++number;
        for (const NodeIndex node : nodes(part)) part_[node] = own;
    }
    scratch_.clear();
    for (const Region& part : parts) {
        if (&part == &largest) continue;
        for (const NodeIndex node : nodes(part)) {
            for (const Arc& arc : keep_arcs_within_part(node)) {
                const NodeIndex other = arc.head();
                if (part_[other] != kLargest) continue;  // filtered by itself, or noted
                part_[other] = kLargestTouched;
                scratch_.push_back(other);
            }
        }
    }
    for (const NodeIndex node : scratch_) part_[node] = kLargest;
    for (const NodeIndex node : scratch_) keep_arcs_within_part(node);
}

// Freezes the arcs that leave the node's part, and returns them.
std::span<const Arc> Worker::keep_arcs_within_part(NodeIndex node) {
    const std::span<Arc> arcs = net_.live_arcs(node);
    std::size_t kept = 0;
    for (std::size_t end = arcs.size(); kept < end;) {
        if (part_[arcs[kept].head()] == part_[node]) {
            ++kept;
        } else {
            std::swap(arcs[kept], arcs[--end]);
            net_.update_place(node, arcs[kept]);
        }
    }
    net_.rows[node].degree = static_cast<NodeIndex>(kept);
    return arcs.subspan(kept);
}

// The level, anew from the input: pulls and the flow over frozen arcs, which is exactly their
// weight.
void Worker::finish(const Region& region) {
    CompensatedSum supply;
    CompensatedSum slope;
    for (const NodeIndex node : nodes(region)) {
        supply.add(net_.pull[node]);
        slope.add(net_.nodes[node].slope);
        for (const Arc& arc : net_.frozen_arcs(node)) {
            const double flow = net_.edges[arc.edge()].flow;
            supply.add(node < arc.head() ? -flow : flow);
        }
    }
    Plateau plateau{region.begin, region.end, region.level, 0.0, slope.value()};
    if (plateau.mass > 0.0) {
        // Not between floor and ceiling, which come from rounded excesses.
        plateau.level =
            std::clamp(supply.value() / plateau.mass, problem_.lowest, problem_.highest);
        plateau.error =
            4.0 * kUnitRoundoff * (supply.magnitude() / plateau.mass + std::abs(plateau.level));
    }
    plateaus_.push_back(plateau);
}

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
void tie_range(const Network& network, std::span<const NodeIndex> flat,
               std::vector<double>& level) {
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
void report_levels(const Shared& shared, const std::vector<Plateau>& plateaus, NodeIndex end_above,
                   NodeIndex end_outside, CutLevels& result) {
    Network& net = shared.net;
    const auto& order = shared.memory.order;
    std::vector<double>& level = net.pull;  // no longer needed
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
    const auto by_original = [&](std::vector<double>& target) {
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
        result.rank[network.original[i]] = static_cast<NodeIndex>(i);
    result.flow.assign(n_arcs, 0.0);
    for (std::size_t e = 0; e < network.edges.size(); ++e)
        result.flow[network.origin[e]] = network.edges[e].flow;
}

void add_counters(const PathCounters& part, PathCounters& total) {
    total.regions += part.regions;
    total.depth = std::max(total.depth, part.depth);
    total.router.phases += part.router.phases;
    total.router.scanned_arcs += part.router.scanned_arcs;
    total.router.pushes += part.router.pushes;
}

// For threads that cannot ask whether the user wants to stop: they follow the one that can.
class Follow final : public Interrupt {
  public:
    explicit Follow(const Tasks<Region>& tasks) : tasks_(tasks) {}
    bool requested() override { return tasks_.stopped(); }

  private:
    const Tasks<Region>& tasks_;
};

// The calling thread and up to n_threads - 1 others work until all regions are finished; returns
// false when interrupted.
bool run_all(Worker& first, Shared& shared, int n_threads, std::vector<Plateau>& plateaus,
             PathCounters& counters) {
    constexpr std::size_t kNodesPerThread = 8192;  // for less, starting a thread does not pay
    const auto useful = static_cast<int>(1 + shared.net.nodes.size() / kNodesPerThread);
    Follow follow(shared.tasks);
    std::deque<Worker> others;
    {
        std::vector<std::jthread> threads;
        for (int k = 1; k < std::min(n_threads, useful); ++k) {
            others.emplace_back(shared, follow);
            threads.emplace_back([worker = &others.back()] { worker->run(); });
        }
        first.run();
    }
    shared.tasks.rethrow();
    const auto collect = [&](const Worker& worker) {
        plateaus.insert(plateaus.end(), worker.plateaus().begin(), worker.plateaus().end());
        add_counters(worker.counters(), counters);
    };
    collect(first);
    std::ranges::for_each(others, collect);
    return !shared.tasks.stopped();
}

}  // namespace

Status solve_levels(const CutProblem& problem, Interrupt& interrupt, const PathOptions& options,
                    CutLevels& result) {
    Network network;
    Status status = build_network(problem, interrupt, network);
    if (status == Status::optimal)
        status = relax_edges(network, options.relaxation_rounds, interrupt);
    if (status != Status::optimal) return status;

    Shared shared(problem, network);
    Worker worker(shared, interrupt);
    Region all{0, network.n_nodes(), 0.0, problem.lowest, problem.highest, 0};
    if (!worker.cut_off_beyond<-1>(all, problem.highest)) return Status::interrupted;
    const NodeIndex end_above = all.begin;
    if (!worker.cut_off_beyond<1>(all, problem.lowest)) return Status::interrupted;
    const NodeIndex end_outside = all.begin;
    if (all.begin != all.end) shared.tasks.add(all);

    std::vector<Plateau> plateaus;
    if (!run_all(worker, shared, options.n_threads, plateaus, result.counters))
        return Status::interrupted;
    merge_equal(plateaus);
    report_breakpoints(plateaus, result);
    report_levels(shared, plateaus, end_above, end_outside, result);
    report_flow(network, problem.pull.size(), problem.weights.size(), result);
    result.counters.free_nodes = network.n_nodes();
    result.counters.edges = static_cast<std::int64_t>(network.edges.size());
    return Status::optimal;
}

}  // namespace pucut::flow
