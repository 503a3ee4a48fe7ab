"""Drills: a past case is found out again against the clock, with its verdict hidden until the end."""
