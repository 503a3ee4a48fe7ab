"""Analyses: queued, watched, cancelled, recovered and stored runs of the diagnosis."""
