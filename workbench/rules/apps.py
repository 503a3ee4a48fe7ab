from django.apps import AppConfig

from workbench.languages.sentences import say_later


class RulesConfig(AppConfig):
    name = "workbench.rules"
    verbose_name = say_later("Rules")
