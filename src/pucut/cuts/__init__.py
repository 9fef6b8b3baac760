"""Parametric minimum cuts: the engine, HNC, cuts with a data term, the two stages of the paper."""
