from django.apps import AppConfig


class WatchingConfig(AppConfig):
    name = "workbench.watching"
