#include "trees/proximity.hpp"

#include <algorithm>
#include <numeric>

#include "common/index.hpp"
#include "common/jobs.hpp"

namespace pucut::trees {

namespace {

// The rows of each leaf of each tree, ascending.
class Members {
  public:
    explicit Members(const LeafView& view)
        : n_rows_(to<std::size_t>(view.n_rows)),
          n_starts_(to<std::size_t>(view.n_leaves) + 1),
          starts_(n_starts_ * to<std::size_t>(view.n_trees), 0),
          rows_(n_rows_ * to<std::size_t>(view.n_trees)) {
        for (std::int32_t tree = 0; tree < view.n_trees; ++tree) {
            std::int32_t* starts = starts_of(tree);
            for (std::int32_t row = 0; row < view.n_rows; ++row) ++starts[view.of(row, tree) + 1];
            std::partial_sum(starts, starts + n_starts_, starts);
            std::vector<std::int32_t> next(starts, starts + n_starts_);
            std::int32_t* rows = rows_.data() + to<std::size_t>(tree) * n_rows_;
            for (std::int32_t row = 0; row < view.n_rows; ++row)
                rows[next[view.of(row, tree)]++] = row;
        }
    }

    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t tree, std::int32_t leaf) const {
        const std::int32_t* starts = starts_.data() + to<std::size_t>(tree) * n_starts_ + leaf;
        const std::int32_t* rows = rows_.data() + to<std::size_t>(tree) * n_rows_;
        return {rows + starts[0], rows + starts[1]};
    }

  private:
    [[nodiscard]] std::int32_t* starts_of(std::int32_t tree) {
        return starts_.data() + to<std::size_t>(tree) * n_starts_;
    }

    std::size_t n_rows_;
    std::size_t n_starts_;
    std::vector<std::int32_t> starts_;
    std::vector<std::int32_t> rows_;
};

// Finds the neighbours of one row after another; one a thread.
class Finder {
  public:
    Finder(const LeafView& leaves, const Members& members)
        : leaves_(leaves), members_(members), counts_(to<std::size_t>(leaves.n_rows), 0) {}

    void find(std::int32_t row, std::span<std::int32_t> neighbors, std::span<std::int32_t> shared) {
        met_.clear();
        for (std::int32_t tree = 0; tree < leaves_.n_trees; ++tree)
            for (const std::int32_t other : members_.of(tree, leaves_.of(row, tree)))
                if (counts_[other]++ == 0) met_.push_back(other);
        met_.erase(std::find(met_.begin(), met_.end(), row));
        const std::size_t n_found = std::min(neighbors.size(), met_.size());
        std::partial_sort(met_.begin(), met_.begin() + to<std::ptrdiff_t>(n_found), met_.end(),
                          [&](std::int32_t a, std::int32_t b) {
                              return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : a < b;
                          });
        for (std::size_t i = 0; i < n_found; ++i) {
            neighbors[i] = met_[i];
            shared[i] = counts_[met_[i]];
        }
        // Rows never met come last, by their number as all ties.
        std::int32_t other = 0;
        for (std::size_t i = n_found; i < neighbors.size(); ++i) {
            while (other == row || counts_[other] > 0) ++other;
            neighbors[i] = other++;
            shared[i] = 0;
        }
        for (const std::int32_t touched : met_) counts_[touched] = 0;
        counts_[row] = 0;
    }

  private:
    const LeafView& leaves_;
    const Members& members_;
    std::vector<std::int32_t> counts_;  // trees shared with each row, 0 between calls
    std::vector<std::int32_t> met_;
};

}  // namespace

std::optional<Proximities> find_proximities(const LeafView& leaves, std::int32_t n_neighbors,
                                            int n_threads, Interrupt& interrupt) {
    constexpr std::int32_t kRowsInJob = 64;
    const std::int32_t n_rows = leaves.n_rows;
    const Members members(leaves);
    const auto width = to<std::size_t>(n_neighbors);
    Proximities found;
    found.neighbors.resize(to<std::size_t>(n_rows) * width);
    found.shared.resize(found.neighbors.size());
    const std::int64_t n_jobs = (std::int64_t{n_rows} + kRowsInJob - 1) / kRowsInJob;
    const bool complete = run_jobs(n_jobs, n_threads, interrupt, [&] {
        return [&, finder = Finder(leaves, members)](std::int64_t job, Interrupt& stop) mutable {
            const std::int32_t first = to<std::int32_t>(job) * kRowsInJob;
            const std::int32_t last = first + std::min(kRowsInJob, n_rows - first);
            for (std::int32_t row = first; row < last && !stop.requested(); ++row) {
                const std::size_t begin = to<std::size_t>(row) * width;
                finder.find(row, std::span(found.neighbors).subspan(begin, width),
                            std::span(found.shared).subspan(begin, width));
            }
        };
    });
    if (!complete) return std::nullopt;
    return found;
}

}  // namespace pucut::trees
