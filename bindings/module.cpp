// The Python module: native functions over flat arrays. The interpreter's lock is released around
// the work, and taken for a moment now and then to see whether the user wants to stop.
#include <nanobind/nanobind.h>

#include "define.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Native core of pucut.";
    pucut::bindings::define_flow(module);
    pucut::bindings::define_neighbors(module);
    pucut::bindings::define_trees(module);
}
