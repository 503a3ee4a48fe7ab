"""Sampled stacks for display: stored completely with the analysis, reduced to a call tree per request."""
