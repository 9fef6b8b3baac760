#include <algorithm>

#include "common/jobs.hpp"
#include "trees/forest.hpp"
#include "trees/tree_grower.hpp"

namespace pucut::trees {

namespace {

// Coding the columns is a small part of the work, and not told as progress.
class Quiet final : public Interrupt {
  public:
    Quiet(Interrupt& interrupt, std::int64_t total) : interrupt_(interrupt), total_(total) {}
    bool requested(const Progress&) override { return interrupt_.requested({0, total_}); }

  private:
    Interrupt& interrupt_;
    std::int64_t total_;
};

template <class T>
void append(std::vector<T>& all, std::vector<T>& part) {
    all.insert(all.end(), part.begin(), part.end());
    std::vector<T>().swap(part);
}

void join(std::vector<Nodes>& trees, const std::vector<CodedColumn>& columns, Forest& forest) {
    std::size_t n_nodes = 0;
    forest.offsets.assign(1, 0);
    for (const Nodes& tree : trees) {
        n_nodes += tree.feature.size();
        forest.offsets.push_back(static_cast<std::int64_t>(n_nodes));
    }
    Nodes& all = forest.nodes;
    all.feature.reserve(n_nodes);
    all.threshold.reserve(n_nodes);
    all.left.reserve(n_nodes);
    all.missing_left.reserve(n_nodes);
    for (Nodes& tree : trees) {
        // Masks move behind those of the trees before.
        if (!tree.masks.empty())
            for (std::size_t i = 0; i < tree.feature.size(); ++i)
                if (tree.feature[i] >= 0 &&
                    columns[static_cast<std::size_t>(tree.feature[i])].n_categories() > 0)
                    tree.threshold[i] += static_cast<double>(all.masks.size());
        append(all.masks, tree.masks);
        append(all.feature, tree.feature);
        append(all.threshold, tree.threshold);
        append(all.left, tree.left);
        append(all.missing_left, tree.missing_left);
    }
}

}  // namespace

std::vector<std::int32_t> rows_of_trees(const Sampling& sampling, std::int32_t max_rows) {
    const std::vector<CodedColumn> no_columns;
    GrowOptions options;
    options.max_rows = max_rows;
    TreeGrower grower(no_columns, sampling, options);
    std::vector<std::int32_t> rows;
    for (std::size_t tree = 0; tree < sampling.tree_seed.size(); ++tree) {
        const auto drawn = grower.rows_of(tree);
        rows.insert(rows.end(), drawn.begin(), drawn.end());
    }
    return rows;
}

bool grow_forest(const Table& table, const Sampling& sampling, const GrowOptions& options,
                 int n_threads, Interrupt& interrupt, Forest& forest) {
    const std::size_t n_trees = sampling.tree_seed.size();
    const auto n_features = static_cast<std::size_t>(table.n_columns());
    std::vector<CodedColumn> columns;
    {
        Quiet quiet(interrupt, static_cast<std::int64_t>(n_trees));
        if (!code_columns(table, n_threads, quiet, columns)) return false;
    }
    forest.risk_reduction.assign(n_trees * n_features, 0.0);
    std::vector<Nodes> trees(n_trees);
    const bool complete = run_jobs(static_cast<std::int64_t>(n_trees), n_threads, interrupt, [&] {
        return [&, grower = TreeGrower(columns, sampling, options)](std::int64_t job,
                                                                    Interrupt& stop) mutable {
            const auto tree = static_cast<std::size_t>(job);
            Nodes nodes;
            grower.grow(tree, stop, nodes, forest.risk_reduction.data() + tree * n_features);
            // What was grown ahead of need is given back.
            nodes.feature.shrink_to_fit();
            nodes.threshold.shrink_to_fit();
            nodes.left.shrink_to_fit();
            nodes.missing_left.shrink_to_fit();
            nodes.masks.shrink_to_fit();
            trees[tree] = std::move(nodes);
        };
    });
    if (!complete) return false;
    join(trees, columns, forest);
    return true;
}

}  // namespace pucut::trees
