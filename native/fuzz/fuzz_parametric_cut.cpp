// From bytes to a graph to a certificate: whatever the numbers, the result must prove itself.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "flow/certificate.hpp"
#include "flow/graph_check.hpp"
#include "flow/parametric_cut.hpp"

namespace flow = pucut::flow;
using pucut::fuzz::Bytes;
using pucut::fuzz::require;

namespace {

// Zero, small integers, and numbers of very different sizes.
double number(Bytes& bytes) {
    const std::uint8_t byte = bytes.next();
    if (byte < 160) return byte % 8;
    return std::ldexp(1.0 + byte % 7 / 7.0, (byte % 24 - 12) * (byte % 3 == 0 ? 8 : 1));
}

// Arrays of any lengths and contents, as a caller might give them: the check must not read outside
// of them, and what it passes must not lead outside.
void check_any_arrays(Bytes bytes) {
    std::vector<flow::ArcIndex> offsets(bytes.next() % 6);
    std::vector<flow::NodeIndex> neighbors(bytes.next() % 8);
    std::vector<double> weights(bytes.next() % 4 == 0 ? bytes.next() % 8 : neighbors.size());
    for (flow::ArcIndex& offset : offsets) {
        const std::uint8_t byte = bytes.next();
        offset = byte < 240 ? byte % 9 : byte < 248 ? -byte : flow::ArcIndex{1} << (byte % 63);
    }
    for (flow::NodeIndex& other : neighbors) {
        const std::uint8_t byte = bytes.next();
        other = byte < 240 ? byte % 6 : byte < 248 ? -byte : flow::NodeIndex{1} << (byte % 31);
    }
    for (double& weight : weights) weight = number(bytes);
    flow::check_graph(offsets, neighbors, weights);
    if (flow::check_places(offsets, neighbors, weights.size()).fault == flow::GraphFault::none)
        require(flow::weighted_degrees(offsets, neighbors, weights).size() + 1 == offsets.size(),
                "a degree of each node");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    check_any_arrays(bytes);
    const std::size_t n = bytes.next() % 24;
    std::vector<double> dense(n * n, 0.0);
    const std::uint8_t density = bytes.next();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j)
            if (!bytes.empty() && bytes.next() < density)
                dense[i * n + j] = dense[j * n + i] = number(bytes);

    std::vector<flow::ArcIndex> offsets{0};
    std::vector<flow::NodeIndex> neighbors;
    std::vector<double> weights;
    std::vector<double> pull;
    std::vector<double> slope;
    std::vector<flow::Side> side;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (dense[i * n + j] == 0.0 && (i + j) % 5 != 0) continue;  // some zeros are stored
            neighbors.push_back(static_cast<flow::NodeIndex>(j));
            weights.push_back(dense[i * n + j]);
        }
        offsets.push_back(static_cast<flow::ArcIndex>(neighbors.size()));
        pull.push_back(number(bytes) - number(bytes));
        slope.push_back(number(bytes));
        const int draw = bytes.next() % 8;
        side.push_back(draw == 6   ? flow::Side::source
                       : draw == 7 ? flow::Side::sink
                                   : flow::Side::free);
    }
    require(flow::check_graph(offsets, neighbors, weights).fault == flow::GraphFault::none,
            "the graph is symmetric");

    const double lowest = number(bytes) - number(bytes);
    const flow::CutProblem problem{offsets, neighbors, weights, pull,
                                   slope,   side,      lowest,  lowest + number(bytes)};
    pucut::NoInterrupt never;
    flow::PathOptions options{bytes.next() % 3 * 8, 1 + bytes.next() % 4, 1 + bytes.next() % 4};
    const auto [status, levels] = flow::solve_levels(problem, never, options);
    require(status == flow::Status::optimal, "solved");
    options.n_threads = 1;
    const auto alone = flow::solve_levels(problem, never, options).levels;
    require(levels.level == alone.level && levels.flow == alone.flow, "the same by one thread");
    const flow::Certificate certificate =
        flow::certify(problem, levels.level, levels.flow, levels.rank);
    require(certificate.feasible, "the flow is feasible");
    require(std::abs(certificate.gap) <= 1e-9, "the gap is closed");
    for (std::size_t k = 1; k < levels.breakpoints.size(); ++k)
        require(levels.breakpoints[k - 1] < levels.breakpoints[k], "breakpoints ascend");
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_inside =
            levels.level[i] >= problem.lowest && levels.level[i] <= problem.highest;
        require(is_inside || std::isinf(levels.level[i]), "levels lie in the range");
        if (!levels.forced_level.empty())
            require(levels.forced_level[i] <= levels.level[i], "ranges are ranges");
    }
    return 0;
}
