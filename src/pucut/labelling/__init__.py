"""Labelling by people, row after row: what to look at next, and how many positives are left."""
