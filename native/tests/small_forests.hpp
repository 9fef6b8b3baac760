// Columns and forests for the tests of trees.
#pragma once

#include <limits>
#include <vector>

#include "trees/forest.hpp"

namespace pucut::trees {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The values stay the caller's.
template <class T>
ColumnView column_of(const std::vector<T>& values, ValueType type) {
    ColumnView view;
    view.values = reinterpret_cast<const std::byte*>(values.data());
    view.stride = sizeof(T);
    view.type = type;
    return view;
}

inline ForestView view_of(const Forest& forest) {
    return {forest.offsets,    forest.nodes.feature,      forest.nodes.threshold,
            forest.nodes.left, forest.nodes.missing_left, forest.nodes.masks};
}

// Thresholds are never NaN, and no two ways of growing differ in the sign of a zero.
inline bool are_the_same(const Forest& a, const Forest& b) {
    return a.offsets == b.offsets && a.nodes.feature == b.nodes.feature &&
           a.nodes.threshold == b.nodes.threshold && a.nodes.left == b.nodes.left &&
           a.nodes.missing_left == b.nodes.missing_left && a.nodes.masks == b.nodes.masks &&
           a.risk_reduction == b.risk_reduction;
}

}  // namespace pucut::trees
