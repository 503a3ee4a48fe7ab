from django.apps import AppConfig


class LanguagesConfig(AppConfig):
    name = "workbench.languages"
