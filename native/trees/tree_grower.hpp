// One PU extra tree: at each node a few features, for each a few random cuts, the best one taken.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/interrupt.hpp"
#include "common/random.hpp"
#include "trees/columns.hpp"
#include "trees/forest.hpp"
#include "trees/risk.hpp"

namespace pucut::trees {

// Grows one tree after another and keeps its scratch memory between them; one a thread.
//
// The random draws, in their order, so that they can be made elsewhere: first those of draw_rows(),
// if there are more rows than max_rows. Then nodes are worked on depth first, left before right. At
// a node, while fewer than max_features features that vary have been seen and untried ones are
// left, below(number of features untried and not known to be constant) chooses a place in the list
// of features; a feature found constant moves to the front of the list for good in this subtree,
// any other to its end. A feature of numbers then takes max_candidates times unit(), a categorical
// one the draws of draw_subset(); one of which all values present are equal, and others missing,
// takes none: its only cut parts those from these.
class TreeGrower {
  public:
    TreeGrower(const std::vector<CodedColumn>& columns, const Sampling& sampling,
               const GrowOptions& options);

    struct Tree {
        Nodes nodes;
        std::vector<double> risk_reduction;  // by feature
    };
    // Not whole when told to stop.
    Tree grow(std::size_t number, Interrupt& stop);

    // The rows of a tree, labelled ones first, until the next call.
    std::span<const std::int32_t> rows_of(std::size_t tree);

  private:
    // Rows of a node: two ranges of rows_, one for each kind, so that counting one counts a kind.
    struct Range {
        std::int32_t begin;
        std::int32_t end;
        [[nodiscard]] std::int32_t size() const { return end - begin; }
    };
    struct Task {
        Range labelled;
        Range rest;
        std::int32_t node;
        std::int32_t depth;
        std::int32_t n_constant;  // so many features at the front of the list do not vary here
    };
    static constexpr std::int32_t kNoFold = -2;
    using Subset = std::array<std::uint64_t, 4>;
    struct Cut {
        double reduction = 0;
        std::int32_t feature = -1;
        double threshold = 0;
        bool missing_left = false;
        Subset subset{};
        Count left;
    };

    [[nodiscard]] std::int32_t* rows(Range range) { return rows_.data() + range.begin; }

    // Sets rows_ to those of the tree; returns the labelled ones of them.
    Range draw_rows_of(std::size_t tree);
    // The rows the tree may see, labelled ones first.
    void find_eligible(std::int32_t left_out);
    // Of eligible rows first to first + n - 1 as many as are wanted, into rows_ from `begin` on:
    // all, or one out of each of so many equal stretches, which below() chooses.
    Range draw_rows(std::int32_t first, std::int32_t n, std::int32_t wanted, std::int32_t begin);

    // Nothing when no feature varies, or no cut leaves enough rows on both sides.
    std::optional<Cut> find_cut(Task& task, Count count, double risk);
    // False when the feature does not vary in the node.
    template <class Code>
    bool try_numbers(const Task& task, std::int32_t feature, Count count, double risk, Cut& best);
    bool try_categories(const Task& task, std::int32_t feature, Count count, double risk,
                        Cut& best);
    void consider(Count count, Count left, Count missing, double risk, std::int32_t feature,
                  double threshold, const Subset& subset, Cut& best) const;
    Subset draw_subset(std::int32_t n_categories, const std::vector<std::int32_t>& present);

    template <class Code>
    void gather(const Code* codes, Range range, Code* into) const;
    template <class Code>
    std::int32_t count_left(const CodedColumn& column, Range range, const Code* codes,
                            std::uint32_t cut_code, double threshold) const;

    // Left rows to the front, in their order; returns their number.
    std::int32_t part(const Cut& cut, Range range);
    template <class Code, class GoesLeft>
    std::int32_t part_by(const Code* codes, Range range, const GoesLeft& goes_left);

    const std::vector<CodedColumn>& columns_;
    const Sampling& sampling_;
    const GrowOptions& options_;
    Criterion criterion_;
    Random random_{0};
    std::vector<std::int32_t> eligible_;
    std::int32_t n_eligible_labelled_ = 0;
    std::int32_t eligible_without_ = kNoFold;  // the fold that is left out of these
    std::vector<std::int32_t> rows_;
    std::vector<std::int32_t> right_rows_;
    std::vector<std::uint16_t> codes_;
    std::vector<std::int32_t> features_;
    std::vector<Task> tasks_;
    std::vector<std::int32_t> present_;
    std::int64_t work_ = 0;  // values looked at since the last question whether to stop
};

}  // namespace pucut::trees
