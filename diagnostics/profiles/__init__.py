"""Sampled stacks as people look at them: kept whole with the analysis, cut to a call tree for each question."""
