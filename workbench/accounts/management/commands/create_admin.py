"""`manage.py create_admin`: creates the first administrator."""

from __future__ import annotations

import os
from typing import Any

from workbench.accounts.services import first_administrator_make
from workbench.languages.sentences import say, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.environment import ENVIRONMENT_CHECKS


class Command(TerminalCommand):
    help = to_say("Creates the first administrator, with WORKBENCH_ADMIN_PASSWORD or a password that is printed once.")
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def handle(self, *args: Any, **options: Any) -> None:
        given = os.environ.get("WORKBENCH_ADMIN_PASSWORD") or None
        made = first_administrator_make(password=given)
        if made is None:
            return
        user, password = made
        if given:
            self.stdout.write(
                say("The first administrator is {user}; the password is WORKBENCH_ADMIN_PASSWORD.", user=user)
            )
        else:
            self.stdout.write(
                say(
                    "The first administrator is {user}; the password, shown only now, is: {password}",
                    user=user,
                    password=password,
                )
            )
