# Needs GNU make, Python 3.11 or newer with its headers, and a C++20 compiler. Everything else,
# CMake and Ninja included, is installed into .venv, by whichever target first needs it.

PYTHON ?= python3
FUZZ_SECONDS ?= 60
TORTURE_ARGS ?=
PYTEST_ARGS ?=
PYTEST_WORKERS ?= 2
BENCH_ARGS ?=
CROSS_TARGETS ?= x86_64-windows-gnu aarch64-macos x86_64-macos aarch64-linux-gnu
# 32 bits, and big-endian: CMakeLists.txt has to say no.
REFUSED_TARGETS := x86-linux-gnu s390x-linux-gnu

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt
CMAKE_NATIVE := $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
	-DPUCUT_WERROR=ON

# A process that has nothing left takes tests from another; those of a file mostly stay together.
PYTEST := $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal

# Beside the tools of other targets, scikit-activeml: every release of it needs a newer NumPy. torch
# stays as constraints.txt has it, matplotlib 3.8 does not know pyparsing 3.3, and the test client of
# starlette 0.46 knows neither httpx2 nor later releases of anyio.
OLDEST := build/oldest/venv
NOT_WITH_THE_OLDEST := ^(scikit-activeml|mypy|scipy-stubs|ruff|clang-)

# Each stamp says that a step was done after the last change of what it rests on.
PYTHON_READY := $(VENV)/.python-ready
BUILD_READY := $(VENV)/.build-ready
TOOLS_READY := $(VENV)/.tools-ready
PEERS_READY := $(VENV)/.peers-ready
DOCS_READY := $(VENV)/.docs-ready
INSTALLED := $(VENV)/.installed
INSTALLED_WITHOUT_WARNINGS := $(VENV)/.installed-without-warnings

# Folders count too: one changes when a file in it is removed.
PACKAGE_SOURCES := $(shell find native bindings src \
	\( -path native/tests -o -path native/fuzz -o -name __pycache__ \) -prune -o -print)
CXX_FILES = $(shell find native bindings -name '*.cpp' -o -name '*.hpp')
TIDY_FILES = $(wildcard native/flow/*.cpp native/neighbors/*.cpp native/trees/*.cpp bindings/*.cpp)

# Requirements stand in pyproject.toml alone. This prints lists of them, one requirement a line:
# "build", "run", or the name of an extra.
REQUIREMENTS := $(BIN)/python -c 'import sys, tomllib; \
	file = tomllib.load(open("pyproject.toml", "rb")); \
	lists = {"build": file["build-system"]["requires"], "run": file["project"]["dependencies"]}; \
	lists |= file["project"]["optional-dependencies"]; \
	print(*(line for name in sys.argv[1:] for line in lists[name]), sep="\n")'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL: # `make test` promises an order
.PHONY: demo test test-fast test-oldest pytest coverage docs bench fuzz torture format lint types \
	native-test cross dist stubs clean help

demo: $(INSTALLED) ## run the demonstration
	$(BIN)/python examples/demo_digits.py

test: lint types native-test pytest ## run every check: lint, types, native tests, pytest

pytest: $(TOOLS_READY) $(INSTALLED_WITHOUT_WARNINGS) ## run the Python tests
	$(PYTEST) $(PYTEST_ARGS)

test-fast: $(TOOLS_READY) $(INSTALLED) ## run ruff, and the tests that are not marked as slow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

# In an environment of its own, with the wheel that the installed package was made from.
test-oldest: $(INSTALLED) ## run the tests with the oldest NumPy, SciPy, scikit-learn and others that pyproject.toml allows
	@mkdir -p build/oldest
	@$(REQUIREMENTS) run test | grep -vE '$(NOT_WITH_THE_OLDEST)' \
		| sed -E '/^torch/!s/>=([0-9.]+)/==\1.*/' > build/oldest/requirements.txt
	test -d $(OLDEST) || $(PYTHON) -m venv $(OLDEST)
	$(subst $(BIN),$(OLDEST)/bin,$(PIP_INSTALL)) -r build/oldest/requirements.txt \
		'pyparsing<3.3' 'anyio<4.11' httpx
	$(call wheel_into,build/oldest/wheel)
	$(subst $(BIN),$(OLDEST)/bin,$(PIP_INSTALL)) --no-deps --force-reinstall build/oldest/wheel/*.whl
	$(subst $(BIN),$(OLDEST)/bin,$(PYTEST)) $(PYTEST_ARGS)

# The lines of Python by all tests, those of native/ by its own: a line of a template counts once,
# whatever it was made for.
coverage: $(TOOLS_READY) $(INSTALLED) ## measure which lines the tests reach, of Python and of C++: build/coverage
	@$(REQUIREMENTS) coverage > $(VENV)/coverage.txt
	$(PIP_INSTALL) -r $(VENV)/coverage.txt
	@mkdir -p build/coverage
	$(CMAKE_NATIVE) -B build/coverage/native -DPUCUT_COVERAGE=ON -DPUCUT_BUILD_TESTS=ON
	$(BIN)/cmake --build build/coverage/native
	@# What an earlier run counted would be added to.
	find build/coverage/native -name '*.gcda' -delete
	$(BIN)/ctest --test-dir build/coverage/native -j2 --output-on-failure --no-tests=error
	$(BIN)/gcovr --root . --filter native/ --exclude native/tests/ build/coverage/native \
		--merge-lines --exclude-throw-branches --txt build/coverage/native.txt --print-summary
	$(PYTEST) --cov=pucut --cov-report=term-missing:skip-covered --cov-report=html:build/coverage/python \
		$(PYTEST_ARGS)

# One thread: the examples say how long they took, and other work should not be in the way of that.
docs: $(INSTALLED) $(DOCS_READY) ## build the documentation into build/docs/html; warnings are errors
	@mkdir -p build/docs/extra
	$(BIN)/python examples/report_digits.py build/docs/extra/digits_report.html
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -n -q -d build/docs/doctrees docs build/docs/html
	@echo "open build/docs/html/index.html"

bench: $(INSTALLED) $(PEERS_READY) ## run the usual benchmarks in half an hour, or those that BENCH_ARGS names, and show one summary
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

fuzz: $(BUILD_READY) ## run each fuzzer for FUZZ_SECONDS (60)
	@# clang has libFuzzer, which is guided by coverage; other compilers get native/fuzz/driver.cpp.
	CXX="$${CXX:-$$(command -v clang++)}" \
		$(CMAKE_NATIVE) -B build/fuzz -DPUCUT_SANITIZE=address -DPUCUT_BUILD_FUZZERS=ON \
			-DPUCUT_FUZZ_SECONDS=$(FUZZ_SECONDS)
	$(BIN)/cmake --build build/fuzz
	$(BIN)/cmake --build build/fuzz --target fuzz

torture: $(TOOLS_READY) $(INSTALLED) ## hard use for an hour, or as TORTURE_ARGS says; goes on where it was stopped
	$(BIN)/python -m torture $(TORTURE_ARGS)

format: $(TOOLS_READY) ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

lint: $(TOOLS_READY) ## check format and style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	@# clang-tidy reads how each file is compiled; nothing is built for that.
	@$(CMAKE_NATIVE) -B build/tidy -DPUCUT_WERROR=OFF -DPUCUT_BUILD_PYTHON=ON \
		-DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
		-Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" > /dev/null
	printf '%s\n' $(TIDY_FILES) | xargs -P2 -n1 $(BIN)/clang-tidy -p build/tidy --quiet

types: $(TOOLS_READY) ## check types
	$(BIN)/mypy

# Under the thread sanitizer only what has threads is run, and the fuzzers with some thousand inputs.
native-test: $(BUILD_READY) ## run the C++ tests under the address, undefined behaviour and thread sanitizers
	$(CMAKE_NATIVE) -B build/native -DPUCUT_SANITIZE=address -DPUCUT_BUILD_TESTS=ON
	$(CMAKE_NATIVE) -B build/tsan -DPUCUT_SANITIZE=thread -DPUCUT_BUILD_TESTS=ON -DPUCUT_BUILD_FUZZERS=ON
	@set -e; for build in build/native build/tsan; do $(BIN)/cmake --build $$build; \
		$(BIN)/ctest --test-dir $$build -j2 --output-on-failure --no-tests=error; done

# Nothing is run: there is no Windows and no macOS here. docs/design/releases.md says what was.
cross: $(BUILD_READY) ## compile native/ and its tests for the systems in CROSS_TARGETS, with zig; nothing is run
	@$(REQUIREMENTS) release | grep ziglang > $(VENV)/cross.txt
	$(PIP_INSTALL) -r $(VENV)/cross.txt
	@set -e; zig="$$($(BIN)/python -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/zig")')"; \
		configure() { $(CMAKE_NATIVE) -B build/cross/$$1 -DCMAKE_TOOLCHAIN_FILE=native/cross/zig.cmake \
			-DPUCUT_ZIG="$$zig" -DPUCUT_ZIG_TARGET=$$1 -DPUCUT_BUILD_TESTS=ON; }; \
		for target in $(REFUSED_TARGETS); do \
			if said="$$(configure $$target 2>&1)"; then echo "$$target was not refused" >&2; exit 1; fi; \
			echo "$$said" | grep -m1 -A2 'pucut needs a'; done; \
		for target in $(CROSS_TARGETS); do \
			configure $$target; $(BIN)/cmake --build build/cross/$$target; done

dist: $(BUILD_READY) ## build the source distribution and this machine's wheel into dist, and check both
	@$(REQUIREMENTS) release > $(VENV)/release.txt
	$(PIP_INSTALL) -r $(VENV)/release.txt
	rm -rf dist build/dist
	$(BIN)/python -m build --quiet --sdist --no-isolation --outdir dist
	$(call wheel_into,build/dist)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/dist/*.whl
	$(BIN)/python -m twine check --strict dist/*

stubs: $(INSTALLED) ## write src/pucut/_core.pyi anew, from the compiled module
	$(BIN)/cmake --build build/wheel --target pucut_stub
	cp build/wheel/_core.pyi src/pucut/_core.pyi

clean: ## remove the virtual environment and everything built
	rm -rf $(VENV) build dist docs/gallery docs/api/generated .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; \
		do printf '  %-12s %s\n' "$$name" "$$text"; done

$(PYTHON_READY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "pucut needs Python 3.11 or newer, and '$(PYTHON)' is not: name one, as in" \
			"'make PYTHON=python3.12 ...'" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; \
		sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || { \
		echo "'$(PYTHON)' has no header Python.h: install its development package" >&2; exit 1; }
	@for compiler in "$${CXX:-c++}" g++ clang++; do \
		! command -v "$$compiler" > /dev/null || exit 0; done; \
		echo "no C++ compiler found: install g++ or clang++, or name one in CXX" >&2; exit 1
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(BUILD_READY): $(PYTHON_READY) pyproject.toml constraints.txt
	@$(REQUIREMENTS) build run > $(VENV)/build.txt
	$(PIP_INSTALL) cmake ninja -r $(VENV)/build.txt
	@touch $@

$(TOOLS_READY): $(BUILD_READY)
	@$(REQUIREMENTS) test > $(VENV)/test.txt
	$(PIP_INSTALL) -r $(VENV)/test.txt
	@touch $@

$(DOCS_READY): $(BUILD_READY)
	@$(REQUIREMENTS) cli plots paper torch docs > $(VENV)/docs.txt
	$(PIP_INSTALL) -r $(VENV)/docs.txt
	@touch $@

# A peer that does not install here is left out of the comparison; the others are still measured.
# Some benchmarks need Dask and PyTorch, and are left out without them.
$(PEERS_READY): $(BUILD_READY)
	@$(REQUIREMENTS) bench dask torch | while read -r peer; do \
		$(PIP_INSTALL) "$$peer" || echo "could not install $$peer: measuring without it" >&2; done
	@touch $@

# A real installation, not an editable one: the tests see what a user gets. The build folder is
# kept, so that only what changed is compiled again.
# By its long name: the pip of Debian 12 does not know -C.
cmake_settings = --config-settings=build-dir=build/wheel --config-settings=cmake.define.PUCUT_WERROR=$(1)
install_package = $(PIP_INSTALL) --no-deps --no-build-isolation --force-reinstall \
	$(call cmake_settings,$(1)) .
wheel_into = rm -rf $(1) && $(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps \
	--no-build-isolation $(call cmake_settings,OFF) --wheel-dir $(1) .
PACKAGE_INPUTS := $(BUILD_READY) CMakeLists.txt $(PACKAGE_SOURCES)

$(INSTALLED): $(PACKAGE_INPUTS)
	$(call install_package,OFF)
	@touch $@

# A compiler's warning stops the tests, but not somebody who only wants to use the package.
$(INSTALLED_WITHOUT_WARNINGS): $(PACKAGE_INPUTS)
	$(call install_package,ON)
	@touch $(INSTALLED) $@
