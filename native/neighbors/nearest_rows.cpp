#include "neighbors/nearest_rows.hpp"

#include <algorithm>

#include "common/jobs.hpp"
#include "neighbors/block_search.hpp"

namespace pucut::neighbors {

namespace {

constexpr std::size_t kLeastQueries = 64;
constexpr std::size_t kBlocksOfAThread = 8;  // so that none waits long for the last one

}  // namespace

std::optional<NearestRows> nearest_rows(const Columns& columns, const Queries& queries,
                                        std::size_t k, const Products& products, int n_threads,
                                        Interrupt& interrupt) {
    const std::size_t n_queries = queries.numbers.size();
    NearestRows found;
    found.indices.resize(n_queries * k);
    found.squared_distances.resize(n_queries * k);
    const std::size_t n_wanted = kBlocksOfAThread * to<std::size_t>(std::max(n_threads, 1));
    const std::size_t size = std::clamp((n_queries + n_wanted - 1) / n_wanted, kLeastQueries,
                                        BlockSearch<float>::kMostQueries);
    const auto n_jobs = to<std::int64_t>((n_queries + size - 1) / size);
    const bool complete = run_jobs(n_jobs, n_threads, interrupt, [&] {
        return [&, narrow = BlockSearch<float>(columns, queries, k, products.narrow),
                wide = BlockSearch<double>(columns, queries, k, products.wide)](
                   std::int64_t job, Interrupt& stop) mutable {
            const std::size_t first = to<std::size_t>(job) * size;
            const std::size_t last = std::min(first + size, n_queries);
            if (!narrow.search(first, last, found, stop)) wide.search(first, last, found, stop);
        };
    });
    if (!complete) return std::nullopt;
    return found;
}

}  // namespace pucut::neighbors
