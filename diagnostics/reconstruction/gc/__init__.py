"""Garbage collection of each JVM: pauses, timeline, and what the heap held."""
