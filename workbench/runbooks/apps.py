from django.apps import AppConfig


class RunbooksConfig(AppConfig):
    name = "workbench.runbooks"

    def ready(self) -> None:
        """Starts comparing each new diagnosis of a snapshot with the incident."""
        from workbench.analyses.finished import analysis_finished
        from workbench.runbooks.verifying import verifications_update

        analysis_finished.connect(verifications_update, dispatch_uid="verifications")
