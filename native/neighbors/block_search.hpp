// One block of queries in one precision. The method is at the top of nearest_rows.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "neighbors/nearest_rows.hpp"

namespace pucut::neighbors {

template <class Real>
class BlockSearch {
  public:
    static constexpr std::size_t kMostQueries = 2048;

    BlockSearch(const Columns& columns, const Queries& queries, std::size_t k,
                Product<Real> product)
        : columns_(columns),
          queries_(queries),
          k_(k),
          product_(product),
          width_(columns.points.n_features() + 1),
          capacity_(4 * k + 64) {}

    // Whether the precision was enough; `found` has the answers then, unless told to stop. These
    // are at most kMostQueries queries.
    bool search(std::size_t first, std::size_t last, NearestRows& found, Interrupt& stop);

  private:
    // Of one product: it stays in a processor's cache. Not a power of two: rows that lie a multiple
    // of 4 KB apart would push each other out of it.
    static constexpr std::size_t kColumnsOfProduct = 1040;
    static constexpr std::size_t kEntriesOfProduct = std::size_t{1} << 18;

    struct Candidate {
        RowIndex column;
        Real lower;
    };
    struct Measured {
        double distance;
        RowIndex row;
        Candidate candidate;
        friend bool operator<(const Measured& a, const Measured& b) {
            return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
        }
    };

    bool begin();
    // False where the search has to end before all is visited.
    bool visit_all(Interrupt& stop);
    bool visit_chosen(Interrupt& stop);
    bool visit_near(Interrupt& stop);
    void bound_ranges();
    bool visit_round(std::size_t first, std::size_t last, Interrupt& stop);
    void visit(std::span<const std::int32_t> asking, std::size_t range);
    void take(std::size_t query, std::size_t n_columns, RowIndex first_column, const Real* lower,
              const Real* gaps);
    void offer(std::size_t query, Candidate candidate, Real upper);
    void prune(std::size_t query);
    void measure(std::size_t query);
    void write(std::size_t query, NearestRows& found);
    [[nodiscard]] bool is_too_coarse() const {
        return std::is_same_v<Real, float> && n_measured_ > 16 * (k_ + 4) * block_.size();
    }

    const Columns& columns_;
    const Queries& queries_;
    const std::size_t k_;
    const Product<Real> product_;
    const std::size_t width_;
    const std::size_t capacity_;  // of a query's list of candidates

    std::size_t first_ = 0;            // of the queries
    std::span<const RowIndex> block_;  // their rows
    std::size_t n_measured_ = 0;       // because lists were full
    std::vector<Real> asked_;          // the queries, rounded
    std::vector<double> norms_;        // squared, of these
    std::vector<Real> own_gaps_;
    std::vector<Real> smallest_;   // the k smallest upper bounds of each query, as a heap
    std::vector<Real> threshold_;  // a pair whose lower bound is above it is out
    std::vector<Candidate> candidates_;
    std::vector<std::size_t> n_candidates_;
    std::vector<Measured> measured_;
    std::vector<double> row_;  // a query in double precision

    std::vector<double> to_boxes_;      // from one query
    std::vector<Real> of_ranges_;       // the same in the units of the thresholds
    std::vector<Real> bounds_;          // these of each range and query
    std::vector<Real> nearest_bounds_;  // of each query, that of the nearest range
    std::vector<Real> near_bounds_;     // and of the last of the few that come next
    std::vector<std::int32_t> everyone_;
    std::vector<std::int32_t> starts_;  // of each range's queries in asking_
    std::vector<std::int32_t> asking_;
    std::vector<Real> gathered_;
    std::vector<Real> rounded_;
    std::vector<Real> rounded_gaps_;
    std::vector<Real> lower_;
};

extern template class BlockSearch<float>;
extern template class BlockSearch<double>;

}  // namespace pucut::neighbors
