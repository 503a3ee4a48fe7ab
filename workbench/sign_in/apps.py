from django.apps import AppConfig


class SignInConfig(AppConfig):
    name = "workbench.sign_in"
