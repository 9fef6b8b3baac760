"""Rows of finished runs to tables, figures and one page."""
