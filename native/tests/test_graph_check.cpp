#include "check.hpp"
#include "flow/graph_check.hpp"

using namespace pucut::flow;

namespace {

struct Arrays {
    std::vector<ArcIndex> offsets{0, 1, 3, 4};
    std::vector<NodeIndex> neighbors{1, 0, 2, 1};
    std::vector<double> weights{1, 1, 2, 2};
};

void check_fault(const Arrays& arrays, GraphFault fault, NodeIndex row, ArcIndex place) {
    const GraphCheck found = check_graph(arrays.offsets, arrays.neighbors, arrays.weights);
    CHECK(found.fault == fault);
    CHECK(found.row == row);
    CHECK(found.place == place);
}

}  // namespace

TEST(a_good_graph_passes) {
    check_fault({}, GraphFault::none, 0, 0);
    check_fault({{0}, {}, {}}, GraphFault::none, 0, 0);
    check_fault({{0, 1}, {0}, {7}}, GraphFault::none, 0, 0);     // a self-loop
    check_fault({{0, 1, 1}, {1}, {0}}, GraphFault::none, 0, 0);  // a zero without a mirror
}

TEST(each_fault_is_found_where_it_is) {
    check_fault({{}, {}, {}}, GraphFault::lengths, 0, 0);
    check_fault({{0, 1, 2}, {1, 0}, {1}}, GraphFault::lengths, 0, 0);
    check_fault({{0, 1, 2}, {1, 0}, {1, 1, 1}}, GraphFault::lengths, 0, 0);
    check_fault({{0, 1, 1 << 30}, {1, 0}, {1, 1}}, GraphFault::offsets, 2, 1 << 30);
    check_fault({{0, -1, 2}, {1, 0}, {1, 1}}, GraphFault::offsets, 0, 0);
    check_fault({{1, 1}, {0}, {1}}, GraphFault::offsets, 0, 0);
    check_fault({{0, 2, 1, 2}, {1, 0}, {1, 1}}, GraphFault::offsets, 1, 2);
    check_fault({{0, 1, 1}, {1, 0}, {1, 1}}, GraphFault::offsets, 2, 1);
    check_fault({{0, 1, 2}, {1, 2}, {1, 1}}, GraphFault::neighbor_range, 1, 1);
    check_fault({{0, 1, 2}, {-1, 0}, {1, 1}}, GraphFault::neighbor_range, 0, 0);
    check_fault({{0, 2, 4}, {1, 0, 0, 1}, {1, 1, 1, 1}}, GraphFault::neighbor_order, 0, 1);
    check_fault({{0, 2, 4}, {1, 1, 0, 0}, {1, 1, 1, 1}}, GraphFault::neighbor_order, 0, 1);
    check_fault({{0, 1, 2}, {1, 0}, {-1, -1}}, GraphFault::negative_weight, 0, 0);
    check_fault({{0, 1, 2}, {1, 0}, {1, HUGE_VAL}}, GraphFault::not_finite_weight, 1, 1);
    check_fault({{0, 1, 2}, {1, 0}, {std::nan(""), 1}}, GraphFault::not_finite_weight, 0, 0);
    check_fault({{0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 2, 3}}, GraphFault::asymmetric, 1, 2);
    check_fault({{0, 1, 1}, {1}, {1}}, GraphFault::asymmetric, 0, 0);
}

TEST(degrees_are_sums_of_weights_without_self_loops) {
    const Arrays plain;
    CHECK(weighted_degrees(plain.offsets, plain.neighbors, plain.weights) ==
          std::vector<double>({1, 3, 2}));
    // Small weights beside a large one are not lost.
    const Arrays loops{{0, 4, 5, 6, 7}, {0, 1, 2, 3, 0, 0, 0}, {9, 1e16, 1, 1, 1e16, 1, 1}};
    CHECK(weighted_degrees(loops.offsets, loops.neighbors, loops.weights) ==
          std::vector<double>({1e16 + 2, 1e16, 1, 1}));
}
