from typing import Any

from django.apps import AppConfig


class RunbooksConfig(AppConfig):
    name = "workbench.runbooks"

    def ready(self) -> None:
        """Starts comparing each new diagnosis of a snapshot with the incident."""
        from workbench.analyses.finished import analysis_finished

        analysis_finished.connect(self._update_verifications, dispatch_uid="verifications")

    def _update_verifications(self, **signal: Any) -> None:
        # Loaded when it is called: most commands of `manage.py` store no diagnosis.
        from workbench.runbooks.verifying import verifications_update

        verifications_update(**signal)
