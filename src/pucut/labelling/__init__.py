"""Labelling by people, row after row.

`journal` keeps the answers, `ranking` chooses the rows to show, and `remaining` estimates the
positives left. `session` joins them, and `app` is the page.
"""
