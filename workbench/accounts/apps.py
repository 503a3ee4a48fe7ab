from django.apps import AppConfig, apps

from workbench.languages.sentences import say_later


class AccountsConfig(AppConfig):
    name = "workbench.accounts"
    verbose_name = say_later("People and teams")

    def ready(self) -> None:
        # Axes has no name of its own for the administration, which would show its label.
        apps.get_app_config("axes").verbose_name = say_later("Failed sign-ins")
