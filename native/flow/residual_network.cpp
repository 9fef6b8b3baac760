#include "flow/residual_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/compensated_sum.hpp"
#include "common/index.hpp"
#include "common/prefetch.hpp"

namespace pucut::flow {
namespace {

constexpr NodeIndex kAhead = 8;  // rows fetched before they are needed

constexpr NodeIndex kSeed = -1;
constexpr NodeIndex kUnseen = -2;

void prefetch_row(const CutProblem& problem, NodeIndex node) {
    prefetch(problem.neighbors.data() + problem.offsets[node]);
    prefetch(problem.weights.address(problem.offsets[node]));
}

std::span<const NodeIndex> neighbors_of(const CutProblem& problem, NodeIndex node) {
    return {problem.neighbors.data() + problem.offsets[node],
            problem.neighbors.data() + problem.offsets[node + 1]};
}

struct Numbering {
    Buffer<NodeIndex> number;  // by original number; kSeed for seeds
    ArcIndex n_arcs = 0;
};

// Breadth-first numbering of the free nodes, contracting seeds into the pulls on the way.
Numbering number_nodes(const CutProblem& problem, Network& network) {
    const std::size_t n = problem.pull.size();
    Numbering result;
    result.number.resize(n);
    std::size_t n_free = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_free = problem.side[i] == Side::free;
        result.number[i] = is_free ? kUnseen : kSeed;
        n_free += is_free ? 1 : 0;
    }
    auto& order = network.original;
    order.reserve(n_free);
    network.pull.resize(n_free);
    network.nodes.resize(n_free);
    network.rows.resize(n_free + 1);
    network.rows[0] = {0, 0};
    for (std::size_t root = 0; root < n; ++root) {
        if (result.number[root] != kUnseen) continue;
        std::size_t at = order.size();
        network.parts.push_back(to<NodeIndex>(at));
        result.number[root] = to<NodeIndex>(at);
        order.push_back(to<NodeIndex>(root));
        for (; at < order.size(); ++at) {
            if (at + kAhead < order.size()) prefetch_row(problem, order[at + kAhead]);
            if (at + kAhead / 2 < order.size())
                for (const NodeIndex other : neighbors_of(problem, order[at + kAhead / 2]))
                    prefetch(&result.number[other]);
            const NodeIndex node = order[at];
            CompensatedSum contracted(problem.pull[node]);
            ArcIndex degree = 0;
            for (ArcIndex k = problem.offsets[node]; k < problem.offsets[node + 1]; ++k) {
                const NodeIndex other = problem.neighbors[k];
                const double weight = problem.weights[k];
                if (weight == 0.0 || other == node) continue;
                NodeIndex& number = result.number[other];
                if (number == kSeed) {
                    contracted.add(problem.side[other] == Side::source ? weight : -weight);
                    continue;
                }
                if (number == kUnseen) {
                    number = to<NodeIndex>(order.size());
                    order.push_back(other);
                }
                ++degree;
            }
            const double pull = contracted.value();
            network.pull[at] = pull;
            network.nodes[at] = {pull, problem.slope[node], 0.0};
            network.nodes[at].note_rounding(pull);
            network.rows[at + 1] = {network.rows[at].begin + degree, 0};
        }
    }
    result.n_arcs = network.rows[n_free].begin;
    return result;
}

}  // namespace

BuiltNetwork build_network(const CutProblem& problem, Interrupt& interrupt) {
    BuiltNetwork built;
    Network& network = built.network;
    const Numbering numbering = number_nodes(problem, network);
    if (interrupt.requested()) built.status = Status::interrupted;
    if (numbering.n_arcs / 2 > std::numeric_limits<EdgeIndex>::max())
        built.status = Status::too_large;
    if (built.status != Status::optimal) return built;
    const std::size_t n = network.original.size();
    network.arcs.resize(to<std::size_t>(numbering.n_arcs));
    network.edges.resize(to<std::size_t>(numbering.n_arcs / 2));
    network.ends.resize(network.edges.size());
    network.origin.resize(network.edges.size());
    EdgeIndex n_edges = 0;
    for (NodeIndex tail = 0; tail < to<NodeIndex>(n); ++tail) {
        if (tail + kAhead < to<NodeIndex>(n))
            prefetch_row(problem, network.original[tail + kAhead]);
        if (tail + kAhead / 2 < to<NodeIndex>(n))
            for (const NodeIndex other : neighbors_of(problem, network.original[tail + kAhead / 2]))
                prefetch(&numbering.number[other]);
        const NodeIndex node = network.original[tail];
        // Arcs to smaller numbers are in place already; those to larger ones follow, in the order
        // of their edges.
        for (ArcIndex k = problem.offsets[node]; k < problem.offsets[node + 1]; ++k) {
            const NodeIndex head = numbering.number[problem.neighbors[k]];
            const double weight = problem.weights[k];
            if (head <= tail || weight == 0.0) continue;
            const ArcIndex forward = network.rows[tail].begin + network.rows[tail].degree++;
            const ArcIndex backward = network.rows[head].begin + network.rows[head].degree++;
            network.arcs[forward] = {head, n_edges};
            network.arcs[backward] = {tail, n_edges};
            network.edges[n_edges] = {weight, 0.0, to<std::uint32_t>(forward),
                                      to<std::uint32_t>(backward)};
            network.ends[n_edges] = {tail, head};
            network.origin[n_edges] = k;
            ++n_edges;
        }
    }
    if (interrupt.requested()) built.status = Status::interrupted;
    return built;
}

bool relax_edges(Network& network, int rounds, Interrupt& interrupt) {
    // One loop over edges rather than nested ones over nodes and their few arcs, whose ends are
    // hard to predict.
    const auto n_edges = to<EdgeIndex>(network.edges.size());
    for (int round = 0; round < rounds; ++round) {
        for (EdgeIndex step = 0; step < n_edges; ++step) {
            const EdgeIndex number = round % 2 == 0 ? step : n_edges - 1 - step;
            Edge& edge = network.edges[number];
            Node& tail = network.nodes[network.ends[number].smaller];
            Node& head = network.nodes[network.ends[number].larger];
            const double slope = tail.slope + head.slope;
            if (slope == 0.0) continue;
            const double wish =
                tail.excess * (head.slope / slope) - head.excess * (tail.slope / slope);
            const double flow = std::min(std::max(edge.flow + wish, -edge.weight), edge.weight);
            const double moved = flow - edge.flow;
            edge.flow = flow;
            tail.excess -= moved;
            head.excess += moved;
        }
        if (interrupt.requested()) return false;
    }
    // Excesses anew from the flows, without the rounding errors of all the rounds.
    for (std::size_t i = 0; i < network.nodes.size(); ++i)
        network.nodes[i].excess = network.pull[i];
    for (EdgeIndex number = 0; number < n_edges; ++number) {
        const double flow = network.edges[number].flow;
        Node& tail = network.nodes[network.ends[number].smaller];
        Node& head = network.nodes[network.ends[number].larger];
        tail.excess -= flow;
        head.excess += flow;
        tail.note_rounding(flow);
        head.note_rounding(flow);
        network.update_arcs(number);
    }
    network.ends = {};  // needed no more
    return true;
}

}  // namespace pucut::flow
