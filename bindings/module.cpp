// The one file that knows both worlds: it presents the native functions to Python.
//
// Only flat arrays of fixed types cross, by view. The interpreter's lock is released around the
// work, and taken for a moment now and then to see whether the user wants to stop.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "flow/certificate.hpp"
#include "flow/graph_check.hpp"
#include "flow/parametric_cut.hpp"

namespace nb = nanobind;
using namespace nb::literals;
namespace flow = pucut::flow;

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const Input<T>& array) {
    return {array.data(), array.size()};
}

// Hands the memory over instead of copying it.
template <class T>
Output<T> give(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept,
                      [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return Output<T>(kept->data(), {kept->size()}, owner);
}

// Asks the interpreter about signals, at most every 50 ms.
class SignalWatch final : public flow::Interrupt {
  public:
    bool requested() override {
        const auto now = std::chrono::steady_clock::now();
        if (now - asked_ < std::chrono::milliseconds(50)) return false;
        asked_ = now;
        nb::gil_scoped_acquire lock;
        return PyErr_CheckSignals() != 0;
    }

  private:
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

using Place = nb::typed<nb::tuple, int, std::int32_t, std::int64_t>;
using Fields = nb::typed<nb::dict, nb::str, nb::any>;

Place check_graph(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                  const Input<double>& weights) {
    flow::GraphCheck check;
    {
        nb::gil_scoped_release unlocked;
        check = flow::check_graph(view(offsets), view(neighbors), view(weights));
    }
    return Place(nb::make_tuple(static_cast<int>(check.fault), check.row, check.place));
}

Output<double> weighted_degrees(const Input<std::int64_t>& offsets,
                                const Input<std::int32_t>& neighbors,
                                const Input<double>& weights) {
    std::vector<double> degrees;
    {
        nb::gil_scoped_release unlocked;
        degrees = flow::weighted_degrees(view(offsets), view(neighbors), view(weights));
    }
    return give(std::move(degrees));
}

Fields solve_levels(const Input<std::int64_t>& offsets, const Input<std::int32_t>& neighbors,
                    const Input<double>& weights, const Input<double>& pull,
                    const Input<double>& slope, const Input<std::int8_t>& side, double lowest,
                    double highest, int relaxation_rounds, int n_threads) {
    // Side has the representation of int8, and its three values are all that Python sends.
    const std::span<const flow::Side> sides(reinterpret_cast<const flow::Side*>(side.data()),
                                            side.size());
    const flow::CutProblem problem{view(offsets), view(neighbors), view(weights), view(pull),
                                   view(slope),   sides,           lowest,        highest};
    flow::CutLevels levels;
    flow::Certificate certificate;
    flow::Status status;
    {
        nb::gil_scoped_release unlocked;
        SignalWatch watch;
        status = flow::solve_levels(problem, watch, {relaxation_rounds, n_threads}, levels);
        if (status == flow::Status::optimal)
            certificate = flow::certify(problem, levels.level, levels.flow, levels.rank);
    }
    if (status == flow::Status::interrupted) throw nb::python_error();

    nb::dict counters;
    counters["free_nodes"] = levels.counters.free_nodes;
    counters["edges"] = levels.counters.edges;
    counters["regions"] = levels.counters.regions;
    counters["depth"] = levels.counters.depth;
    counters["phases"] = levels.counters.router.phases;
    counters["scanned_arcs"] = levels.counters.router.scanned_arcs;
    counters["pushes"] = levels.counters.router.pushes;

    nb::dict result;
    result["status"] = static_cast<int>(status);
    result["feasible"] = certificate.feasible;
    result["gap"] = certificate.gap;
    result["cut_weight"] = certificate.cut_weight;
    result["level"] = give(std::move(levels.level));
    result["forced_level"] = give(std::move(levels.forced_level));
    result["breakpoints"] = give(std::move(levels.breakpoints));
    result["mass"] = give(std::move(levels.mass));
    result["counters"] = counters;
    return Fields(result);
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "Native core of pucut.";
    module.def("check_graph", &check_graph, "offsets"_a, "neighbors"_a, "weights"_a,
               "Fault (0 for none), row and place of the first entry that keeps CSR arrays from "
               "being a symmetric graph.");
    module.def("weighted_degrees", &weighted_degrees, "offsets"_a, "neighbors"_a, "weights"_a,
               "Sums of the rows of a checked graph, without its diagonal.");
    module.def(
        "solve_levels", &solve_levels, "offsets"_a, "neighbors"_a, "weights"_a, "pull"_a, "slope"_a,
        "side"_a, "lowest"_a, "highest"_a, "relaxation_rounds"_a, "n_threads"_a,
        "Levels of all nodes, breakpoints and certificate, for arrays that have been checked.");
}
