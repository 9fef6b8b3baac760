"""Scores out of sample, and the threshold that the prior asks of them."""
