"""Sampled stacks and thread dumps: what tasks do, who waits for whom, and call trees small enough to draw."""
