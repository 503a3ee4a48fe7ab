"""Formats of dates and numbers that differ from Django's."""
