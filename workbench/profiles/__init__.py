"""Flame graphs: the sampled stacks of an analysis, cut to what was asked for."""
