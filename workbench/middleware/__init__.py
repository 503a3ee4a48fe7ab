"""Middleware: limits of requests, security headers, and answers to faults of the machine."""
