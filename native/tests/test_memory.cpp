// What the solver takes beyond its input, counted at the allocator.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "check.hpp"
#include "flow/certificate.hpp"
#include "flow/parametric_cut.hpp"
#include "small_graphs.hpp"

namespace {

std::size_t in_use = 0;
std::size_t peak = 0;
constexpr std::size_t kHeader = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) {
    auto* block = static_cast<char*>(std::malloc(size + kHeader));
    if (block == nullptr) throw std::bad_alloc();
    *reinterpret_cast<std::size_t*>(block) = size;
    in_use += size;
    peak = std::max(peak, in_use);
    return block + kHeader;
}

void operator delete(void* pointer) noexcept {
    if (pointer == nullptr) return;
    char* block = static_cast<char*>(pointer) - kHeader;
    in_use -= *reinterpret_cast<std::size_t*>(block);
    std::free(block);
}

void operator delete(void* pointer, std::size_t) noexcept { operator delete(pointer); }

using namespace pucut;

// Nodes on a ring, each joined to the nearest `reach` on both sides, with pulls that scatter the
// levels.
static check::SmallGraph ring(int n, int reach, std::mt19937& random) {
    check::SmallGraph graph;
    for (int i = 0; i < n; ++i) {
        std::vector<int> row;
        for (int step = -reach; step <= reach; ++step)
            if (step != 0) row.push_back((i + step + n) % n);
        std::ranges::sort(row);
        for (const int j : row) {
            graph.neighbors.push_back(j);
            graph.weights.push_back(1.0 + (i * 7 + j * 7) % 5);
        }
        graph.offsets.push_back(static_cast<flow::ArcIndex>(graph.neighbors.size()));
        graph.pull.push_back(static_cast<double>(random() % 1000) / 10.0);
        graph.slope.push_back(20.0 * reach);
        graph.side.push_back(flow::Side::free);
    }
    return graph;
}

TEST(memory_beyond_the_input_is_bounded) {
    std::mt19937 random(3);
    for (const int reach : {1, 2, 5}) {
        const check::SmallGraph graph = ring(20000, reach, random);
        const std::size_t before = in_use;
        peak = in_use;
        NoInterrupt never;
        const auto [status, levels] = flow::solve_levels(graph.problem(), never, {});
        CHECK(status == flow::Status::optimal);
        const auto certificate =
            flow::certify(graph.problem(), levels.level, levels.flow, levels.rank);
        CHECK_NEAR(certificate.gap, 0.0, 1e-12);
        const std::size_t used = peak - before;
        const std::size_t allowed = 48 * graph.neighbors.size() + 96 * graph.pull.size();
        std::printf("reach %d: %.1f bytes a node with %zu arcs, allowed %.1f, %zu breakpoints\n",
                    reach, static_cast<double>(used) / 20000, graph.neighbors.size() / 20000,
                    static_cast<double>(allowed) / 20000, levels.breakpoints.size());
        CHECK(used <= allowed);
    }
}

TEST(large_arrays_are_arrays) {
    constexpr std::size_t kSize = 5'000'000;
    ZeroedBuffer<double> zeros(kSize);
    CHECK(std::ranges::all_of(zeros, [](double value) { return value == 0.0; }));
    Buffer<double> unset(kSize);
    CHECK(reinterpret_cast<std::uintptr_t>(unset.data()) % (1 << 21) == 0);
    std::ranges::fill(unset, 1.0);
    unset.resize(2 * kSize, 2.0);
    CHECK(unset.front() == 1.0 && unset[kSize - 1] == 1.0 && unset.back() == 2.0);
}
