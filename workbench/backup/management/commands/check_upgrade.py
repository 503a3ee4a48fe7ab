"""`manage.py check_upgrade`: tries an upgrade on a copy of the data."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from workbench.backup.upgrade import upgrade_checked
from workbench.languages.sentences import say, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.environment import ENVIRONMENT_CHECKS


class Command(TerminalCommand):
    help = to_say(
        "Says whether this version can take over the data folder and database of an older one; changes nothing."
    )
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--hashes", action="store_true", help=say("read every file and compare its SHA-256, too"))

    def handle(self, *, hashes: bool, **options: Any) -> None:
        checked = upgrade_checked(with_hashes=hashes)
        for line in checked.said:
            self.stdout.write(line)
        for problem in checked.problems:
            self.stderr.write(problem)
        if checked.problems:
            raise CommandError(say("Do not upgrade it in this state."))
        self.stdout.write(say("It can be upgraded: make up does it at its start. Make a backup before."))
