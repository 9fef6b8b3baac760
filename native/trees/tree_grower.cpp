#include "trees/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/index.hpp"

namespace pucut::trees {

namespace {

constexpr std::int64_t kWorkBetweenQuestions = 1 << 19;
constexpr std::uint32_t kNoTies = std::numeric_limits<std::uint32_t>::max();

// How many codes are < limit; sums of few bytes are kept in bytes, which the compiler makes wide.
template <class Code>
std::int32_t count_below(const Code* codes, std::int32_t n, std::uint32_t limit) {
    constexpr std::int32_t kBlock = 128;
    if (limit > std::numeric_limits<Code>::max()) return n;
    const Code bound = to<Code>(limit);
    std::int32_t total = 0;
    std::int32_t i = 0;
    for (; i + kBlock <= n; i += kBlock) {
        std::uint8_t sum = 0;
        for (std::int32_t j = 0; j < kBlock; ++j)
            sum = static_cast<std::uint8_t>(sum + (codes[i + j] < bound ? 1 : 0));
        total += sum;
    }
    for (; i < n; ++i) total += codes[i] < bound ? 1 : 0;
    return total;
}

template <class Code>
std::int32_t count_equal(const Code* codes, std::int32_t n, Code wanted) {
    std::int32_t total = 0;
    for (std::int32_t i = 0; i < n; ++i) total += codes[i] == wanted ? 1 : 0;
    return total;
}

bool contains(const std::array<std::uint64_t, 4>& subset, std::int32_t category) {
    return (subset[to<std::size_t>(category) / 64] >> (category % 64)) & 1U;
}

// Where values beside a threshold stand in codes: left if code < bound; a code of `tied` needs a
// look at the value.
struct Place {
    std::uint32_t bound;
    std::uint32_t tied;
};

Place place_of(const CodedColumn& column, double threshold) {
    const auto cuts = column.cuts();
    if (column.exact()) {
        const auto above = std::upper_bound(cuts.begin(), cuts.end(), threshold);
        return {to<std::uint32_t>(above - cuts.begin()), kNoTies};
    }
    const auto at = std::lower_bound(cuts.begin(), cuts.end(), threshold);
    const auto code = to<std::uint32_t>(at - cuts.begin());
    return {code, code};
}

}  // namespace

TreeGrower::TreeGrower(const std::vector<CodedColumn>& columns, const Sampling& sampling,
                       const GrowOptions& options)
    : columns_(columns),
      sampling_(sampling),
      options_(options),
      criterion_(options.risk, options.loss, options.prior, true, Count{1, 1}),
      features_(columns.size()) {}

void TreeGrower::find_eligible(std::int32_t left_out) {
    if (left_out == eligible_without_) return;
    eligible_without_ = left_out;
    eligible_.clear();
    const auto n_rows = to<std::int32_t>(sampling_.labelled.size());
    const auto collect = [&](bool labelled) {
        for (std::int32_t row = 0; row < n_rows; ++row) {
            const auto i = to<std::size_t>(row);
            if ((sampling_.labelled[i] != 0) != labelled) continue;
            if (left_out >= 0 && sampling_.row_fold[i] == left_out) continue;
            eligible_.push_back(row);
        }
    };
    eligible_.reserve(sampling_.labelled.size());
    collect(true);
    n_eligible_labelled_ = to<std::int32_t>(eligible_.size());
    collect(false);
}

TreeGrower::Range TreeGrower::draw_rows(std::int32_t first, std::int32_t n, std::int32_t wanted,
                                        std::int32_t begin) {
    const std::int32_t* from = eligible_.data() + first;
    std::int32_t* into = rows_.data() + begin;
    if (wanted == n) {
        std::copy_n(from, n, into);
        return {begin, begin + n};
    }
    for (std::int32_t i = 0; i < wanted; ++i) {
        const auto low = to<std::int32_t>(std::int64_t{i} * n / wanted);
        const auto high = to<std::int32_t>((std::int64_t{i} + 1) * n / wanted);
        into[i] = from[low + random_.below(high - low)];
    }
    return {begin, begin + wanted};
}

TreeGrower::Range TreeGrower::draw_rows_of(std::size_t tree) {
    random_ = Random(sampling_.tree_seed[tree]);
    for (std::int32_t i = 0; i < options_.n_draws_made; ++i) random_.bits();
    find_eligible(sampling_.tree_fold[tree]);
    const auto n_rows = to<std::int32_t>(eligible_.size());
    std::int32_t wanted_labelled = n_eligible_labelled_;
    std::int32_t wanted = n_rows;
    if (options_.max_rows > 0 && n_rows > options_.max_rows) {
        // Both kinds in the same proportion, and at least one of each.
        wanted = options_.max_rows;
        const double share = static_cast<double>(n_eligible_labelled_) / n_rows;
        wanted_labelled =
            std::clamp(to<std::int32_t>(std::lround(share * wanted)), 1, std::max(1, wanted - 1));
    }
    rows_.resize(to<std::size_t>(wanted));
    const Range labelled = draw_rows(0, n_eligible_labelled_, wanted_labelled, 0);
    draw_rows(n_eligible_labelled_, n_rows - n_eligible_labelled_, wanted - wanted_labelled,
              labelled.end);
    return labelled;
}

std::span<const std::int32_t> TreeGrower::rows_of(std::size_t tree) {
    draw_rows_of(tree);
    return rows_;
}

TreeGrower::Tree TreeGrower::grow(std::size_t number, Interrupt& stop) {
    Tree tree;
    Nodes& nodes = tree.nodes;
    tree.risk_reduction.assign(columns_.size(), 0.0);
    const Range labelled = draw_rows_of(number);
    const Range rest{labelled.end, to<std::int32_t>(rows_.size())};
    std::iota(features_.begin(), features_.end(), 0);
    right_rows_.resize(rows_.size());
    codes_.resize(rows_.size());
    criterion_ = Criterion(options_.risk, options_.loss, options_.prior,
                           options_.unlabelled_includes_labelled, {labelled.size(), rest.size()});

    const auto add_node = [&] {
        nodes.feature.push_back(-1);
        nodes.threshold.push_back(0.0);
        nodes.left.push_back(-1);
        nodes.missing_left.push_back(0);
        return to<std::int32_t>(nodes.feature.size()) - 1;
    };
    tasks_.clear();
    tasks_.push_back({labelled, rest, add_node(), 0, 0});
    while (!tasks_.empty()) {
        if (work_ > kWorkBetweenQuestions) {
            work_ = 0;
            if (stop.requested()) return tree;
        }
        Task task = tasks_.back();
        tasks_.pop_back();
        const Count count{task.labelled.size(), task.rest.size()};
        const auto node = to<std::size_t>(task.node);
        const double risk = criterion_.node_risk(count);
        const bool is_leaf = criterion_.is_final(count, risk) ||
                             (options_.max_depth > 0 && task.depth >= options_.max_depth) ||
                             count.rows() < 2 * std::int64_t{options_.min_samples_leaf};
        const std::optional<Cut> found = is_leaf ? std::nullopt : find_cut(task, count, risk);
        if (!found) {
            nodes.threshold[node] = criterion_.fraction(count);
            continue;
        }
        const Cut& cut = *found;
        const auto feature = to<std::size_t>(cut.feature);
        if (std::isfinite(cut.reduction)) tree.risk_reduction[feature] += cut.reduction;

        const std::int32_t n_categories = columns_[feature].n_categories();
        nodes.feature[node] = cut.feature;
        nodes.threshold[node] = cut.threshold;
        nodes.missing_left[node] = cut.missing_left ? 1 : 0;
        if (n_categories > 0) {
            nodes.threshold[node] = static_cast<double>(nodes.masks.size());
            nodes.masks.insert(nodes.masks.end(), cut.subset.begin(),
                               cut.subset.begin() + (n_categories + 63) / 64);
        }
        const std::int32_t left = add_node();
        const std::int32_t right = add_node();
        nodes.left[node] = left;
        const std::int32_t middle_labelled = task.labelled.begin + part(cut, task.labelled);
        const std::int32_t middle_rest = task.rest.begin + part(cut, task.rest);
        tasks_.push_back({{middle_labelled, task.labelled.end},
                          {middle_rest, task.rest.end},
                          right,
                          task.depth + 1,
                          task.n_constant});
        tasks_.push_back({{task.labelled.begin, middle_labelled},
                          {task.rest.begin, middle_rest},
                          left,
                          task.depth + 1,
                          task.n_constant});
    }
    return tree;
}

std::optional<TreeGrower::Cut> TreeGrower::find_cut(Task& task, Count count, double risk) {
    Cut best;
    auto untried_end = to<std::int32_t>(features_.size());
    for (std::int32_t seen = 0; seen < options_.max_features && task.n_constant < untried_end;) {
        const auto drawn =
            to<std::size_t>(task.n_constant + random_.below(untried_end - task.n_constant));
        const std::int32_t feature = features_[drawn];
        const CodedColumn& column = columns_[feature];
        work_ += count.rows();
        const bool varies =
            column.n_categories() > 0 ? try_categories(task, feature, count, risk, best)
            : column.wide()           ? try_numbers<std::uint16_t>(task, feature, count, risk, best)
                                      : try_numbers<std::uint8_t>(task, feature, count, risk, best);
        if (varies) {
            --untried_end;
            std::swap(features_[drawn], features_[untried_end]);
            ++seen;
        } else {
            std::swap(features_[drawn], features_[task.n_constant]);
            ++task.n_constant;
        }
    }
    if (best.feature < 0) return std::nullopt;
    return best;
}

void TreeGrower::consider(Count count, Count left, Count missing, double risk, std::int32_t feature,
                          double threshold, const Subset& subset, Cut& best) const {
    const auto try_one = [&](Count to_left, bool missing_left) {
        const Count to_right = count - to_left;
        if (std::min(to_left.rows(), to_right.rows()) < options_.min_samples_leaf) return;
        const double reduction =
            risk - (criterion_.node_risk(to_left) + criterion_.node_risk(to_right));
        if (best.feature >= 0 && !(reduction > best.reduction)) return;
        best = {reduction, feature, threshold, missing_left, subset, to_left};
    };
    if (missing.rows() == 0) {
        // Missing values of later rows go where more rows went.
        try_one(left, left.rows() > (count - left).rows());
        return;
    }
    try_one(left, false);
    try_one(left + missing, true);
}

template <class Code>
void TreeGrower::gather(const Code* codes, Range range, Code* into) const {
    const std::int32_t* rows = rows_.data() + range.begin;
    const std::int32_t n = range.size();
    for (std::int32_t i = 0; i < n; ++i) into[i] = codes[rows[i]];
}

template <class Code>
std::int32_t TreeGrower::count_left(const CodedColumn& column, Range range, const Code* codes,
                                    std::uint32_t cut_code, double threshold) const {
    const std::int32_t n = range.size();
    std::int32_t total = count_below(codes, n, cut_code);
    if (column.exact()) return total;
    for (std::int32_t i = 0; i < n; ++i)
        if (codes[i] == cut_code) total += column.value(rows_[range.begin + i]) <= threshold;
    return total;
}

template <class Code>
bool TreeGrower::try_numbers(const Task& task, std::int32_t feature, Count count, double risk,
                             Cut& best) {
    const CodedColumn& column = columns_[feature];
    auto* labelled = reinterpret_cast<Code*>(codes_.data());
    Code* rest = labelled + count.labelled;
    gather(column.codes<Code>(), task.labelled, labelled);
    gather(column.codes<Code>(), task.rest, rest);
    const std::int32_t n = count.rows();

    Count missing;
    Code least = std::numeric_limits<Code>::max();
    Code most = 0;
    if (column.has_missing()) {
        const Code missing_code = to<Code>(column.missing_code());
        missing = {count_equal(labelled, count.labelled, missing_code),
                   count_equal(rest, count.rest, missing_code)};
        if (missing.rows() == n) return false;
        for (std::int32_t i = 0; i < n; ++i) {
            least = std::min(least, labelled[i]);
            if (labelled[i] != missing_code) most = std::max(most, labelled[i]);
        }
    } else {
        for (std::int32_t i = 0; i < n; ++i) {
            least = std::min(least, labelled[i]);
            most = std::max(most, labelled[i]);
        }
    }

    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    if (column.exact()) {
        low = column.cuts()[least];
        high = column.cuts()[most];
    } else {
        const auto look = [&](Range range, const Code* codes) {
            for (std::int32_t i = 0; i < range.size(); ++i) {
                if (codes[i] != least && codes[i] != most) continue;
                const double value = column.value(rows_[range.begin + i]);
                low = std::min(low, value);
                high = std::max(high, value);
            }
        };
        look(task.labelled, labelled);
        look(task.rest, rest);
    }
    if (low == high) {
        if (missing.rows() == 0) return false;
        consider(count, count - missing, missing, risk, feature, low, {}, best);
        return true;
    }
    for (std::int32_t i = 0; i < options_.max_candidates; ++i) {
        const double share = random_.unit();
        double threshold = low * (1 - share) + high * share;
        if (!(threshold >= low && threshold < high)) threshold = low;
        const Place place = place_of(column, threshold);
        const Count left{count_left(column, task.labelled, labelled, place.bound, threshold),
                         count_left(column, task.rest, rest, place.bound, threshold)};
        consider(count, left, missing, risk, feature, threshold, {}, best);
    }
    return true;
}

// A bit for each category, drawn at random; if those present all fall on one side, one of them,
// drawn at random, changes it.
TreeGrower::Subset TreeGrower::draw_subset(std::int32_t n_categories,
                                           const std::vector<std::int32_t>& present) {
    Subset subset{};
    for (std::int32_t word = 0; 64 * word < n_categories; ++word) subset[word] = random_.bits();
    const bool first = contains(subset, present.front());
    if (std::all_of(present.begin(), present.end(),
                    [&](std::int32_t category) { return contains(subset, category) == first; })) {
        const std::int32_t other = present[random_.below(to<std::int32_t>(present.size()))];
        subset[to<std::size_t>(other) / 64] ^= std::uint64_t{1} << (other % 64);
    }
    return subset;
}

bool TreeGrower::try_categories(const Task& task, std::int32_t feature, Count count, double risk,
                                Cut& best) {
    const CodedColumn& column = columns_[feature];
    const auto* codes = column.codes<std::uint8_t>();
    std::array<Count, 256> counts{};
    for (const std::int32_t *row = rows(task.labelled), *end = row + count.labelled; row < end;
         ++row)
        ++counts[codes[*row]].labelled;
    for (const std::int32_t *row = rows(task.rest), *end = row + count.rest; row < end; ++row)
        ++counts[codes[*row]].rest;

    Count missing;
    if (column.has_missing()) {
        missing = counts[column.missing_code()];
        counts[column.missing_code()] = {};
    }
    present_.clear();
    const auto cuts = column.cuts();
    for (std::size_t code = 0; code < cuts.size(); ++code)
        if (counts[code].rows() > 0) present_.push_back(static_cast<std::int32_t>(cuts[code]));
    if (present_.empty() || (present_.size() == 1 && missing.rows() == 0)) return false;
    if (present_.size() == 1) {
        Subset all;
        all.fill(~std::uint64_t{0});
        consider(count, count - missing, missing, risk, feature, 0.0, all, best);
        return true;
    }
    for (std::int32_t i = 0; i < options_.max_candidates; ++i) {
        const Subset subset = draw_subset(column.n_categories(), present_);
        Count left;
        for (std::size_t code = 0; code < cuts.size(); ++code)
            if (contains(subset, static_cast<std::int32_t>(cuts[code]))) left = left + counts[code];
        consider(count, left, missing, risk, feature, 0.0, subset, best);
    }
    return true;
}

template <class Code, class GoesLeft>
std::int32_t TreeGrower::part_by(const Code* codes, Range range, const GoesLeft& goes_left) {
    std::int32_t* const all = rows(range);
    const std::int32_t n = range.size();
    std::int32_t n_left = 0;
    std::int32_t n_right = 0;
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t row = all[i];
        const bool left = goes_left(codes[row], row);
        all[n_left] = row;
        right_rows_[n_right] = row;
        n_left += left ? 1 : 0;
        n_right += left ? 0 : 1;
    }
    std::copy_n(right_rows_.begin(), n_right, all + n_left);
    return n_left;
}

std::int32_t TreeGrower::part(const Cut& cut, Range range) {
    const CodedColumn& column = columns_[cut.feature];
    // No code equals this where the column has no missing values.
    const std::uint32_t missing = column.has_missing() ? column.missing_code() : kNoTies;
    if (column.n_categories() > 0) {
        std::array<bool, 256> left{};
        for (std::size_t code = 0; code < column.cuts().size(); ++code)
            left[code] = contains(cut.subset, static_cast<std::int32_t>(column.cuts()[code]));
        if (column.has_missing()) left[missing] = cut.missing_left;
        return part_by(column.codes<std::uint8_t>(), range,
                       [&](std::uint8_t code, std::int32_t) { return left[code]; });
    }
    const Place place = place_of(column, cut.threshold);
    const auto goes_left = [&](std::uint32_t code, std::int32_t row) {
        if (code == missing) return cut.missing_left;
        if (code == place.tied) return column.value(row) <= cut.threshold;
        return code < place.bound;
    };
    if (column.wide()) return part_by(column.codes<std::uint16_t>(), range, goes_left);
    if (!column.exact() || column.has_missing())
        return part_by(column.codes<std::uint8_t>(), range, goes_left);
    return part_by(column.codes<std::uint8_t>(), range,
                   [&](std::uint8_t code, std::int32_t) { return code < place.bound; });
}

}  // namespace pucut::trees
