"""Middleware: bounds on requests, security headers, and answers to faults of the machine."""
