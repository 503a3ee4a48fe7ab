from django.apps import AppConfig


class ChannelsConfig(AppConfig):
    name = "workbench.channels"

    def ready(self) -> None:
        """Starts sending verdicts."""
        from workbench.analyses.finished import analysis_finished
        from workbench.channels.planning import deliveries_plan

        analysis_finished.connect(deliveries_plan, dispatch_uid="channels")
