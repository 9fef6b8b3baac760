"""What X and y are: labels, tables of any container, their encoding and their size."""
