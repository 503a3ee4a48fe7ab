from django.apps import AppConfig


class AnalysesConfig(AppConfig):
    name = "workbench.analyses"

    def ready(self) -> None:
        """Tasks that are sent from the web server go to this application, not to Celery's own default."""
        from workbench import celery  # noqa: F401
