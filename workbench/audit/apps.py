from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "workbench.audit"

    def ready(self) -> None:
        """Starts recording sign-ins; requests are recorded by the middleware."""
        from workbench.audit import sign_ins

        sign_ins.connect()
