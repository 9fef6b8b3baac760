"""Labels, tables of any container, their encoding and their size."""
