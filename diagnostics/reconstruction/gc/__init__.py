"""Garbage collection of each JVM: pauses, share of time, and heap before and after collections."""
