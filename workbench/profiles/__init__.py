"""Flame graphs: the sampled stacks of an analysis, reduced to a selection."""
