from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workbench.accounts.models import ApiToken, User


class Command(BaseCommand):
    help = "Prints a new API token of a user. It is shown only now; a user can have several, the admin revokes them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="command line", help="what the token is for")

    def handle(self, *args: Any, user: str, name: str, **options: Any) -> None:
        found = User.objects.filter(username=user, is_active=True).first()
        if found is None:
            raise CommandError(f"There is no active user {user!r}.")
        _, secret = ApiToken.objects.make(found, name)
        self.stdout.write(secret)
