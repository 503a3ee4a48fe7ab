from django.apps import AppConfig

from workbench.languages.sentences import say_later


class AccountsConfig(AppConfig):
    name = "workbench.accounts"
    verbose_name = say_later("People and teams")
