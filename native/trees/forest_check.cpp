#include "trees/forest_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/index.hpp"

namespace pucut::trees {

ForestFault check_node(const ForestView& forest, std::span<const std::int32_t> n_categories,
                       std::int64_t tree, std::int64_t node) {
    const std::int64_t place = forest.offsets[tree] + node;
    const std::int64_t n_nodes = forest.offsets[tree + 1] - forest.offsets[tree];
    const std::int32_t feature = forest.feature[place];
    const double threshold = forest.threshold[place];
    if (feature < -1 || feature >= to<std::int64_t>(n_categories.size()))
        return ForestFault::feature;
    if (std::isnan(threshold)) return ForestFault::threshold;
    if (feature == -1) return ForestFault::none;
    const std::int64_t left = forest.left[place];
    if (left <= node || left + 1 >= n_nodes) return ForestFault::child;
    if (n_categories[feature] == 0) return ForestFault::none;
    const double n_words = std::ceil(n_categories[feature] / 64.0);
    const bool is_inside = threshold >= 0.0 && threshold == std::floor(threshold) &&
                           threshold + n_words <= static_cast<double>(forest.masks.size());
    return is_inside ? ForestFault::none : ForestFault::mask;
}

ForestCheck check_trees(const ForestView& forest, std::span<const std::int32_t> n_categories) {
    const std::size_t n_all = forest.feature.size();
    if (forest.offsets.size() < 2 || n_categories.empty() || forest.threshold.size() != n_all ||
        forest.left.size() != n_all || forest.missing_left.size() != n_all)
        return {ForestFault::lengths, 0, 0};
    const auto is_negative = [](std::int32_t n) { return n < 0; };
    if (std::ranges::any_of(n_categories, is_negative)) return {ForestFault::feature, 0, 0};
    const std::int64_t n_trees = forest.n_trees();
    if (forest.offsets[0] != 0 || forest.offsets[n_trees] != to<std::int64_t>(n_all))
        return {ForestFault::offsets, 0, 0};
    for (std::int64_t tree = 0; tree < n_trees; ++tree)
        if (forest.offsets[tree + 1] <= forest.offsets[tree] ||
            forest.offsets[tree + 1] > to<std::int64_t>(n_all))
            return {ForestFault::offsets, tree, 0};
    for (std::int64_t tree = 0; tree < n_trees; ++tree)
        if (forest.offsets[tree + 1] - forest.offsets[tree] >
            std::numeric_limits<std::int32_t>::max())
            return {ForestFault::offsets, tree, 0};
    return {};
}

ForestCheck check_forest(const ForestView& forest, std::span<const std::int32_t> n_categories) {
    const ForestCheck check = check_trees(forest, n_categories);
    if (check.fault != ForestFault::none) return check;
    for (std::int64_t tree = 0; tree < forest.n_trees(); ++tree) {
        const std::int64_t n_nodes = forest.offsets[tree + 1] - forest.offsets[tree];
        for (std::int64_t node = 0; node < n_nodes; ++node) {
            const ForestFault fault = check_node(forest, n_categories, tree, node);
            if (fault != ForestFault::none) return {fault, tree, node};
        }
    }
    return {};
}

}  // namespace pucut::trees
