"""Runbooks: records of who did which step, when, and with which result."""
