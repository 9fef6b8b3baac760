// One thread's part in the divide and conquer over the levels: takes regions, splits them, finishes
// them. The method is at the top of parametric_cut.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "common/index.hpp"
#include "common/tasks.hpp"
#include "flow/parametric_cut.hpp"
#include "flow/residual_network.hpp"
#include "flow/router.hpp"

namespace pucut::flow {

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

// What the workers share. Each works on the nodes of its own region only, and on the edges between
// them, so they need no locks; and no result depends on which of them does what, or when.
struct RegionState {
    RegionState(const CutProblem& input, Network& built, NodeIndex worth)
        : problem(input), net(built), worth_sharing(worth), part(built.pull.size()) {
        memory.order.resize(built.pull.size());
        memory.spare.resize(built.pull.size());
        memory.label.resize(built.pull.size());
        std::iota(memory.order.begin(), memory.order.end(), NodeIndex{0});
    }

    const CutProblem& problem;
    Network& net;
    NodeIndex worth_sharing;  // see PathOptions
    RouterMemory memory;
    ZeroedBuffer<std::int8_t> part;  // which part of the region last separated a node went to
    Tasks<Region> tasks;
};

class RegionWorker {
  public:
    RegionWorker(RegionState& shared, Interrupt& stop)
        : shared_(shared),
          problem_(shared.problem),
          net_(shared.net),
          order_(shared.memory.order),
          part_(shared.part),
          stop_(stop),
          router_(shared.net, shared.memory, stop) {}

    // What is left of `all` without the nodes that lie strictly beyond the level: above (Direction
    // = -1) or below it (+1). These stand before it in the order. Nothing when interrupted.
    template <int Direction>
    std::optional<Region> cut_off_beyond(Region all, double level);

    // Works on regions until none is left, or until told to stop.
    void run();

    [[nodiscard]] const std::vector<Plateau>& plateaus() const { return plateaus_; }
    [[nodiscard]] PathCounters counters() const {
        PathCounters counters = counters_;
        counters.router = router_.counters();
        return counters;
    }

  private:
    [[nodiscard]] std::span<NodeIndex> nodes(NodeIndex begin, NodeIndex end) {
        return std::span(order_).subspan(to<std::size_t>(begin), to<std::size_t>(end - begin));
    }
    [[nodiscard]] std::span<NodeIndex> nodes(const Region& region) {
        return nodes(region.begin, region.end);
    }

    bool work_on(Region region);  // false when interrupted
    std::optional<Parts> settle(const Region& region);
    void leave_for_later(const Region& region);
    void move_to_level(Region& region, double level);
    void recount(Region& region);
    void freeze_between(std::initializer_list<Region> parts);
    std::span<const Arc> keep_arcs_within_part(NodeIndex node);
    void finish(const Region& region);

    RegionState& shared_;
    const CutProblem& problem_;
    Network& net_;
    ZeroedBuffer<NodeIndex>& order_;
    ZeroedBuffer<std::int8_t>& part_;
    Interrupt& stop_;
    Router router_;
    std::vector<Region> pending_;  // too small to be shared
    std::vector<Plateau> plateaus_;
    std::vector<NodeIndex> scratch_;
    PathCounters counters_;
};

}  // namespace pucut::flow
