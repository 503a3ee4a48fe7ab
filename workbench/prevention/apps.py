from django.apps import AppConfig


class PreventionConfig(AppConfig):
    name = "workbench.prevention"
