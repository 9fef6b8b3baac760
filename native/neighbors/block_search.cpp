#include "neighbors/block_search.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <type_traits>

namespace pucut::neighbors {

namespace {

// Squared norms of queries above this would overflow in single precision.
constexpr double kLargestSingleNorm = 1e30;

// Looked at together. With 16 or fewer, compilers unroll the loop before they can vectorise it.
constexpr std::size_t kStep = 32;

// Whether any of these lies within the limit. NaN, which overflow can leave, does.
template <class Real>
bool any_within(const Real* lower, Real limit) {
    using Mask = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;
    Mask all_above = ~Mask{0};
    for (std::size_t i = 0; i < kStep; ++i) all_above &= lower[i] > limit ? ~Mask{0} : Mask{0};
    return all_above == 0;
}

// Replaces the largest of a heap by a smaller value.
template <class Real>
void replace_largest(Real* heap, std::size_t size, Real value) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && heap[child + 1] > heap[child]) ++child;
        if (!(heap[child] > value)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

}  // namespace

template <class Real>
bool BlockSearch<Real>::search(std::size_t first, std::size_t last, NearestRows& found,
                               Interrupt& stop) {
    first_ = first;
    block_ = queries_.numbers.subspan(first, last - first);
    if (!begin()) return false;
    const bool has_boxes = !columns_.boxes.empty();
    const bool is_whole = !queries_.visited.empty() ? visit_chosen(stop)
                          : has_boxes               ? visit_near(stop)
                                                    : visit_all(stop);
    if (is_whole)
        for (std::size_t query = 0; query < block_.size(); ++query) write(query, found);
    return !is_too_coarse();
}

template <class Real>
bool BlockSearch<Real>::begin() {
    const std::size_t n = block_.size();
    n_measured_ = 0;
    asked_.resize(n * width_);
    norms_.resize(n);
    own_gaps_.resize(n);
    smallest_.assign(n * k_, std::numeric_limits<Real>::infinity());
    threshold_.assign(n, std::numeric_limits<Real>::infinity());
    candidates_.resize(n * capacity_);
    n_candidates_.assign(n, 0);
    const Real slack = slack_of<Real>(width_ - 1);
    for (std::size_t query = 0; query < n; ++query) {
        Real* const row = asked_.data() + query * width_;
        const double norm = round_row(queries_.rows, block_[query], columns_.placement, true, row);
        if (std::is_same_v<Real, float> && !(norm < kLargestSingleNorm)) return false;
        row[width_ - 1] = 1;
        norms_[query] = norm;
        own_gaps_[query] = static_cast<Real>(norm) * (2 * slack) +
                           Real{1000} * std::numeric_limits<Real>::min();  // room for underflow
    }
    return true;
}

template <class Real>
bool BlockSearch<Real>::visit_all(Interrupt& stop) {
    everyone_.resize(block_.size());
    std::iota(everyone_.begin(), everyone_.end(), 0);
    for (std::size_t range = 0; range < columns_.range_ends.size(); ++range) {
        if (is_too_coarse() || stop.requested()) return false;
        visit(everyone_, range);
    }
    return !is_too_coarse();
}

template <class Real>
bool BlockSearch<Real>::visit_chosen(Interrupt& stop) {
    // The nearest ranges first: their columns make the thresholds tight for all others.
    const std::size_t all = queries_.n_visits;
    return visit_round(0, std::min<std::size_t>(1, all), stop) &&
           visit_round(1, std::min<std::size_t>(4, all), stop) && visit_round(4, all, stop);
}

// The nearest range of each query, a few more, and then those of the others that are near enough.
template <class Real>
bool BlockSearch<Real>::visit_near(Interrupt& stop) {
    bound_ranges();
    const std::size_t n = block_.size();
    for (int round = 0; round < 3; ++round)
        for (std::size_t range = 0; range < columns_.range_ends.size(); ++range) {
            const Real* const bounds = bounds_.data() + range * n;
            asking_.clear();
            for (std::size_t query = 0; query < n; ++query) {
                const int own = static_cast<int>(bounds[query] > nearest_bounds_[query]) +
                                static_cast<int>(bounds[query] > near_bounds_[query]);
                if (own == round && !(bounds[query] > threshold_[query]))
                    asking_.push_back(to<std::int32_t>(query));
            }
            if (asking_.empty()) continue;
            if (is_too_coarse() || stop.requested()) return false;
            visit(asking_, range);
        }
    return !is_too_coarse();
}

// Thresholds are limits of squared distances, less the norm of the query, up to its own gap, which
// is far larger than what is rounded off the norm.
template <class Real>
void BlockSearch<Real>::bound_ranges() {
    constexpr std::size_t kNear = 4;
    constexpr double kRounding = 4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    const std::size_t n = block_.size();
    const std::size_t n_ranges = columns_.range_ends.size();
    to_boxes_.resize(n_ranges);
    of_ranges_.resize(n_ranges);
    bounds_.resize(n_ranges * n);
    nearest_bounds_.resize(n);
    near_bounds_.resize(n);
    for (std::size_t query = 0; query < n; ++query) {
        const double norm = norms_[query];
        bound_boxes(columns_.boxes, queries_.rows, block_[query], columns_.placement, norm,
                    to_boxes_);
        for (std::size_t range = 0; range < n_ranges; ++range) {
            const double bound = to_boxes_[range];
            const double less = bound - norm - kRounding * (std::abs(bound) + norm);
            of_ranges_[range] = std::isnan(less) ? std::numeric_limits<Real>::lowest()  // overflow
                                                 : static_cast<Real>(less);
            bounds_[range * n + query] = of_ranges_[range];
        }
        std::array<Real, kNear> near{};
        const auto last =
            std::partial_sort_copy(of_ranges_.begin(), of_ranges_.end(), near.begin(), near.end());
        nearest_bounds_[query] = near.front();
        near_bounds_[query] = *(last - 1);
    }
}

template <class Real>
bool BlockSearch<Real>::visit_round(std::size_t first, std::size_t last, Interrupt& stop) {
    if (first >= last) return true;
    const auto visited_by = [&](std::size_t query) {
        return queries_.visited.subspan((first_ + query) * queries_.n_visits + first, last - first);
    };
    // Queries sorted by the range they visit, by counting.
    starts_.assign(columns_.range_ends.size() + 1, 0);
    for (std::size_t query = 0; query < block_.size(); ++query)
        for (const std::int32_t range : visited_by(query)) ++starts_[range + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    asking_.resize(block_.size() * (last - first));
    for (std::size_t query = 0; query < block_.size(); ++query)
        for (const std::int32_t range : visited_by(query))
            asking_[starts_[range]++] = to<std::int32_t>(query);
    std::size_t begin = 0;  // each start has moved to the end of its range's queries
    for (std::size_t range = 0; range < columns_.range_ends.size(); ++range) {
        const auto end = to<std::size_t>(starts_[range]);
        if (end == begin) continue;
        if (is_too_coarse() || stop.requested()) return false;
        visit(std::span(asking_).subspan(begin, end - begin), range);
        begin = end;
    }
    return !is_too_coarse();
}

template <class Real>
void BlockSearch<Real>::visit(std::span<const std::int32_t> asking, std::size_t range) {
    const auto begin = range > 0 ? to<std::size_t>(columns_.range_ends[range - 1]) : 0;
    const auto end = to<std::size_t>(columns_.range_ends[range]);
    for (std::size_t first = begin; first < end; first += kColumnsOfProduct) {
        const std::size_t n_columns = std::min(kColumnsOfProduct, end - first);
        const Real* matrix = nullptr;
        const Real* gaps = nullptr;
        if constexpr (std::is_same_v<Real, float>)
            if (!columns_.matrix.empty()) {
                matrix = columns_.matrix.data() + first * width_;
                gaps = columns_.gaps.data() + first;
            }
        if (matrix == nullptr) {
            rounded_.resize(kColumnsOfProduct * width_);
            rounded_gaps_.resize(kColumnsOfProduct);
            round_points(columns_.points, columns_.order.subspan(first, n_columns),
                         columns_.placement, rounded_.data(), rounded_gaps_.data());
            matrix = rounded_.data();
            gaps = rounded_gaps_.data();
        }
        const std::size_t most_rows = kEntriesOfProduct / n_columns;
        for (std::size_t done = 0; done < asking.size(); done += most_rows) {
            const auto part = asking.subspan(done, std::min(most_rows, asking.size() - done));
            gathered_.resize(part.size() * width_);
            for (std::size_t i = 0; i < part.size(); ++i)
                std::copy_n(asked_.data() + to<std::size_t>(part[i]) * width_, width_,
                            gathered_.data() + i * width_);
            lower_.resize(part.size() * n_columns);
            // Fortran counts columns first: the product of the points and the queries there is
            // that of the queries and the points here.
            char transposed = 'T';
            char plain = 'N';
            int m = to<int>(n_columns);
            int n = to<int>(part.size());
            int width = to<int>(width_);
            Real one = 1;
            Real zero = 0;
            product_(&transposed, &plain, &m, &n, &width, &one, const_cast<Real*>(matrix), &width,
                     gathered_.data(), &width, &zero, lower_.data(), &m);
            for (std::size_t i = 0; i < part.size(); ++i)
                take(to<std::size_t>(part[i]), n_columns, to<RowIndex>(first),
                     lower_.data() + i * n_columns, gaps);
        }
    }
}

template <class Real>
void BlockSearch<Real>::take(std::size_t query, std::size_t n_columns, RowIndex first_column,
                             const Real* lower, const Real* gaps) {
    const auto take_one = [&](std::size_t i) {
        if (lower[i] > threshold_[query]) return;
        offer(query, {first_column + to<RowIndex>(i), lower[i]}, lower[i] + gaps[i]);
    };
    std::size_t i = 0;
    for (; i + kStep <= n_columns; i += kStep)
        if (any_within(lower + i, threshold_[query]))
            for (std::size_t j = i; j < i + kStep; ++j) take_one(j);
    for (; i < n_columns; ++i) take_one(i);
}

template <class Real>
void BlockSearch<Real>::offer(std::size_t query, Candidate candidate, Real upper) {
    if (n_candidates_[query] == capacity_) {
        prune(query);
        if (n_candidates_[query] > capacity_ / 2) measure(query);
    }
    candidates_[query * capacity_ + n_candidates_[query]++] = candidate;
    Real* const heap = smallest_.data() + query * k_;
    if (!(upper < heap[0])) return;
    replace_largest(heap, k_, upper);
    // The next larger number covers a sum that was rounded down.
    threshold_[query] =
        std::nextafter(heap[0] + own_gaps_[query], std::numeric_limits<Real>::infinity());
}

template <class Real>
void BlockSearch<Real>::prune(std::size_t query) {
    Candidate* const first = candidates_.data() + query * capacity_;
    const Real limit = threshold_[query];
    Candidate* const last =
        std::remove_if(first, first + n_candidates_[query],
                       [&](const Candidate& candidate) { return candidate.lower > limit; });
    n_candidates_[query] = to<std::size_t>(last - first);
}

// Leaves the k nearest of a query's candidates, nearest first.
template <class Real>
void BlockSearch<Real>::measure(std::size_t query) {
    Candidate* const candidates = candidates_.data() + query * capacity_;
    row_.resize(width_ - 1);
    queries_.rows.with_row(
        block_[query], [&](const auto* values) { std::copy_n(values, width_ - 1, row_.data()); });
    measured_.clear();
    for (std::size_t i = 0; i < n_candidates_[query]; ++i) {
        const RowIndex row = columns_.order[candidates[i].column];
        measured_.push_back(
            {squared_distance(row_.data(), columns_.points, row), row, candidates[i]});
    }
    const std::size_t n_kept = std::min(k_, measured_.size());
    std::partial_sort(measured_.begin(), measured_.begin() + to<std::ptrdiff_t>(n_kept),
                      measured_.end());
    for (std::size_t i = 0; i < n_kept; ++i) candidates[i] = measured_[i].candidate;
    n_measured_ += n_candidates_[query];
    n_candidates_[query] = n_kept;
}

template <class Real>
void BlockSearch<Real>::write(std::size_t query, NearestRows& found) {
    prune(query);
    measure(query);
    const std::size_t first = (first_ + query) * k_;
    for (std::size_t i = 0; i < k_; ++i) {
        found.indices[first + i] = measured_[i].row;
        found.squared_distances[first + i] = measured_[i].distance;
    }
}

template class BlockSearch<float>;
template class BlockSearch<double>;

}  // namespace pucut::neighbors
