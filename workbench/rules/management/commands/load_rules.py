"""`manage.py load_rules`: loads the shipped rules."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from diagnostics.errors import InvalidRule
from workbench.rules.services import rules_load


class Command(BaseCommand):
    help = "Stores and publishes the shipped rules; a rule that was edited here keeps its local text."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = rules_load()
        except InvalidRule as error:
            raise CommandError(f"A shipped rule does not load.\n{error}") from None
        published = loaded.ruleset.versions.count()
        self.stdout.write(f"{published} rules are published; {len(loaded.added)} new, {len(loaded.dropped)} gone.")
        for rule_id in loaded.kept_local:
            self.stdout.write(f"{rule_id}: the local text stays; the new shipped one is stored beside it.")
