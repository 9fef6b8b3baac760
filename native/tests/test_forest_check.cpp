#include "check.hpp"
#include "trees/forest_check.hpp"

using namespace pucut::trees;

namespace {

// Two trees. The first asks a number, then a category out of 70, whose mask takes two words; the
// second is a leaf.
struct Arrays {
    std::vector<std::int64_t> offsets{0, 5, 6};
    std::vector<std::int32_t> feature{0, 1, -1, -1, -1, -1};
    std::vector<double> threshold{0.5, 0, 1, HUGE_VAL, 0, 0};
    std::vector<std::int32_t> left{1, 3, -1, -1, -1, -1};
    std::vector<std::uint8_t> missing_left{0, 1, 0, 0, 0, 0};
    std::vector<std::uint64_t> masks{1, 2};
    std::vector<std::int32_t> n_categories{0, 70};
};

// What is found once `spoil` has changed something.
template <class Spoil>
void check_fault(const Spoil& spoil, ForestFault fault, std::int64_t tree, std::int64_t node) {
    Arrays arrays;
    spoil(arrays);
    const ForestView forest{arrays.offsets, arrays.feature,      arrays.threshold,
                            arrays.left,    arrays.missing_left, arrays.masks};
    const ForestCheck found = check_forest(forest, arrays.n_categories);
    CHECK(found.fault == fault);
    CHECK(found.tree == tree);
    CHECK(found.node == node);
}

}  // namespace

TEST(a_good_forest_passes) {
    check_fault([](Arrays&) {}, ForestFault::none, 0, 0);
    // A mask may be shared, or stand behind others.
    check_fault(
        [](Arrays& a) {
            a.masks.push_back(7);
            a.threshold[1] = 1;
        },
        ForestFault::none, 0, 0);
}

TEST(arrays_of_other_lengths_are_found) {
    check_fault([](Arrays& a) { a.offsets = {0}; }, ForestFault::lengths, 0, 0);
    check_fault([](Arrays& a) { a.n_categories.clear(); }, ForestFault::lengths, 0, 0);
    check_fault([](Arrays& a) { a.threshold.pop_back(); }, ForestFault::lengths, 0, 0);
    check_fault([](Arrays& a) { a.left.push_back(-1); }, ForestFault::lengths, 0, 0);
    check_fault([](Arrays& a) { a.missing_left.pop_back(); }, ForestFault::lengths, 0, 0);
}

TEST(trees_that_are_not_one_behind_the_other_are_found) {
    check_fault([](Arrays& a) { a.offsets[0] = 1; }, ForestFault::offsets, 0, 0);
    check_fault([](Arrays& a) { a.offsets[2] = 7; }, ForestFault::offsets, 0, 0);
    check_fault([](Arrays& a) { a.offsets[1] = 0; }, ForestFault::offsets, 0, 0);
    check_fault([](Arrays& a) { a.offsets[1] = 6; }, ForestFault::offsets, 1, 0);
    check_fault([](Arrays& a) { a.offsets[1] = 1 << 30; }, ForestFault::offsets, 0, 0);
    check_fault([](Arrays& a) { a.offsets[1] = -1; }, ForestFault::offsets, 0, 0);
}

TEST(features_that_are_no_columns_are_found) {
    check_fault([](Arrays& a) { a.feature[1] = 2; }, ForestFault::feature, 0, 1);
    check_fault([](Arrays& a) { a.feature[5] = -2; }, ForestFault::feature, 1, 0);
    check_fault([](Arrays& a) { a.n_categories[1] = -1; }, ForestFault::feature, 0, 0);
}

TEST(thresholds_that_are_no_numbers_are_found) {
    check_fault([](Arrays& a) { a.threshold[0] = std::nan(""); }, ForestFault::threshold, 0, 0);
    check_fault([](Arrays& a) { a.threshold[5] = std::nan(""); }, ForestFault::threshold, 1, 0);
}

TEST(children_that_are_not_behind_their_parent_in_its_tree_are_found) {
    for (const std::int32_t child : {-1, 0, 4, 5, 1 << 30})
        check_fault([&](Arrays& a) { a.left[0] = child; }, ForestFault::child, 0, 0);
    check_fault([](Arrays& a) { a.left[1] = 1; }, ForestFault::child, 0, 1);
}

TEST(masks_that_are_not_all_there_are_found) {
    for (const double first : {-1.0, 0.5, 1.0, 2.0, HUGE_VAL, -HUGE_VAL})
        check_fault([&](Arrays& a) { a.threshold[1] = first; }, ForestFault::mask, 0, 1);
    check_fault([](Arrays& a) { a.masks.pop_back(); }, ForestFault::mask, 0, 1);
    check_fault([](Arrays& a) { a.n_categories[1] = 129; }, ForestFault::mask, 0, 1);
}
