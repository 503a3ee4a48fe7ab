from django.apps import AppConfig


class CasesConfig(AppConfig):
    name = "workbench.cases"
