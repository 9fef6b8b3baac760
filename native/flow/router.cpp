#include "flow/router.hpp"

#include <algorithm>
#include <cstdint>

#include "common/index.hpp"
#include "common/prefetch.hpp"

namespace pucut::flow {
namespace {

// Labels. A node outside the forest has one with the top bit set.
constexpr std::uint32_t kUnreachedLoad = 1U << 31;
constexpr std::uint32_t kUnreached = kUnreachedLoad + 1;
constexpr std::uint32_t kGone = kUnreachedLoad - 1;  // on one side for good

constexpr std::size_t kAhead = 8;  // nodes fetched before they are needed

// For the choice of roots, by trial. Arcs scanned differ by at most 6 % for a kLarge of 300 to 3000
// and a kLopsided of 3 to 5. A kLopsided of 2 costs up to 44 % more on some graphs, a kSlow of 0.9
// up to 13 % more, a kSlow of 0.6 between 10 % less and 15 % more.
constexpr std::size_t kLarge = 1000;  // nodes of a region
constexpr std::size_t kLopsided = 4;  // nodes with one sign of imbalance for one with the other
constexpr double kSlow = 0.75;        // part of the imbalance that a phase should not leave

}  // namespace

Router::Router(Network& network, RouterMemory& memory, Interrupt& interrupt)
    : net_(network), interrupt_(interrupt), memory_(memory), label_(memory.label) {
    const std::size_t n = network.pull.size();
    queue_.resize(n + 1);  // grow() writes one beyond the last
    waits_.assign(n, false);
}

void Router::use_range_of(std::span<NodeIndex> region) {
    const auto begin = to<std::size_t>(region.data() - memory_.order.data());
    spare_ = std::span(memory_.spare).subspan(begin, region.size());
}

bool Router::interrupted() {
    constexpr std::int64_t kWorkBetweenPolls = 1 << 20;
    const std::int64_t work = counters_.scanned_arcs + counters_.pushes;
    if (work - polled_at_ < kWorkBetweenPolls) return false;
    polled_at_ = work;
    return interrupt_.requested();
}

std::optional<Parts> Router::route(std::span<NodeIndex> region, double shift) {
    use_range_of(region);
    if (shift != 0.0)
        for (const NodeIndex node : region)
            net_.nodes[node].excess -= shift * net_.nodes[node].dust;
    Parts parts{0, region.size()};
    Imbalance last;
    bool to_deficits = false;
    bool finished = true;
    while (finished) {
        const std::span<NodeIndex> middle =
            region.subspan(parts.upper_end, parts.lower_begin - parts.upper_end);
        const Imbalance now = imbalance(middle);
        if (now.n_excess == 0 && now.n_deficit == 0) break;
        if (now.n_excess == 0) parts.lower_begin = parts.upper_end;  // all of the middle is below
        if (now.n_deficit == 0) parts.upper_end = parts.lower_begin;
        if (now.n_excess == 0 || now.n_deficit == 0) break;
        to_deficits = choose_direction(region.size(), last, now, to_deficits);
        last = now;
        if (to_deficits)
            parts.upper_end += run_phase<1>(middle, now.n_excess);
        else
            parts.lower_begin -= run_phase<-1>(middle, now.n_deficit);
        finished = !interrupted();
    }
    if (shift != 0.0)
        for (const NodeIndex node : region)
            net_.nodes[node].excess += shift * net_.nodes[node].dust;
    if (!finished) return std::nullopt;
    return parts;
}

Router::Imbalance Router::imbalance(std::span<const NodeIndex> region) const {
    Imbalance result;
    for (const NodeIndex number : region) {
        const Node& node = net_.nodes[number];
        result.n_excess += node.excess > node.dust ? 1 : 0;
        result.n_deficit += node.excess < -node.dust ? 1 : 0;
        result.excess += std::max(node.excess, 0.0);
        result.deficit += std::max(-node.excess, 0.0);
    }
    return result;
}

// Whether the deficits should be the roots. The smaller total is sent, for all of it can find a
// place. If they are about equal: what is sent piles up, and roots stay where they are. Where both
// signs are all over a large region, the more frequent one makes the better roots, near everything
// and left in place; elsewhere few roots are better. From then on the direction stays until it
// stops making progress.
bool Router::choose_direction(std::size_t region_size, const Imbalance& last, const Imbalance& now,
                              bool to_deficits) {
    if (now.excess > 2.0 * now.deficit) return false;
    if (now.deficit > 2.0 * now.excess) return true;
    const bool is_first = last.n_excess == 0;
    if (is_first) {
        const auto [fewer, more] = std::minmax(now.n_excess, now.n_deficit);
        const bool roots_everywhere = region_size >= kLarge && more < kLopsided * fewer;
        return (now.n_deficit > now.n_excess) == roots_everywhere;
    }
    const bool is_slow = now.excess > kSlow * last.excess && now.deficit > kSlow * last.deficit;
    return is_slow ? !to_deficits : to_deficits;
}

// Direction = +1: roots are the deficits, loads the excess, and flow runs along arcs towards the
// roots. -1: the mirror image, in which flow runs from the roots. Returns how many nodes are
// separated from the roots for good; they are moved to the front (+1: they are above) or to the
// back (-1).
template <int Direction>
std::size_t Router::run_phase(std::span<NodeIndex> region, std::size_t n_loaded) {
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
        detour<Direction>(forest_cost / 2);
    }
    return n_separated;
}

template <int Direction>
Router::Forest Router::grow(std::span<const NodeIndex> region, std::size_t n_loaded) {
    Label* const label = label_.data();
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
        const Label next_label = label[node] + 1;
        const std::span<const Arc> arcs = net_.live_arcs(node);
        counters_.scanned_arcs += to<std::int64_t>(arcs.size());
        for (const Arc& arc : arcs) {
            // Without a branch: which arcs lead on is hard to predict.
            const NodeIndex head = arc.head();
            const Label before = label[head];
            const Label joins = (before & ~arc.closed<-Direction>()) >> 31;  // 1 or 0
            label[head] = before ^ ((before ^ next_label) & (0 - joins));
            queue[tail] = head;
            tail += joins;
            missing -= joins & (before ^ 1);
        }
    }
    n_reached_ = tail;
    return {at == tail, missing < n_loaded};
}

// One wave, the farthest nodes first: every node passes all it can to nodes one step nearer to a
// root.
template <int Direction>
void Router::send() {
    n_waiting_ = 0;
    first_waiting_ = 0;
    for (std::size_t at = n_reached_; at-- > 0;) {
        if (at >= 2 * kAhead) prefetch(&net_.rows[queue_[at - 2 * kAhead]]);
        if (at >= 2 * kAhead) prefetch(&net_.nodes[queue_[at - 2 * kAhead]]);
        if (at >= kAhead) prefetch(net_.arcs.data() + net_.rows[queue_[at - kAhead]].begin);
        const NodeIndex node = queue_[at];
        if (label_[node] == 0) break;
        if (Direction * net_.nodes[node].excess > net_.nodes[node].dust &&
            !pass_on<Direction>(node))
            wait(node);
    }
}

// Between two forests, until the budget of scanned arcs is spent: a node that is stuck takes the
// label its neighbours allow and tries again (push-relabel, first in first out). Half the cost of
// the forest has proved a good budget: an eighth leaves too much to the next forest, the whole
// wastes pushes.
template <int Direction>
void Router::detour(std::int64_t budget) {
    const std::int64_t limit = counters_.scanned_arcs + budget;
    while (n_waiting_ > 0) {
        const NodeIndex number = next_waiting();
        Node& node = net_.nodes[number];
        double load = Direction * node.excess;
        node.note_rounding(load);
        while (load > 0.0 && counters_.scanned_arcs <= limit) {
            // The open arc to the lowest label: as one number, of the label and the arc's place, to
            // avoid branches.
            const std::span<const Arc> arcs = net_.live_arcs(number);
            std::uint64_t best = std::uint64_t{kGone} << 32;
            for (std::size_t k = 0; k < arcs.size(); ++k)
                best = std::min(
                    best,
                    std::uint64_t{label_[arcs[k].head()] | arcs[k].closed<Direction>()} << 32 | k);
            counters_.scanned_arcs += to<std::int64_t>(arcs.size());
            const auto lowest = to<Label>(best >> 32);
            if (lowest == kGone) break;
            label_[number] = lowest + 1;
            const Arc& arc = arcs[best & 0xffffffffU];
            if (give<Direction>(number, arc, load)) wait(arc.head());
        }
        node.excess = Direction * load;
    }
}

// Gives all it can to nodes one step nearer to a root; returns whether that was everything.
template <int Direction>
bool Router::pass_on(NodeIndex number) {
    const Label nearer = label_[number] - 1;
    Node& node = net_.nodes[number];
    double load = Direction * node.excess;
    node.note_rounding(load);
    counters_.scanned_arcs += net_.rows[number].degree;
    const auto leads_nearer = [&](const Arc& arc) {
        return (label_[arc.head()] | arc.closed<Direction>()) == nearer;
    };
    for (const Arc& arc : net_.live_arcs(number)) {
        if (!leads_nearer(arc)) continue;
        prefetch(&net_.edges[arc.edge()]);
        prefetch(&net_.nodes[arc.head()]);
    }
    for (const Arc& arc : net_.live_arcs(number)) {
        if (!leads_nearer(arc)) continue;
        // Of the nodes that receive, only roots wait: the turn of the others comes in this wave.
        if (give<Direction>(number, arc, load) && nearer == 0) wait(arc.head());
        if (load <= 0.0) break;
    }
    node.excess = Direction * load;
    return load <= 0.0;
}

// Moves as much of the load as the arc can carry; returns whether its head now has something to
// pass on.
template <int Direction>
bool Router::give(NodeIndex number, const Arc& arc, double& load) {
    const double amount = std::min(load, net_.residual<Direction>(number, arc));
    net_.push<Direction>(number, arc, amount);
    ++counters_.pushes;
    load -= amount;
    Node& head = net_.nodes[arc.head()];
    head.excess += Direction * amount;
    head.note_rounding(amount);
    return Direction * head.excess > head.dust;
}

void Router::wait(NodeIndex node) {
    if (waits_[node]) return;
    waits_[node] = true;
    const std::size_t at = first_waiting_ + n_waiting_++;
    spare_[at < spare_.size() ? at : at - spare_.size()] = node;
}

NodeIndex Router::next_waiting() {
    if (n_waiting_ > 2 * kAhead && first_waiting_ + 2 * kAhead < spare_.size()) {
        const NodeIndex soon = spare_[first_waiting_ + 2 * kAhead];
        prefetch(&net_.rows[soon]);
        prefetch(&net_.nodes[soon]);
        prefetch(net_.arcs.data() + net_.rows[spare_[first_waiting_ + kAhead]].begin);
    }
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
    std::copy_n(spare_.begin(), moved, region.begin() + to<std::ptrdiff_t>(kept));
    for (const NodeIndex node : region.last(moved)) label_[node] = kGone;
    return moved;
}

template <int Direction>
std::size_t Router::bring_reachable_to_front(std::span<NodeIndex> region,
                                             std::span<const NodeIndex> roots) {
    use_range_of(region);
    for (const NodeIndex node : region) label_[node] = kUnreached;
    std::size_t tail = 0;
    for (const NodeIndex node : roots) {
        label_[node] = 0;
        queue_[tail++] = node;
    }
    for (std::size_t at = 0; at < tail; ++at) {
        const NodeIndex node = queue_[at];
        for (const Arc& arc : net_.live_arcs(node)) {
            if (label_[arc.head()] != kUnreached || arc.closed<-Direction>() != 0) continue;
            label_[arc.head()] = 0;
            queue_[tail++] = arc.head();
        }
    }
    return region.size() - move_unreached_to_back(region);
}

template std::size_t Router::bring_reachable_to_front<1>(std::span<NodeIndex>,
                                                         std::span<const NodeIndex>);
template std::size_t Router::bring_reachable_to_front<-1>(std::span<NodeIndex>,
                                                          std::span<const NodeIndex>);

}  // namespace pucut::flow
