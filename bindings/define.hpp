// The parts of the module, one a file.
#pragma once

#include <nanobind/nanobind.h>

namespace pucut::bindings {

void define_flow(nanobind::module_& module);
void define_neighbors(nanobind::module_& module);
void define_trees(nanobind::module_& module);

}  // namespace pucut::bindings
