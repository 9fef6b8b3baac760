#pragma once

#include <cmath>

namespace pucut {

// Neumaier's compensated sum, for sums with much cancellation.
class CompensatedSum {
  public:
    CompensatedSum() = default;
    explicit CompensatedSum(double start) : sum_(start), magnitude_(std::abs(start)) {}

    void add(double term) {
        const double total = sum_ + term;
        carry_ += std::abs(sum_) >= std::abs(term) ? (sum_ - total) + term : (term - total) + sum_;
        sum_ = total;
        magnitude_ += std::abs(term);
    }
    [[nodiscard]] double value() const { return sum_ + carry_; }
    [[nodiscard]] double magnitude() const { return magnitude_; }

  private:
    double sum_ = 0.0;
    double carry_ = 0.0;
    double magnitude_ = 0.0;
};

}  // namespace pucut
