"""Stored chart points, drawn for the page."""
