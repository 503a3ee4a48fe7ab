"""Drills: a person diagnoses a past case against the clock, with its verdict hidden until the end."""
