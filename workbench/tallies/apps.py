from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_login_failed


class TalliesConfig(AppConfig):
    name = "workbench.tallies"

    def ready(self) -> None:
        """Counts sign-ins."""
        from workbench.tallies.counting import SIGN_INS, count

        def succeeded(**signal: Any) -> None:
            count(SIGN_INS, "succeeded")

        def failed(**signal: Any) -> None:
            count(SIGN_INS, "failed")

        user_logged_in.connect(succeeded, weak=False, dispatch_uid="tallies-succeeded")
        user_login_failed.connect(failed, weak=False, dispatch_uid="tallies-failed")
