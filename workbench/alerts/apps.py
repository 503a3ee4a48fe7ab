from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "workbench.alerts"

    def ready(self) -> None:
        """Continues to verify fixes after the end of an alert."""
        from workbench.alerts.services import verification_continue
        from workbench.analyses.finished import analysis_finished

        analysis_finished.connect(verification_continue, dispatch_uid="alerts")
