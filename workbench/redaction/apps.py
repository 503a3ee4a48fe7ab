from django.apps import AppConfig

from workbench.languages.sentences import say_later


class RedactionConfig(AppConfig):
    name = "workbench.redaction"
    verbose_name = say_later("Redaction")
