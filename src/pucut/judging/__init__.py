"""Fit several learners, hide labels, compare them on the hidden ones, weigh and mix."""
