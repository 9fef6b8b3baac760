// Routes excess to deficits inside one region, and says which nodes end on which side of the
// minimum cut.
//
// In phases. Each grows a breadth-first forest, from the deficits or from the excess, whichever can
// take in more, over arcs with residual capacity, and then sends everything down the forest in one
// wave, the farthest nodes first, over all arcs that lead one step nearer to a root. What gets
// stuck, or arrives where it is not needed, then looks for a way by itself for about half the cost
// of a forest. Nodes that a complete forest does not reach are on one side for good and leave the
// work.
//
// (Blocking flows: Dinic 1970, Karzanov 1974. Push-relabel with global relabelling: Goldberg and
// Tarjan 1988. Flow kept where it is stuck instead of returned: Hochbaum 2008.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flow/residual_network.hpp"

namespace pucut::flow {

struct RouterCounters {
    std::int64_t phases = 0;
    std::int64_t scanned_arcs = 0;
    std::int64_t pushes = 0;
};

// The nodes of a region in three parts: [0, upper_end) upper, [lower_begin, size) lower, balanced
// nodes between.
struct Parts {
    std::size_t upper_end = 0;
    std::size_t lower_begin = 0;
};

// What routers of different regions share: each works on its own range of the order and its nodes.
struct RouterMemory {
    using Label = std::uint32_t;

    ZeroedBuffer<NodeIndex> order;  // of all nodes; a region is a range of it
    ZeroedBuffer<NodeIndex> spare;  // the same range of this is free for use
    ZeroedBuffer<Label> label;      // by node: arcs to the nearest root, or why there is none
};

class Router {
  public:
    Router(Network& network, RouterMemory& memory, Interrupt& interrupt);

    // Routes within `region` (nodes whose unfrozen arcs stay inside it) and reorders it into its
    // parts. Imbalance up to a node's dust counts as none; before, `shift` times its dust is taken
    // from every node's excess, and given back after. Nothing when interrupted.
    std::optional<Parts> route(std::span<NodeIndex> region, double shift);

    // Moves to the front the nodes that can be reached from one of `roots` (Direction = -1) or can
    // reach one (+1); returns how many.
    template <int Direction>
    std::size_t bring_reachable_to_front(std::span<NodeIndex> region,
                                         std::span<const NodeIndex> roots);

    [[nodiscard]] const RouterCounters& counters() const { return counters_; }

  private:
    using Label = RouterMemory::Label;
    struct Imbalance {
        std::size_t n_excess = 0;  // nodes
        std::size_t n_deficit = 0;
        double excess = 0.0;  // totals
        double deficit = 0.0;
    };
    struct Forest {
        bool complete;       // no node that can be reached is missing
        bool reaches_loads;  // there is something to send
    };
    [[nodiscard]] Imbalance imbalance(std::span<const NodeIndex> region) const;
    static bool choose_direction(std::size_t region_size, const Imbalance& last,
                                 const Imbalance& now, bool to_deficits);
    template <int Direction>
    std::size_t run_phase(std::span<NodeIndex> region, std::size_t n_loaded);
    template <int Direction>
    Forest grow(std::span<const NodeIndex> region, std::size_t n_loaded);
    template <int Direction>
    void send();
    template <int Direction>
    void detour(std::int64_t budget);
    template <int Direction>
    bool pass_on(NodeIndex number);
    template <int Direction>
    bool give(NodeIndex number, const Arc& arc, double& load);
    void wait(NodeIndex node);
    NodeIndex next_waiting();
    std::size_t move_unreached_to_front(std::span<NodeIndex> region);
    std::size_t move_unreached_to_back(std::span<NodeIndex> region);
    bool interrupted();
    void use_range_of(std::span<NodeIndex> region);

    Network& net_;
    Interrupt& interrupt_;
    RouterMemory& memory_;
    ZeroedBuffer<Label>& label_;
    ZeroedBuffer<NodeIndex> queue_;  // nodes of the forest, by label
    std::size_t n_reached_ = 0;      // of the queue
    std::span<NodeIndex> spare_;     // ring of nodes that wait for a detour; space for reordering
    std::size_t first_waiting_ = 0;
    std::size_t n_waiting_ = 0;
    std::vector<bool> waits_;
    std::int64_t polled_at_ = 0;
    RouterCounters counters_;
};

}  // namespace pucut::flow
