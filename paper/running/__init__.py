"""Runs: tasks, the workers that do them, and the files of their results."""
