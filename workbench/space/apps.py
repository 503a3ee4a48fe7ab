from django.apps import AppConfig


class SpaceConfig(AppConfig):
    name = "workbench.space"
