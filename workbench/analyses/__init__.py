"""Runs of the diagnosis: queued, watched, cancelled, recovered and stored."""
