from django.apps import AppConfig

from workbench.languages.sentences import say_later


class SignInConfig(AppConfig):
    name = "workbench.sign_in"
    verbose_name = say_later("Sign-in")
