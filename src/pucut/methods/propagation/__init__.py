"""Label propagation."""
