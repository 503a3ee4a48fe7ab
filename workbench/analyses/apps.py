from django.apps import AppConfig


class AnalysesConfig(AppConfig):
    name = "workbench.analyses"

    def ready(self) -> None:
        """Binds tasks sent from the web server to this application instead of Celery's default."""
        from workbench import celery  # noqa: F401
