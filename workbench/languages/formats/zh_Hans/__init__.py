"""Formats of simplified Chinese."""
