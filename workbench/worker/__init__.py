"""The Celery worker: its start, the signs of life of its processes, and what it looks after beside its tasks."""
