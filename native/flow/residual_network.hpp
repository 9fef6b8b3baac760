// The residual network of one parametric cut, in the order in which it is worked on.
//
// Notation (Hochbaum 2001; Chambolle and Darbon 2009). For seeds contracted into the pulls b, the
// nested minimum cuts of a graph with weights w are the level sets of the unique minimiser x of
//
//     sum over edges of w_ij |x_i - x_j|  +  sum over nodes of (g_i x_i^2 / 2 - b_i x_i).
//
// Its dual is a flow f with |f_ij| <= w_ij. Here, once and for all:
//
//     b_i -> pull      g_i -> slope (never negative)      x_i -> level
//     b_i + (net inflow of i) - v g_i -> excess of node i relative to the level v
//
// A node whose excess is negative has a deficit. Flow moves excess to deficits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "common/buffer.hpp"
#include "common/index.hpp"
#include "common/interrupt.hpp"
#include "flow/cut_problem.hpp"

namespace pucut::flow {

// The arcs of a node: the first `degree` of those from `begin` on are live, the others frozen.
struct Row {
    ArcIndex begin;
    NodeIndex degree;
};

struct Node {
    double excess;  // relative to the level the node was last worked at; at first 0
    double slope;
    double dust;  // imbalance that rounding alone can have left here

    // Every sum is rounded relative to what is added: some hundred times 2^-53 of the largest
    // amount moved covers it. Relative to amounts, not to capacities, so that what is tiny among
    // large weights still counts.
    void note_rounding(double amount) { dust = std::max(dust, 0x1p-44 * std::abs(amount)); }
};

// Besides its head and its edge, an arc knows whether residual capacity is left along it and
// against it: one bit each, which spares searches a look at the edge. They are the top bits of two
// numbers that are never negative.
class Arc {
  public:
    Arc() = default;
    Arc(NodeIndex head, EdgeIndex edge)
        : head_(to<std::uint32_t>(head)), edge_(to<std::uint32_t>(edge)) {}

    [[nodiscard]] NodeIndex head() const { return to<NodeIndex>(head_ & ~kClosed); }
    [[nodiscard]] EdgeIndex edge() const { return to<EdgeIndex>(edge_ & ~kClosed); }

    // Not 0 if there is no capacity left in the arc's own direction (Direction = +1) or against it
    // (-1): a number with only the top bit set, which loops can compute with instead of branching.
    template <int Direction>
    [[nodiscard]] std::uint32_t closed() const {
        return (Direction > 0 ? head_ : edge_) & kClosed;
    }
    void set_open(bool along, bool against) {
        head_ = (head_ & ~kClosed) | (along ? 0 : kClosed);
        edge_ = (edge_ & ~kClosed) | (against ? 0 : kClosed);
    }

  private:
    static constexpr std::uint32_t kClosed = 1U << 31;

    std::uint32_t head_;
    std::uint32_t edge_;
};

// Flow is counted positive from the end with the smaller number to the other. A saturated edge
// holds exactly +weight or -weight, so that "is there residual capacity" needs no tolerance.
struct Edge {
    double weight;
    double flow;
    // Where its two arcs are: first the one from its smaller end. Not kept right for frozen arcs.
    std::uint32_t forward;
    std::uint32_t backward;
};

struct Ends {
    NodeIndex smaller;
    NodeIndex larger;
};

// Free nodes only, numbered breadth first so that neighbours lie close together in memory.
struct Network {
    Buffer<NodeIndex> original;    // number in the problem, by number here
    std::vector<NodeIndex> parts;  // the first node of each connected part
    Buffer<double> pull;           // seeds contracted
    Buffer<Node> nodes;
    Buffer<Row> rows;  // one more than nodes, so that rows[i + 1].begin ends the arcs of i
    Buffer<Arc> arcs;
    Buffer<Edge> edges;
    Buffer<Ends> ends;  // by edge; only until the edges have been relaxed
    // By edge: the place in the problem's CSR of its arc from the smaller end.
    Buffer<ArcIndex> origin;

    [[nodiscard]] NodeIndex n_nodes() const { return to<NodeIndex>(pull.size()); }
    [[nodiscard]] std::span<Arc> live_arcs(NodeIndex node) {
        const Row row = rows[node];
        return {arcs.data() + row.begin, to<std::size_t>(row.degree)};
    }
    [[nodiscard]] std::span<const Arc> frozen_arcs(NodeIndex node) const {
        return {arcs.data() + rows[node].begin + rows[node].degree,
                arcs.data() + rows[node + 1].begin};
    }
    [[nodiscard]] std::span<const Arc> all_arcs(NodeIndex node) const {
        return {arcs.data() + rows[node].begin, arcs.data() + rows[node + 1].begin};
    }

    // Capacity left on an arc from `tail`, in its own direction (Direction = +1) or against it
    // (-1).
    template <int Direction>
    [[nodiscard]] double residual(NodeIndex tail, const Arc& arc) const {
        const Edge& edge = edges[arc.edge()];
        return edge.weight - flip_if((tail < arc.head()) != (Direction > 0), edge.flow);
    }

    // Moves `amount` along the arc (against it for Direction = -1).
    template <int Direction>
    void push(NodeIndex tail, const Arc& arc, double amount) {
        Edge& edge = edges[arc.edge()];
        const bool flipped = (tail < arc.head()) != (Direction > 0);
        const double flow = flip_if(flipped, edge.flow);
        const double after = amount < edge.weight - flow ? flow + amount : edge.weight;
        edge.flow = flip_if(flipped, after);
        if (after == edge.weight || flow == -edge.weight) update_arcs(arc.edge());
    }

    // To be called when an edge may have become saturated, or ceased to be.
    void update_arcs(EdgeIndex number) {
        const Edge& edge = edges[number];
        const bool forward = edge.flow != edge.weight;
        const bool backward = edge.flow != -edge.weight;
        arcs[edge.forward].set_open(forward, backward);
        arcs[edge.backward].set_open(backward, forward);
    }

    // To be called when an arc has moved.
    void update_place(NodeIndex tail, const Arc& arc) {
        Edge& edge = edges[arc.edge()];
        (tail < arc.head() ? edge.forward : edge.backward) = to<std::uint32_t>(&arc - arcs.data());
    }

  private:
    // Changes the sign if asked to, without a branch: which end of an edge has the smaller number
    // is a coin toss.
    static double flip_if(bool flip, double value) {
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^
                                     (std::uint64_t{flip} << 63));
    }
};

// Not whole unless the status is optimal.
struct BuiltNetwork {
    Status status = Status::optimal;
    Network network;
};

BuiltNetwork build_network(const CutProblem& problem, Interrupt& interrupt);

// Rounds of exact dual coordinate ascent: each edge in turn takes the flow that makes its two ends
// level, as far as its weight allows. Cheap, and leaves only long-range transport to the search.
// Returns false when interrupted.
bool relax_edges(Network& network, int rounds, Interrupt& interrupt);

}  // namespace pucut::flow
