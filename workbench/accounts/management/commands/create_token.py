"""`manage.py create_token USER`: prints a new API token."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from workbench.accounts.models import MOST_TOKEN_DAYS, TOKEN_DAYS, ApiToken, TokenScope, User
from workbench.languages.sentences import say, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.environment import ENVIRONMENT_CHECKS


class Command(TerminalCommand):
    help = to_say(
        "Prints a new API token of a user. It is shown only now; a user can have several. It counts until it expires, "
        "it is revoked, or the user gets another password."
    )
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="command line", help=say("what the token is for"))
        parser.add_argument(
            "--days", type=int, default=TOKEN_DAYS, help=say("how long it counts, 1 to {most}", most=MOST_TOKEN_DAYS)
        )
        parser.add_argument("--scope", choices=TokenScope.values, default=TokenScope.WRITE, help=say("what it may do"))

    def handle(
        self, *args: Any, user: str, name: str, days: int, scope: str = TokenScope.WRITE, **options: Any
    ) -> None:
        if not 1 <= days <= MOST_TOKEN_DAYS:
            raise CommandError(say("A token counts for 1 to {most} days.", most=MOST_TOKEN_DAYS))
        found = User.objects.filter(username=user, is_active=True).first()
        if found is None:
            raise CommandError(say("There is no active user {name}.", name=repr(user)))
        _, secret = ApiToken.objects.make(found, name, days, TokenScope(scope))
        self.stdout.write(secret)
