"""Gaussian kernels: machines and ridge regression on them."""
