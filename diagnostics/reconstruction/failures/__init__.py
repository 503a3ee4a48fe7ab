"""Failures, the ends of processes, lost TaskManagers and outages of the coordination service."""
