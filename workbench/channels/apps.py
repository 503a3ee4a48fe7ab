from typing import Any

from django.apps import AppConfig


class ChannelsConfig(AppConfig):
    name = "workbench.channels"

    def ready(self) -> None:
        """Starts sending verdicts."""
        from workbench.analyses.finished import analysis_finished

        analysis_finished.connect(self._plan_deliveries, dispatch_uid="channels")

    def _plan_deliveries(self, **signal: Any) -> None:
        # Loaded when it is called: most commands of `manage.py` store no diagnosis.
        from workbench.channels.planning import deliveries_plan

        deliveries_plan(**signal)
