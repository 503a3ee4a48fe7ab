"""The web side's fixtures: a data folder of their own, the people, a real Redis."""

from tests.workbench.conftest import data_folder, django_db_setup, people, queue, redis_url

__all__ = ["data_folder", "django_db_setup", "people", "queue", "redis_url"]
