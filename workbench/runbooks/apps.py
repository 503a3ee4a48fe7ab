from django.apps import AppConfig


class RunbooksConfig(AppConfig):
    name = "workbench.runbooks"
