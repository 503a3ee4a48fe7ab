"""`manage.py backup`: writes a backup."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from diagnostics.wording.phrase import size as size_text
from workbench.backup.archive import BackupRefused, backup_write
from workbench.languages.sentences import say, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.environment import ENVIRONMENT_CHECKS, keep_files_private


class Command(TerminalCommand):
    help = to_say(
        "Writes the whole workbench into one file: rows, files, keys. It may run meanwhile. Keep the file as secret."
    )
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help=say("where to write it; it must not exist"))

    def handle(self, *, file: Path, **options: Any) -> None:
        keep_files_private()
        try:
            contents = backup_write(file.absolute())
        except BackupRefused as error:
            raise CommandError(str(error)) from None
        for path in contents.missing:
            self.stderr.write(say("{path} is named by a row and was not there.", path=path))
        self.stdout.write(
            say(
                "{rows:,} rows and {files:,} files, {size}: {path}",
                rows=contents.rows,
                files=contents.files,
                size=size_text(contents.bytes),
                path=file,
            )
        )
