from django.apps import AppConfig

from workbench.languages.sentences import say_later


class LayoutsConfig(AppConfig):
    name = "workbench.layouts"
    verbose_name = say_later("Log layouts")
