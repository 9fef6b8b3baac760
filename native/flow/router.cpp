#include "flow/router.hpp"

#include "flow/prefetch.hpp"

#include <algorithm>
#include <limits>

namespace pucut::flow {
namespace {

constexpr NodeIndex kUnreached = std::numeric_limits<NodeIndex>::max();
constexpr NodeIndex kUnreachedLoad = kUnreached - 1;
constexpr NodeIndex kGone = -1;  // on one side for good

}  // namespace

Router::Router(Network& network, Interrupt& interrupt) : net_(network), interrupt_(interrupt) {
    const std::size_t n = network.pull.size();
    label_.resize(n);
    queue_.resize(n);
    spare_.resize(n);
    waits_.assign(n, false);
}

bool Router::interrupted() {
    constexpr std::int64_t kWorkBetweenPolls = 1 << 20;
    const std::int64_t work = counters_.scanned_arcs + counters_.pushes;
    if (work - polled_at_ < kWorkBetweenPolls) return false;
    polled_at_ = work;
    return interrupt_.requested();
}

bool Router::route(std::span<NodeIndex> region, double shift, Parts& parts) {
    if (shift != 0.0)
        for (const NodeIndex node : region)
            net_.nodes[node].excess -= shift * net_.nodes[node].dust;
    std::size_t begin = 0;
    std::size_t end = region.size();
    bool finished = true;
    for (;;) {
        const std::span<NodeIndex> middle = region.subspan(begin, end - begin);
        std::size_t n_excess = 0;
        std::size_t n_deficit = 0;
        double total_excess = 0.0;
        double total_deficit = 0.0;
        for (const NodeIndex number : middle) {
            const Node& node = net_.nodes[number];
            n_excess += node.excess > node.dust ? 1 : 0;
            n_deficit += node.excess < -node.dust ? 1 : 0;
            total_excess += std::max(node.excess, 0.0);
            total_deficit += std::max(-node.excess, 0.0);
        }
        if (n_excess == 0 && n_deficit == 0) break;
        if (n_excess == 0) end = begin;  // all of the middle is below
        if (n_deficit == 0) begin = end;
        if (n_excess == 0 || n_deficit == 0) break;
        // Send what is less in total, so that all of it can be taken in; if that is undecided, to
        // the fewer nodes.
        const bool decided =
            total_excess > 2.0 * total_deficit || total_deficit > 2.0 * total_excess;
        const bool to_deficits = decided ? total_excess < total_deficit : n_deficit <= n_excess;
        if (to_deficits)
            begin += run_phase<1>(middle, n_excess);
        else
            end -= run_phase<-1>(middle, n_deficit);
        if (interrupted()) {
            finished = false;
            break;
        }
    }
    if (shift != 0.0)
        for (const NodeIndex node : region)
            net_.nodes[node].excess += shift * net_.nodes[node].dust;
    parts = {begin, end};
    return finished;
}

// Direction = +1: roots are the deficits, loads the excess, and flow runs along arcs towards the
// roots. -1: the mirror image, in which flow runs from the roots. Returns how many nodes are
// separated from the roots for good; they are moved to the front (+1: they are above) or to the
// back (-1).
template <int Direction>
std::size_t Router::run_phase(std::span<NodeIndex> region, std::size_t n_loaded) {
    constexpr std::int64_t kForestsPerDetour = 2;
    ++counters_.phases;
    const std::int64_t before = counters_.scanned_arcs;
    const Forest forest = grow<Direction>(region, n_loaded);
    const std::int64_t forest_cost = counters_.scanned_arcs - before;
    std::size_t n_separated = 0;
    if (forest.complete)
        n_separated =
            Direction > 0 ? move_unreached_to_front(region) : move_unreached_to_back(region);
    if (forest.reaches_loads) {
        send<Direction>();
        detour<Direction>(forest_cost / kForestsPerDetour);
    }
    return n_separated;
}

template <int Direction>
Router::Forest Router::grow(std::span<const NodeIndex> region, std::size_t n_loaded) {
    constexpr std::size_t kAhead = 8;
    NodeIndex* const label = label_.data();
    NodeIndex* const queue = queue_.data();
    std::size_t tail = 0;
    for (const NodeIndex node : region) {
        const double load = Direction * net_.nodes[node].excess;
        const double dust = net_.nodes[node].dust;
        label[node] = load < -dust ? 0 : load > dust ? kUnreachedLoad : kUnreached;
        queue[tail] = node;
        tail += load < -dust ? 1 : 0;
    }
    std::size_t missing = n_loaded;
    std::size_t at = 0;
    for (; at < tail && missing > 0; ++at) {
        if (at + kAhead < tail) prefetch(&net_.rows[queue[at + kAhead]]);
        if (at + kAhead / 2 < tail)
            prefetch(net_.arcs.data() + net_.rows[queue[at + kAhead / 2]].begin);
        const NodeIndex node = queue[at];
        const NodeIndex next_label = label[node] + 1;
        const std::span<const Arc> arcs = net_.open_arcs(node);
        counters_.scanned_arcs += static_cast<std::int64_t>(arcs.size());
        for (const Arc& arc : arcs) {
            const NodeIndex before = label[arc.head];
            if (before < kUnreachedLoad || !(net_.residual<-Direction>(node, arc) > 0.0)) continue;
            label[arc.head] = next_label;
            queue[tail++] = arc.head;
            missing -= before == kUnreachedLoad ? 1 : 0;
        }
    }
    n_reached_ = tail;
    return {at == tail, missing < n_loaded};
}

// One wave, the farthest nodes first: every node passes what it has to nodes one step nearer to a
// root.
template <int Direction>
void Router::send() {
    n_waiting_ = 0;
    first_waiting_ = 0;
    for (std::size_t at = n_reached_; at-- > 0;) {
        const NodeIndex node = queue_[at];
        if (label_[node] == 0) break;
        const bool loaded = Direction * net_.nodes[node].excess > net_.nodes[node].dust;
        // Of the nodes that receive, only roots wait: the turn of the others comes in this wave.
        if (loaded && !pass_on<Direction>(node, label_[node] == 1)) wait(node);
    }
}

// Between two forests, for as many arcs as the budget allows: a node that is stuck takes the label
// its neighbours allow and tries again (push-relabel, first in first out).
template <int Direction>
void Router::detour(std::int64_t budget) {
    const std::int64_t limit = counters_.scanned_arcs + budget;
    while (n_waiting_ > 0) {
        const NodeIndex node = next_waiting();
        while (counters_.scanned_arcs <= limit) {
            NodeIndex lowest = kUnreachedLoad - 1;
            counters_.scanned_arcs += net_.rows[node].degree;
            for (const Arc& arc : net_.open_arcs(node)) {
                const NodeIndex label = label_[arc.head];
                if (label < lowest && label != kGone && net_.residual<Direction>(node, arc) > 0.0)
                    lowest = label;
            }
            if (lowest == kUnreachedLoad - 1) break;
            label_[node] = lowest + 1;
            if (pass_on<Direction>(node, true)) break;
        }
    }
}

// Passes the node's load to neighbours one step nearer to a root; returns whether nothing is left.
template <int Direction>
bool Router::pass_on(NodeIndex number, bool receivers_wait) {
    const NodeIndex nearer = label_[number] - 1;
    Node& node = net_.nodes[number];
    double load = Direction * node.excess;
    node.note_rounding(load);
    counters_.scanned_arcs += net_.rows[number].degree;
    for (const Arc& arc : net_.open_arcs(number)) {
        if (label_[arc.head] != nearer) continue;
        const double amount = std::min(load, net_.residual<Direction>(number, arc));
        if (!(amount > 0.0)) continue;
        net_.push<Direction>(number, arc, amount);
        Node& head = net_.nodes[arc.head];
        head.excess += Direction * amount;
        head.note_rounding(amount);
        if (receivers_wait && Direction * head.excess > head.dust) wait(arc.head);
        ++counters_.pushes;
        load -= amount;
        if (load <= 0.0) break;
    }
    node.excess = Direction * load;
    return load <= 0.0;
}

void Router::wait(NodeIndex node) {
    if (waits_[node]) return;
    waits_[node] = true;
    const std::size_t at = first_waiting_ + n_waiting_++;
    spare_[at < spare_.size() ? at : at - spare_.size()] = node;
}

NodeIndex Router::next_waiting() {
    const NodeIndex node = spare_[first_waiting_];
    if (++first_waiting_ == spare_.size()) first_waiting_ = 0;
    --n_waiting_;
    waits_[node] = false;
    return node;
}

std::size_t Router::move_unreached_to_front(std::span<NodeIndex> region) {
    std::size_t kept = region.size();
    std::size_t moved = 0;
    for (std::size_t at = region.size(); at-- > 0;) {
        if (label_[region[at]] >= kUnreachedLoad)
            spare_[moved++] = region[at];
        else
            region[--kept] = region[at];
    }
    std::copy_n(spare_.begin(), moved, region.begin());
    for (const NodeIndex node : region.first(moved)) label_[node] = kGone;
    return moved;
}

std::size_t Router::move_unreached_to_back(std::span<NodeIndex> region) {
    std::size_t kept = 0;
    std::size_t moved = 0;
    for (const NodeIndex node : region) {
        if (label_[node] >= kUnreachedLoad)
            spare_[moved++] = node;
        else
            region[kept++] = node;
    }
    std::copy_n(spare_.begin(), moved, region.begin() + static_cast<std::ptrdiff_t>(kept));
    for (const NodeIndex node : region.last(moved)) label_[node] = kGone;
    return moved;
}

template <int Direction>
std::size_t Router::bring_reachable_to_front(std::span<NodeIndex> region,
                                             std::span<const NodeIndex> roots) {
    for (const NodeIndex node : region) label_[node] = kUnreached;
    std::size_t tail = 0;
    for (const NodeIndex node : roots) {
        label_[node] = 0;
        queue_[tail++] = node;
    }
    for (std::size_t at = 0; at < tail; ++at) {
        const NodeIndex node = queue_[at];
        for (const Arc& arc : net_.open_arcs(node)) {
            if (label_[arc.head] != kUnreached || !(net_.residual<-Direction>(node, arc) > 0.0))
                continue;
            label_[arc.head] = 0;
            queue_[tail++] = arc.head;
        }
    }
    return region.size() - move_unreached_to_back(region);
}

template std::size_t Router::bring_reachable_to_front<1>(std::span<NodeIndex>,
                                                         std::span<const NodeIndex>);
template std::size_t Router::bring_reachable_to_front<-1>(std::span<NodeIndex>,
                                                          std::span<const NodeIndex>);

}  // namespace pucut::flow
