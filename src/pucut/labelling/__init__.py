"""Labelling by people, row after row.

`journal` keeps the answers, `ranking` and `next_rows` choose the rows to show, and `remaining`
estimates the positives left. `session` joins them; `cards` and `app` make the page.
"""
