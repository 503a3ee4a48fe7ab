"""What the files of a Flink job say, and what it means: evidence, signals, rules, diagnosis.

This package knows nothing of Django, Celery, Redis or a database; the command line and the worker use it alike.
"""
