"""`manage.py load_rules`: loads the shipped rules."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from diagnostics.errors import InvalidRule
from workbench.languages.sentences import say, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.environment import ENVIRONMENT_CHECKS
from workbench.rules.services import rules_load


class Command(TerminalCommand):
    help = to_say("Stores and publishes the shipped rules; a rule that was edited here keeps its local text.")
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = rules_load()
        except InvalidRule as error:
            raise CommandError(f"{say('A shipped rule does not load.')}\n{error}") from None
        published = loaded.ruleset.versions.count()
        self.stdout.write(
            say(
                "{published} rules are published; {added} new, {gone} gone.",
                published=published,
                added=len(loaded.added),
                gone=len(loaded.dropped),
            )
        )
        for rule_id in loaded.kept_local:
            self.stdout.write(
                say("{rule}: the local text stays; the new shipped one is stored beside it.", rule=rule_id)
            )
