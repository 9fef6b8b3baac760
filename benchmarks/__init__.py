"""Benchmarks: pucut beside its peers. `python -m benchmarks` runs them; README.md lists them."""
