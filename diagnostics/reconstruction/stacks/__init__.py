"""Sampled stacks and thread dumps: profiles of tasks, locks between threads, and call trees for drawing."""
