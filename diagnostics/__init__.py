"""Diagnosis of a Flink job from its files: evidence, signals, rules, diagnosis.

This package is independent of Django, Celery, Redis and databases; the command line and the worker both use it.
"""
