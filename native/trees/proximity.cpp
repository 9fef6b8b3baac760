#include "trees/proximity.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/jobs.hpp"

namespace pucut::trees {

namespace {

// The rows of each leaf of each tree, ascending.
class Members {
  public:
    Members(std::span<const std::int32_t> leaves, std::int32_t n_rows, std::int32_t n_trees,
            std::int32_t n_leaves)
        : n_rows_(static_cast<std::size_t>(n_rows)),
          n_starts_(static_cast<std::size_t>(n_leaves) + 1),
          starts_(n_starts_ * static_cast<std::size_t>(n_trees), 0),
          rows_(n_rows_ * static_cast<std::size_t>(n_trees)) {
        const auto n_all = static_cast<std::size_t>(n_trees);
        for (std::size_t tree = 0; tree < n_all; ++tree) {
            std::int32_t* starts = starts_.data() + tree * n_starts_;
            for (std::size_t row = 0; row < n_rows_; ++row)
                ++starts[leaves[row * n_all + tree] + 1];
            std::partial_sum(starts, starts + n_starts_, starts);
            std::vector<std::int32_t> next(starts, starts + n_starts_);
            for (std::size_t row = 0; row < n_rows_; ++row) {
                const auto leaf = static_cast<std::size_t>(leaves[row * n_all + tree]);
                rows_[tree * n_rows_ + static_cast<std::size_t>(next[leaf]++)] =
                    static_cast<std::int32_t>(row);
            }
        }
    }

    [[nodiscard]] std::span<const std::int32_t> of(std::size_t tree, std::int32_t leaf) const {
        const std::int32_t* starts = starts_.data() + tree * n_starts_ + leaf;
        return std::span(rows_).subspan(tree * n_rows_ + static_cast<std::size_t>(starts[0]),
                                        static_cast<std::size_t>(starts[1] - starts[0]));
    }

  private:
    std::size_t n_rows_;
    std::size_t n_starts_;
    std::vector<std::int32_t> starts_;
    std::vector<std::int32_t> rows_;
};

}  // namespace

bool find_proximities(std::span<const std::int32_t> leaves, std::int32_t n_rows,
                      std::int32_t n_trees, std::int32_t n_leaves, std::int32_t n_neighbors,
                      int n_threads, Interrupt& interrupt, std::span<std::int32_t> neighbors,
                      std::span<std::int32_t> shared) {
    const Members members(leaves, n_rows, n_trees, n_leaves);
    constexpr std::int32_t kRowsInJob = 64;
    return run_jobs((n_rows + kRowsInJob - 1) / kRowsInJob, n_threads, interrupt, [&] {
        return [&, counts = std::vector<std::int32_t>(static_cast<std::size_t>(n_rows), 0),
                met = std::vector<std::int32_t>()](std::int64_t job, Interrupt& stop) mutable {
            const auto first = static_cast<std::int32_t>(job) * kRowsInJob;
            const std::int32_t last = std::min(first + kRowsInJob, n_rows);
            for (std::int32_t row = first; row < last; ++row) {
                if (stop.requested()) return;
                met.clear();
                for (std::int32_t tree = 0; tree < n_trees; ++tree) {
                    const std::int32_t leaf =
                        leaves[static_cast<std::size_t>(std::int64_t{row} * n_trees + tree)];
                    for (const std::int32_t other :
                         members.of(static_cast<std::size_t>(tree), leaf))
                        if (counts[static_cast<std::size_t>(other)]++ == 0) met.push_back(other);
                }
                const auto count = [&](std::int32_t other) {
                    return counts[static_cast<std::size_t>(other)];
                };
                met.erase(std::find(met.begin(), met.end(), row));
                const auto n_found = std::min(static_cast<std::size_t>(n_neighbors), met.size());
                std::partial_sort(met.begin(), met.begin() + static_cast<std::ptrdiff_t>(n_found),
                                  met.end(), [&](std::int32_t a, std::int32_t b) {
                                      return count(a) != count(b) ? count(a) > count(b) : a < b;
                                  });
                const auto begin = static_cast<std::size_t>(std::int64_t{row} * n_neighbors);
                for (std::size_t i = 0; i < n_found; ++i) {
                    neighbors[begin + i] = met[i];
                    shared[begin + i] = count(met[i]);
                }
                // Rows never met come last, by their number as all ties.
                std::int32_t other = 0;
                for (std::size_t i = n_found; i < static_cast<std::size_t>(n_neighbors); ++i) {
                    while (other == row || count(other) > 0) ++other;
                    neighbors[begin + i] = other++;
                    shared[begin + i] = 0;
                }
                for (const std::int32_t touched : met)
                    counts[static_cast<std::size_t>(touched)] = 0;
                counts[static_cast<std::size_t>(row)] = 0;
            }
        };
    });
}

}  // namespace pucut::trees
