#include "trees/columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "flow/prefetch.hpp"

namespace pucut::trees {

namespace {

// Adjacent columns of a row share a cache line: they are read together.
constexpr std::int32_t kColumnsAtOnce = 16;

// Quantiles of so many values are close enough to those of all.
constexpr std::int32_t kSampleForCuts = 1 << 17;

template <class T>
double load(const std::byte* place) {
    T value;
    std::memcpy(&value, place, sizeof(T));
    return static_cast<double>(value);
}

// Calls action(load function) for the type.
template <class Action>
auto with_type(ValueType type, const Action& action) {
    switch (type) {
        case ValueType::float32:
            return action(load<float>);
        case ValueType::uint8:
            return action(load<std::uint8_t>);
        case ValueType::int32:
            return action(load<std::int32_t>);
        case ValueType::int64:
            return action(load<std::int64_t>);
        case ValueType::float64:
            break;
    }
    return action(load<double>);
}

std::size_t size_of(ValueType type) {
    switch (type) {
        case ValueType::float32:
        case ValueType::int32:
            return 4;
        case ValueType::uint8:
            return 1;
        case ValueType::float64:
        case ValueType::int64:
            break;
    }
    return 8;
}

// Numbers are looked up by their bits; + 0.0 makes one zero of two.
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }

// Gives each value that is not missing the number of its distinct value, in order of appearance;
// false when there are more of them than `limit`.
template <class Code>
bool number_distinct(std::span<const double> values, std::size_t limit, Code missing_code,
                     std::vector<double>& distinct, Code* codes) {
    const std::size_t mask = std::bit_ceil(4 * limit) - 1;
    const std::uint64_t empty = ~std::uint64_t{0};  // the bits of a NaN
    std::vector<std::uint64_t> keys(mask + 1, empty);
    std::vector<Code> code_at(mask + 1);
    distinct.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = values[i];
        if (value != value) {
            codes[i] = missing_code;
            continue;
        }
        const std::uint64_t bits = bits_of(value);
        std::size_t slot = static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> 32) & mask;
        while (keys[slot] != bits && keys[slot] != empty) slot = (slot + 1) & mask;
        if (keys[slot] == empty) {
            if (distinct.size() == limit) return false;
            keys[slot] = bits;
            code_at[slot] = static_cast<Code>(distinct.size());
            distinct.push_back(value + 0.0);
        }
        codes[i] = code_at[slot];
    }
    return true;
}

// At most `limit` of the values, in even steps of rank.
std::vector<double> quantiles(std::span<const double> values, std::size_t limit) {
    const std::size_t step = values.size() / kSampleForCuts + 1;
    std::vector<double> sample;
    sample.reserve(values.size() / step + 1);
    for (std::size_t i = 0; i < values.size(); i += step)
        if (values[i] == values[i]) sample.push_back(values[i] + 0.0);
    std::sort(sample.begin(), sample.end());
    std::vector<double> cuts;
    cuts.reserve(limit);
    for (std::size_t i = 1; i <= limit && !sample.empty(); ++i) {
        const double cut = sample[i * (sample.size() - 1) / (limit + 1)];
        if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
    }
    return cuts;
}

}  // namespace

double ColumnView::at(std::int32_t row) const {
    std::ptrdiff_t place = row;
    if (sparse) {
        const auto found = std::lower_bound(sparse_rows.begin(), sparse_rows.end(), row);
        if (found == sparse_rows.end() || *found != row) return 0.0;
        place = found - sparse_rows.begin();
    }
    return with_type(type, [&](auto loader) { return loader(values + place * stride); });
}

void ColumnView::read(std::int32_t first, std::int32_t n, double* into, std::ptrdiff_t step) const {
    with_type(type, [&](auto loader) {
        if (!sparse) {
            const std::byte* place = values + first * stride;
            for (std::int32_t i = 0; i < n; ++i, place += stride) into[i * step] = loader(place);
            return;
        }
        for (std::int32_t i = 0; i < n; ++i) into[i * step] = 0.0;
        auto found = std::lower_bound(sparse_rows.begin(), sparse_rows.end(), first);
        for (; found != sparse_rows.end() && *found < first + n; ++found)
            into[(*found - first) * step] = loader(values + (found - sparse_rows.begin()) * stride);
    });
}

template <class Code>
bool CodedColumn::code_exactly(std::span<const double> values, std::size_t limit) {
    const auto missing = static_cast<Code>(missing_code());
    codes_ = std::make_unique_for_overwrite<std::byte[]>(values.size() * sizeof(Code));
    auto* codes = reinterpret_cast<Code*>(codes_.get());
    if (!number_distinct(values, limit, missing, cuts_, codes)) return false;

    // From order of appearance to order of size.
    std::vector<Code> order(cuts_.size());
    std::iota(order.begin(), order.end(), Code{0});
    std::sort(order.begin(), order.end(), [&](Code a, Code b) { return cuts_[a] < cuts_[b]; });
    std::vector<Code> rank(std::size_t{std::numeric_limits<Code>::max()} + 1, missing);
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<Code>(i);
    for (std::size_t i = 0; i < values.size(); ++i) codes[i] = rank[codes[i]];
    std::sort(cuts_.begin(), cuts_.end());
    return true;
}

template <class Code>
void CodedColumn::code_by_quantiles(std::span<const double> values, std::size_t limit) {
    cuts_ = quantiles(values, limit);
    codes_ = std::make_unique_for_overwrite<std::byte[]>(values.size() * sizeof(Code));
    auto* codes = reinterpret_cast<Code*>(codes_.get());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto below = std::lower_bound(cuts_.begin(), cuts_.end(), values[i]) - cuts_.begin();
        codes[i] = static_cast<Code>(values[i] == values[i] ? below : missing_code());
    }
}

CodedColumn::CodedColumn(const ColumnView& view, std::span<const double> values,
                         std::int32_t n_categories)
    : view_(view), n_categories_(n_categories) {
    has_missing_ =
        std::any_of(values.begin(), values.end(), [](double value) { return value != value; });
    const std::size_t narrow_limit = has_missing_ ? 255 : 256;
    if (code_exactly<std::uint8_t>(values, narrow_limit)) return;

    // The cuts take half a byte a row.
    const std::size_t wide_limit = std::min<std::size_t>(65534, values.size() / 16);
    wide_ = size_of(view.type) == 8 && !view.sparse && wide_limit > narrow_limit;
    if (wide_ && code_exactly<std::uint16_t>(values, wide_limit)) return;

    exact_ = false;
    if (wide_)
        code_by_quantiles<std::uint16_t>(values, wide_limit);
    else
        code_by_quantiles<std::uint8_t>(values, 254);
}

bool code_columns(const Table& table, Crew& crew, std::vector<CodedColumn>& coded) {
    const std::int32_t n_columns = table.n_columns();
    const auto n_rows = static_cast<std::size_t>(table.n_rows);
    coded.resize(static_cast<std::size_t>(n_columns));
    const std::int64_t n_groups = (n_columns + kColumnsAtOnce - 1) / kColumnsAtOnce;
    return crew.run(n_groups, [&] {
        return [&, buffer = std::vector<double>()](std::int64_t group, Crew::Pulse& pulse) mutable {
            const auto first = static_cast<std::int32_t>(group) * kColumnsAtOnce;
            const std::int32_t count = std::min(kColumnsAtOnce, n_columns - first);
            buffer.resize(n_rows * static_cast<std::size_t>(count));
            constexpr std::int32_t kRowsAtOnce = 64;
            const ColumnView& first_column = table.columns[static_cast<std::size_t>(first)];
            for (std::int32_t row = 0; row < table.n_rows; row += kRowsAtOnce) {
                const std::int32_t n = std::min(kRowsAtOnce, table.n_rows - row);
                if (!first_column.sparse)
                    for (std::int32_t i = row + n; i < std::min(row + 2 * n, table.n_rows); ++i)
                        flow::prefetch(first_column.values + i * first_column.stride);
                for (std::int32_t i = 0; i < count; ++i)
                    table.columns[static_cast<std::size_t>(first + i)].read(
                        row, n,
                        buffer.data() + static_cast<std::size_t>(i) * n_rows +
                            static_cast<std::size_t>(row),
                        1);
            }
            for (std::int32_t i = 0; i < count; ++i) {
                if (pulse.stopped()) return;
                const auto column = static_cast<std::size_t>(first + i);
                coded[column] = CodedColumn(
                    table.columns[column],
                    std::span(buffer).subspan(static_cast<std::size_t>(i) * n_rows, n_rows),
                    table.n_categories[column]);
            }
        };
    });
}

}  // namespace pucut::trees
