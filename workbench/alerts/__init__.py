"""Alerts from other systems: their sources, what they become, and the cases that they open."""
