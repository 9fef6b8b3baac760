"""Labelling by people, row after row: what to look at next, how many are left, and a page for it.

Pure functions in most modules, what a session knows in `session`, the page in `app` and `assets`.
"""
