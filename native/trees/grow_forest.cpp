#include <algorithm>

#include "common/index.hpp"
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

// What was grown ahead of need is given back.
void shrink(Nodes& nodes) {
    nodes.feature.shrink_to_fit();
    nodes.threshold.shrink_to_fit();
    nodes.left.shrink_to_fit();
    nodes.missing_left.shrink_to_fit();
    nodes.masks.shrink_to_fit();
}

Forest join(std::vector<TreeGrower::Tree>& trees, const std::vector<CodedColumn>& columns) {
    Forest forest;
    std::size_t n_nodes = 0;
    forest.offsets.assign(1, 0);
    for (const TreeGrower::Tree& tree : trees) {
        n_nodes += tree.nodes.feature.size();
        forest.offsets.push_back(to<std::int64_t>(n_nodes));
    }
    Nodes& all = forest.nodes;
    all.feature.reserve(n_nodes);
    all.threshold.reserve(n_nodes);
    all.left.reserve(n_nodes);
    all.missing_left.reserve(n_nodes);
    forest.risk_reduction.reserve(trees.size() * columns.size());
    for (TreeGrower::Tree& tree : trees) {
        Nodes& nodes = tree.nodes;
        // Masks move behind those of the trees before.
        if (!nodes.masks.empty())
            for (std::size_t i = 0; i < nodes.feature.size(); ++i)
                if (nodes.feature[i] >= 0 && columns[nodes.feature[i]].n_categories() > 0)
                    nodes.threshold[i] += static_cast<double>(all.masks.size());
        append(all.masks, nodes.masks);
        append(all.feature, nodes.feature);
        append(all.threshold, nodes.threshold);
        append(all.left, nodes.left);
        append(all.missing_left, nodes.missing_left);
        append(forest.risk_reduction, tree.risk_reduction);
    }
    return forest;
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

std::optional<Forest> grow_forest(const Table& table, const Sampling& sampling,
                                  const GrowOptions& options, int n_threads, Interrupt& interrupt) {
    std::vector<TreeGrower::Tree> trees(sampling.tree_seed.size());
    const auto n_trees = to<std::int64_t>(trees.size());
    Quiet quiet(interrupt, n_trees);
    const auto columns = code_columns(table, n_threads, quiet);
    if (!columns) return std::nullopt;
    const bool complete = run_jobs(n_trees, n_threads, interrupt, [&] {
        return [&, grower = TreeGrower(*columns, sampling, options)](std::int64_t job,
                                                                     Interrupt& stop) mutable {
            trees[job] = grower.grow(to<std::size_t>(job), stop);
            shrink(trees[job].nodes);
        };
    });
    if (!complete) return std::nullopt;
    return join(trees, *columns);
}

}  // namespace pucut::trees
