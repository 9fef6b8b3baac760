// The table a forest is grown on, column by column: the caller's values by view, and a small code
// for each of them.
//
// A code is the value's place among the column's cuts: values with a smaller code are smaller.
// Where a column has few distinct values each has a code of its own ("exact") and the view is not
// needed again. Otherwise values that share a code are told apart by a look at the view, so nothing
// is lost and a tree comes out as it would on the values themselves. Codes take a byte, or two
// where the values take eight: they fit the caches where the values would not, and the memory as
// well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/index.hpp"
#include "common/interrupt.hpp"

namespace pucut::trees {

enum class ValueType : std::int8_t { float32, float64, uint8, int32, int64 };

// One column of the caller's, dense (every stride-th byte) or sparse (rows ascending, the rest 0).
struct ColumnView {
    const std::byte* values = nullptr;
    std::ptrdiff_t stride = 0;  // in bytes
    ValueType type = ValueType::float64;
    bool sparse = false;
    std::span<const std::int32_t> sparse_rows;

    [[nodiscard]] double at(std::int32_t row) const;
    // values[0..n) of rows first to first + n - 1, `step` apart.
    void read(std::int32_t first, std::int32_t n, double* into, std::ptrdiff_t step) const;
};

struct Table {
    std::int32_t n_rows = 0;
    std::vector<ColumnView> columns;
    // Number of categories a column, 0 for a column of numbers. A categorical column holds whole
    // numbers below it; NaN means missing in both.
    std::span<const std::int32_t> n_categories;

    [[nodiscard]] std::int32_t n_columns() const { return to<std::int32_t>(columns.size()); }
};

class CodedColumn {
  public:
    // `values` are those of the view, read before.
    CodedColumn(const ColumnView& view, std::span<const double> values, std::int32_t n_categories);
    // Of a column that was coded exactly, a byte a value.
    CodedColumn(const ColumnView& view, std::int32_t n_categories,
                std::unique_ptr<std::byte[]> codes, std::vector<double> cuts, bool has_missing);
    CodedColumn() = default;

    [[nodiscard]] bool wide() const { return wide_; }  // two bytes a code
    [[nodiscard]] bool exact() const { return exact_; }
    [[nodiscard]] bool has_missing() const { return has_missing_; }
    [[nodiscard]] std::int32_t n_categories() const { return n_categories_; }

    template <class Code>
    [[nodiscard]] const Code* codes() const {
        return reinterpret_cast<const Code*>(codes_.get());
    }
    // Ascending; of an exact column the values of the codes, else code = number of cuts below.
    [[nodiscard]] std::span<const double> cuts() const { return cuts_; }
    [[nodiscard]] double value(std::int32_t row) const { return view_.at(row); }
    // Of a missing value; no other has it where the column has missing values.
    [[nodiscard]] std::uint32_t missing_code() const { return wide_ ? 65535 : 255; }

  private:
    // False when there are too many distinct values.
    template <class Code>
    bool code_exactly(std::span<const double> values, std::size_t limit);
    template <class Code>
    void code_by_quantiles(std::span<const double> values, std::size_t limit);

    ColumnView view_;
    std::vector<double> cuts_;
    std::unique_ptr<std::byte[]> codes_;
    std::int32_t n_categories_ = 0;
    bool wide_ = false;
    bool exact_ = true;
    bool has_missing_ = false;
};

// Nothing when told to stop.
std::optional<std::vector<CodedColumn>> code_columns(const Table& table, int n_threads,
                                                     Interrupt& interrupt);

}  // namespace pucut::trees
