#include "neighbors/nearest_rows.hpp"

#include <algorithm>

#include "common/jobs.hpp"
#include "neighbors/block_search.hpp"

namespace pucut::neighbors {

namespace {

constexpr std::size_t kLeastQueries = 64;
// A library packs the columns of every product anew, which pays for so many queries.
constexpr std::size_t kEnoughQueries = 512;
// So that no thread waits long for the last one; the fewest where blocks would become too small.
constexpr std::size_t kBlocksOfAThread = 8;
constexpr std::size_t kFewestBlocksOfAThread = 2;

std::size_t block_size(std::size_t n_queries, std::size_t n_threads) {
    const auto share = [](std::size_t n, std::size_t parts) { return (n + parts - 1) / parts; };
    const std::size_t enough =
        std::min(kEnoughQueries, share(n_queries, kFewestBlocksOfAThread * n_threads));
    const std::size_t wanted =
        std::clamp(std::max(share(n_queries, kBlocksOfAThread * n_threads), enough), kLeastQueries,
                   BlockSearch<float>::kMostQueries);
    // As many blocks for each thread.
    const std::size_t n_rounds = share(share(n_queries, wanted), n_threads);
    return std::max(share(n_queries, n_rounds * n_threads), kLeastQueries);
}

}  // namespace

std::optional<NearestRows> nearest_rows(const Columns& columns, const Queries& queries,
                                        std::size_t k, const Products& products, int n_threads,
                                        Interrupt& interrupt) {
    const std::size_t n_queries = queries.numbers.size();
    NearestRows found;
    found.indices.resize(n_queries * k);
    found.squared_distances.resize(n_queries * k);
    const std::size_t size = block_size(n_queries, to<std::size_t>(std::max(n_threads, 1)));
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
