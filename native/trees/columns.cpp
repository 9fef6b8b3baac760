#include "trees/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "common/index.hpp"
#include "common/jobs.hpp"
#include "common/prefetch.hpp"

namespace pucut::trees {

namespace {

// Adjacent columns of a row share a cache line: they are read together.
constexpr std::int32_t kColumnsAtOnce = 16;
constexpr std::int32_t kRowsAtOnce = 64;

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

// Numbers the distinct values in order of appearance, up to a limit, a piece of the column at a
// time.
template <class Code>
class Numbering {
  public:
    explicit Numbering(std::size_t limit)
        : limit_(limit),
          mask_(std::bit_ceil(4 * limit) - 1),
          keys_(mask_ + 1, kEmpty),
          code_at_(mask_ + 1) {}

    // Codes of the next values, kMissing where there is none. False from the moment on at which
    // there are more distinct values than codes.
    bool add(std::span<const double> values, Code* codes) {
        for (std::size_t i = 0; i < values.size() && !failed_; ++i) {
            const double value = values[i];
            if (value != value) {
                codes[i] = kMissing;
                has_missing_ = true;
                continue;
            }
            const std::uint64_t bits = bits_of(value);
            std::size_t slot = to<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> 32) & mask_;
            while (keys_[slot] != bits && keys_[slot] != kEmpty) slot = (slot + 1) & mask_;
            if (keys_[slot] == kEmpty) {
                if (distinct_.size() == limit_) {
                    failed_ = true;
                    break;
                }
                keys_[slot] = bits;
                code_at_[slot] = to<Code>(distinct_.size());
                distinct_.push_back(value + 0.0);
            }
            codes[i] = code_at_[slot];
        }
        // The last code is that of a missing value, if there is one.
        failed_ |= has_missing_ && distinct_.size() > kMissing;
        return !failed_;
    }

    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] bool has_missing() const { return has_missing_; }

    // From order of appearance to order of size; returns the values in this order.
    std::vector<double> finish(std::span<Code> codes) {
        std::vector<Code> order(distinct_.size());
        std::iota(order.begin(), order.end(), Code{0});
        std::sort(order.begin(), order.end(),
                  [&](Code a, Code b) { return distinct_[a] < distinct_[b]; });
        std::vector<Code> rank(std::size_t{kMissing} + 1, kMissing);
        for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = to<Code>(i);
        for (Code& code : codes) code = rank[code];
        std::sort(distinct_.begin(), distinct_.end());
        return std::move(distinct_);
    }

  private:
    static constexpr Code kMissing = std::numeric_limits<Code>::max();
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // the bits of a NaN

    std::size_t limit_;
    std::size_t mask_;
    std::vector<std::uint64_t> keys_;
    std::vector<Code> code_at_;
    std::vector<double> distinct_;
    bool has_missing_ = false;
    bool failed_ = false;
};

// The numbering of a column whose codes take a byte, while it is read.
struct ByteCodes {
    explicit ByteCodes(std::size_t n_rows)
        : codes(std::make_unique_for_overwrite<std::byte[]>(n_rows)) {}
    [[nodiscard]] std::uint8_t* at(std::int32_t row) {
        return reinterpret_cast<std::uint8_t*>(codes.get()) + row;
    }
    Numbering<std::uint8_t> numbering{256};
    std::unique_ptr<std::byte[]> codes;
};

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

CodedColumn::CodedColumn(const ColumnView& view, std::int32_t n_categories,
                         std::unique_ptr<std::byte[]> codes, std::vector<double> cuts,
                         bool has_missing)
    : view_(view),
      cuts_(std::move(cuts)),
      codes_(std::move(codes)),
      n_categories_(n_categories),
      has_missing_(has_missing) {}

template <class Code>
bool CodedColumn::code_exactly(std::span<const double> values, std::size_t limit) {
    codes_ = std::make_unique_for_overwrite<std::byte[]>(values.size() * sizeof(Code));
    auto* codes = reinterpret_cast<Code*>(codes_.get());
    Numbering<Code> numbering(limit);
    if (!numbering.add(values, codes)) return false;
    has_missing_ = numbering.has_missing();
    cuts_ = numbering.finish(std::span(codes, values.size()));
    return true;
}

template <class Code>
void CodedColumn::code_by_quantiles(std::span<const double> values, std::size_t limit) {
    cuts_ = quantiles(values, limit);
    codes_ = std::make_unique_for_overwrite<std::byte[]>(values.size() * sizeof(Code));
    auto* codes = reinterpret_cast<Code*>(codes_.get());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto below = std::lower_bound(cuts_.begin(), cuts_.end(), values[i]) - cuts_.begin();
        codes[i] = to<Code>(values[i] == values[i] ? below : missing_code());
    }
}

CodedColumn::CodedColumn(const ColumnView& view, std::span<const double> values,
                         std::int32_t n_categories)
    : view_(view), n_categories_(n_categories) {
    if (code_exactly<std::uint8_t>(values, 256)) return;
    // The cuts take half a byte a row.
    const std::size_t wide_limit = std::min<std::size_t>(65534, values.size() / 16);
    wide_ = size_of(view.type) == 8 && !view.sparse && wide_limit > 256;
    if (wide_ && code_exactly<std::uint16_t>(values, wide_limit)) return;
    has_missing_ =
        std::any_of(values.begin(), values.end(), [](double value) { return value != value; });
    exact_ = false;
    if (wide_)
        code_by_quantiles<std::uint16_t>(values, wide_limit);
    else
        code_by_quantiles<std::uint8_t>(values, 254);
}

std::optional<std::vector<CodedColumn>> code_columns(const Table& table, int n_threads,
                                                     Interrupt& interrupt) {
    const std::int32_t n_columns = table.n_columns();
    const auto n_rows = to<std::size_t>(table.n_rows);
    std::vector<CodedColumn> coded(to<std::size_t>(n_columns));
    const std::int64_t n_groups = (n_columns + kColumnsAtOnce - 1) / kColumnsAtOnce;

    const auto code_group = [&](std::int32_t first, std::int32_t count, Interrupt& stop) {
        const auto columns =
            std::span(table.columns).subspan(to<std::size_t>(first), to<std::size_t>(count));
        std::vector<ByteCodes> bytes;
        bytes.reserve(columns.size());
        for (std::int32_t i = 0; i < count; ++i) bytes.emplace_back(n_rows);
        std::array<double, kRowsAtOnce> piece{};
        for (std::int32_t row = 0; row < table.n_rows; row += kRowsAtOnce) {
            const std::int32_t n = std::min(kRowsAtOnce, table.n_rows - row);
            if (!columns[0].sparse)
                for (std::int32_t i = row + n; i < std::min(row + 2 * n, table.n_rows); ++i)
                    prefetch(columns[0].values + i * columns[0].stride);
            for (std::size_t i = 0; i < columns.size(); ++i) {
                if (bytes[i].numbering.failed()) continue;
                columns[i].read(row, n, piece.data(), 1);
                bytes[i].numbering.add(std::span(piece).first(to<std::size_t>(n)),
                                       bytes[i].at(row));
            }
        }
        std::vector<double> values;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (stop.requested()) return;
            const std::size_t column = to<std::size_t>(first) + i;
            Numbering<std::uint8_t>& numbering = bytes[i].numbering;
            if (numbering.failed()) {
                bytes[i].codes.reset();
                values.resize(n_rows);
                columns[i].read(0, table.n_rows, values.data(), 1);
                coded[column] = CodedColumn(columns[i], values, table.n_categories[column]);
            } else {
                auto cuts = numbering.finish(std::span(bytes[i].at(0), n_rows));
                coded[column] =
                    CodedColumn(columns[i], table.n_categories[column], std::move(bytes[i].codes),
                                std::move(cuts), numbering.has_missing());
            }
        }
    };
    const bool complete = run_jobs(n_groups, n_threads, interrupt, [&] {
        return [&](std::int64_t group, Interrupt& stop) {
            const auto first = to<std::int32_t>(group) * kColumnsAtOnce;
            code_group(first, std::min(kColumnsAtOnce, n_columns - first), stop);
        };
    });
    if (!complete) return std::nullopt;
    return coded;
}

}  // namespace pucut::trees
