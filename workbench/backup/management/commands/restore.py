"""`manage.py restore`: restores a backup into an empty workbench."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError

from workbench.backup.archive import BackupRefused, backup_read
from workbench.languages.sentences import say, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.disk import means_full_disk
from workbench.machine.environment import ENVIRONMENT_CHECKS, keep_files_private


class Command(TerminalCommand):
    help = to_say("Fills an empty database (DATABASE_URL) and data folder (WORKBENCH_DATA) from a backup.")
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help=say("what manage.py backup wrote"))

    def handle(self, *, file: Path, **options: Any) -> None:
        keep_files_private()
        try:
            contents = backup_read(file)
        except BackupRefused as error:
            raise CommandError(str(error)) from None
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except DatabaseError as error:
            if not means_full_disk(error):
                raise
            raise CommandError(
                say(
                    "All rows and files are back, but the disk is too full to bring them to this version. Make room; "
                    "`make up` does it at its start."
                )
            ) from None
        self.stdout.write(
            say(
                "{rows:,} rows and {files:,} files are back; make up starts it.",
                rows=contents.rows,
                files=contents.files,
            )
        )
