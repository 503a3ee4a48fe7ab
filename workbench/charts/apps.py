from django.apps import AppConfig


class ChartsConfig(AppConfig):
    name = "workbench.charts"
