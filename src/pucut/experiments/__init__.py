"""The experiments of the paper: what is run, and the tables made of it."""
