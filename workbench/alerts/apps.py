from typing import Any

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "workbench.alerts"

    def ready(self) -> None:
        """Continues to verify fixes after the end of an alert."""
        from workbench.analyses.finished import analysis_finished

        analysis_finished.connect(self._continue_verification, dispatch_uid="alerts")

    def _continue_verification(self, **signal: Any) -> None:
        # Loaded when it is called: most commands of `manage.py` store no diagnosis.
        from workbench.alerts.services import verification_continue

        verification_continue(**signal)
