"""Metrics over time: the readings of each series, and every metric in slots of time."""
