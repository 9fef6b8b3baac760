#include "flow/region_worker.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "common/compensated_sum.hpp"
#include "common/index.hpp"

namespace pucut::flow {
namespace {

constexpr double kUnitRoundoff = 0x1p-53;

// An imbalance of a few times the dust of a node is rounding, no reason to separate the node from
// its neighbours.
constexpr double kSignificant = 4.0;

bool is_whole(const Parts& parts, const Region& region) {
    const auto size = to<std::size_t>(region.end - region.begin);
    return parts.upper_end == size || parts.lower_begin == 0 ||
           (parts.upper_end == 0 && parts.lower_begin == size);
}

}  // namespace

void RegionWorker::run() {
    while (const std::optional<Region> task = shared_.tasks.take(stop_)) {
        pending_.push_back(*task);
        while (!pending_.empty()) {
            const Region region = pending_.back();
            pending_.pop_back();
            if (!work_on(region)) return;
        }
        shared_.tasks.finish();
    }
}

void RegionWorker::leave_for_later(const Region& region) {
    if (region.begin == region.end) return;
    if (region.end - region.begin >= shared_.worth_sharing)
        shared_.tasks.add(region);
    else
        pending_.push_back(region);
}

template <int Direction>
std::optional<Region> RegionWorker::cut_off_beyond(Region all, double level) {
    const auto is_beyond = [&](NodeIndex number) {
        const Node& node = net_.nodes[number];
        const double excess = node.excess - (level - all.level) * node.slope;
        return -Direction * excess > kSignificant * node.dust;
    };
    // As a rule there is none; then nothing is moved, and nothing rounded.
    if (std::ranges::none_of(nodes(all), is_beyond)) return all;
    move_to_level(all, level);
    if (!router_.route(nodes(all), 0.0)) return std::nullopt;
    // What is left at a node of small amounts may be the rounding of its neighbours, which counts
    // as none there. Let every node take in its share of rounding: then whatever lies beyond does
    // so by more than rounding can explain, and nodes that are tied at the end stay in the range.
    if (std::ranges::any_of(nodes(all), is_beyond) && !router_.route(nodes(all), -2.0 * Direction))
        return std::nullopt;
    scratch_.clear();
    std::ranges::copy_if(nodes(all), std::back_inserter(scratch_), is_beyond);
    const std::size_t n_beyond = router_.bring_reachable_to_front<Direction>(nodes(all), scratch_);
    Region beyond = all;
    all.begin = beyond.end = beyond.begin + to<NodeIndex>(n_beyond);
    freeze_between({beyond, all});
    recount(all);
    return all;
}

// Excesses anew from the flow, relative to the level 0: far out, at the ends of a wide range, their
// digits were lost.
void RegionWorker::recount(Region& region) {
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

bool RegionWorker::work_on(Region region) {
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
    if (region.end - region.begin == 1 || region.floor == region.ceiling) {
        finish(region);
        return true;
    }
    const std::optional<Parts> parts = settle(region);
    if (!parts) return false;
    if (is_whole(*parts, region)) {
        finish(region);
        return true;
    }
    Region upper = region;
    Region middle = region;
    Region lower = region;
    upper.end = middle.begin = region.begin + to<NodeIndex>(parts->upper_end);
    lower.begin = middle.end = region.begin + to<NodeIndex>(parts->lower_begin);
    upper.floor = lower.ceiling = region.level;
    upper.depth = lower.depth = region.depth + 1;
    freeze_between({upper, middle, lower});
    if (middle.begin != middle.end) finish(middle);
    leave_for_later(lower);
    leave_for_later(upper);
    return true;
}

// Routes what can be routed. Nothing when interrupted.
std::optional<Parts> RegionWorker::settle(const Region& region) {
    std::optional<Parts> parts = router_.route(nodes(region), 0.0);
    if (!parts) return std::nullopt;
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
    if (left > 2.0 * dust && !is_whole(*parts, region)) return parts;
    // What is left is rounding for the region as a whole, but may still mean much to nodes of tiny
    // weight. Let every node take in its share of rounding, and see whether something real remains.
    parts = Parts{0, nodes(region).size()};
    if (over) parts = router_.route(nodes(region), 2.0);
    if (under && parts && is_whole(*parts, region)) parts = router_.route(nodes(region), -2.0);
    return parts;
}

void RegionWorker::move_to_level(Region& region, double level) {
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
void RegionWorker::freeze_between(std::initializer_list<Region> parts) {
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
std::span<const Arc> RegionWorker::keep_arcs_within_part(NodeIndex node) {
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
    net_.rows[node].degree = to<NodeIndex>(kept);
    return arcs.subspan(kept);
}

// The level, anew from the input: pulls and the flow over frozen arcs, which is exactly their
// weight.
void RegionWorker::finish(const Region& region) {
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

template std::optional<Region> RegionWorker::cut_off_beyond<1>(Region, double);
template std::optional<Region> RegionWorker::cut_off_beyond<-1>(Region, double);

}  // namespace pucut::flow
