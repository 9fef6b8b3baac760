"""Reliable negatives first, then a classifier: spies, Rocchio."""
