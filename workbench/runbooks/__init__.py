"""Runbooks: which person did which step, when, and with which result."""
