// What a set of rows adds to the risk when one answer is given to all of them (Wilton et al. 2022,
// "Positive-unlabeled learning using random forests via recursive greedy risk minimization").
//
// Symbols of the paper and their names here:
//   W_p = prior * share of the labelled positives   positive
//   W_n, the weight of the negatives                negative
//         pu risks: share of the unlabelled - W_p;  may come out negative
//         pn risk:  (1 - prior) * share of the rows without a label
//   v* = W_p / (W_p + W_n)                          fraction
//
// The least risk over all constant answers, W = W_p + W_n:
//   quadratic  (1 - y g)^2:          4 W v (1 - v)
//   logistic   log(1 + exp(-y g)):   W (-v log v - (1 - v) log(1 - v))
// For v > 1, that is W_n < 0, the non-negative estimate says 0. The unbiased one says what the
// formula gives: negative for the quadratic loss; minus infinity for the logistic one, which is
// unbounded there, and for both where W is 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace pucut::trees {

enum class Risk : std::int32_t { nnpu = 0, upu = 1, pn = 2 };
enum class Loss : std::int32_t { quadratic = 0, logistic = 1 };

struct Count {
    std::int32_t labelled = 0;
    std::int32_t rest = 0;  // rows without a label

    [[nodiscard]] std::int32_t rows() const { return labelled + rest; }
    friend Count operator-(Count a, Count b) { return {a.labelled - b.labelled, a.rest - b.rest}; }
    friend Count operator+(Count a, Count b) { return {a.labelled + b.labelled, a.rest + b.rest}; }
};

class Criterion {
  public:
    // `total` counts the rows a tree is grown on; both kinds must be there.
    Criterion(Risk risk, Loss loss, double prior, bool unlabelled_includes_labelled, Count total)
        : risk_(risk),
          loss_(loss),
          prior_(prior),
          all_rows_(unlabelled_includes_labelled && risk != Risk::pn),
          n_labelled_(total.labelled),
          n_unlabelled_(all_rows_ ? total.rows() : total.rest) {}

    // v*; infinite where only the positives have weight.
    [[nodiscard]] double fraction(Count count) const {
        const Weights w = weights(count);
        return w.positive > 0 ? w.positive / w.total : 0.0;
    }

    [[nodiscard]] double node_risk(Count count) const {
        const Weights w = weights(count);
        if (w.positive <= 0) return 0.0;
        const double negative = w.total - w.positive;
        if (negative <= 0) {
            if (risk_ != Risk::upu || negative == 0) return 0.0;
            if (loss_ == Loss::logistic || w.total <= 0)
                return -std::numeric_limits<double>::infinity();
        }
        const double v = w.positive / w.total;
        if (loss_ == Loss::quadratic) return 4 * w.total * v * (1 - v);
        return w.total * (-v * std::log(v) - (1 - v) * std::log(1 - v));
    }

    // Whether no cut can lower the risk: rows of one kind, or the least risk there is.
    [[nodiscard]] bool is_final(Count count, double risk) const {
        if (count.labelled == 0 || count.rest == 0) return true;
        return risk_ == Risk::upu ? std::isinf(risk) : risk <= 0;
    }

  private:
    struct Weights {
        double positive;
        double total;
    };

    [[nodiscard]] Weights weights(Count count) const {
        const double positive = prior_ * (count.labelled / n_labelled_);
        if (risk_ == Risk::pn)
            return {positive, positive + (1 - prior_) * (count.rest / n_unlabelled_)};
        return {positive, (all_rows_ ? count.rows() : count.rest) / n_unlabelled_};
    }

    Risk risk_;
    Loss loss_;
    double prior_;
    bool all_rows_;
    double n_labelled_;
    double n_unlabelled_;
};

}  // namespace pucut::trees
