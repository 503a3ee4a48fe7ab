"""Tries the migrations of this version on a copy of the data of an older one."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

from diagnostics.wording.phrase import size as size_text
from workbench.backup import rows
from workbench.languages.sentences import say, say_counted

REHEARSAL_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked, as sentences, and the obstacles to the upgrade."""

    said: list[str]
    problems: list[str]


def upgrade_checked(*, with_hashes: bool = False) -> Checked:
    """Checks the parts of database and files that every version has, and tries the migrations on a copy."""
    applied = rows.migrations_applied()
    if not applied:
        return Checked([], [say("The database is empty: there is nothing to upgrade.")])
    if unknown := rows.migrations_unknown(applied):
        migration = ".".join(unknown[0])
        return Checked(
            [], [say("The database is of a newer version of the workbench ({migration}).", migration=migration)]
        )
    problems = [*_damaged_rows(), *_damaged_files(with_hashes=with_hashes)]
    pending = len(rows.migrations_pending())
    said = [
        say_counted("{count} migration is to be applied.", "{count} migrations are to be applied.", pending)
        if pending
        else say("The database is at this version.")
    ]
    if not problems and pending:
        said.append(_rehearsed(problems))
    return Checked(said, problems)


def _damaged_rows() -> Iterator[str]:
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check(10)")
        yield from (
            say("The database is damaged: {reason}", reason=text) for (text,) in cursor.fetchall() if text != "ok"
        )
        cursor.execute("PRAGMA foreign_key_check")
        yield from (
            say("A row of {table} refers to one of {other} that is gone.", table=table, other=other)
            for table, _, other, _ in cursor.fetchmany(10)
        )


def _damaged_files(*, with_hashes: bool) -> Iterator[str]:
    """Reads the table directly, because the models are those of this version."""
    with connection.cursor() as cursor:
        columns = {each.name for each in connection.introspection.get_table_description(cursor, "uploads_uploadedfile")}
        kept = " WHERE deleted_at IS NULL" if "deleted_at" in columns else ""
        cursor.execute(f"SELECT stored, bytes, sha256 FROM uploads_uploadedfile{kept} ORDER BY id")  # noqa: S608 no input
        for stored, size, sha256 in cursor.fetchall():
            path = settings.UPLOADS_DIR / stored
            if not path.is_file():
                yield say("{path} is gone; its case could not be analysed again.", path=path)
            elif path.stat().st_size != size or (with_hashes and _sha256(path) != sha256):
                yield say("{path} is not the file that was uploaded.", path=path)


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _rehearsed(problems: list[str]) -> str:
    """Migrates a copy of the database; errors are added to the problems."""
    if connection.vendor != "sqlite":
        return say("The migrations were not tried: on PostgreSQL, restore a backup into another database to try them.")
    source = Path(settings.DATABASES["default"]["NAME"])
    size, free = source.stat().st_size, shutil.disk_usage(settings.WORKBENCH_DATA).free
    if 2 * size > free:
        problems.append(
            say(
                "The migrations need about {needed} on the disk; {free} are free.",
                needed=size_text(2 * size),
                free=size_text(free),
            )
        )
        return say("The migrations were not tried.")
    with tempfile.TemporaryDirectory(dir=settings.WORKBENCH_DATA, prefix="rehearsal-") as folder:
        copy = Path(folder) / "copy.sqlite3"
        with closing(sqlite3.connect(source)) as database, closing(sqlite3.connect(copy)) as target:
            database.backup(target)
        ended = subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--no-input"],
            cwd=settings.BASE_DIR,
            env=os.environ | {"DATABASE_URL": f"sqlite:///{copy}", "WORKBENCH_DATA": str(Path(folder) / "data")},
            capture_output=True,
            text=True,
            timeout=REHEARSAL_SECONDS,
            check=False,
        )
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or [say("no reason was given")])[-1]
        problems.append(say("The migrations failed on a copy of the database: {reason}", reason=last))
        return say("The migrations were tried on a copy.")
    return say("The migrations were tried on a copy of the database and went well.")
