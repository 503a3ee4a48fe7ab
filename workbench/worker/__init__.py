"""The Celery worker: its start, the signs of life of its processes, and its periodic duties."""
