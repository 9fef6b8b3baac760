"""Oracles, problems and comparisons that several tests share."""
