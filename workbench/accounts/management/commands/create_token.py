"""`manage.py create_token USER`: prints a new API token."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workbench.accounts.models import MOST_TOKEN_DAYS, TOKEN_DAYS, ApiToken, TokenScope, User


class Command(BaseCommand):
    help = (
        "Prints a new API token of a user. It is shown only now; a user can have several. It counts until it expires, "
        "it is revoked, or the user gets another password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="command line", help="what the token is for")
        parser.add_argument("--days", type=int, default=TOKEN_DAYS, help=f"how long it counts, 1 to {MOST_TOKEN_DAYS}")

        parser.add_argument("--scope", choices=TokenScope.values, default=TokenScope.WRITE, help="what it may do")

    def handle(
        self, *args: Any, user: str, name: str, days: int, scope: str = TokenScope.WRITE, **options: Any
    ) -> None:
        if not 1 <= days <= MOST_TOKEN_DAYS:
            raise CommandError(f"A token counts for 1 to {MOST_TOKEN_DAYS} days.")
        found = User.objects.filter(username=user, is_active=True).first()
        if found is None:
            raise CommandError(f"There is no active user {user!r}.")
        _, secret = ApiToken.objects.make(found, name, days, TokenScope(scope))
        self.stdout.write(secret)
