"""Prepares the database before the first request: settings, migrations, shipped rules, an administrator.

One process for all of it, because each start of Django takes most of a second: `python -m workbench.launch.prepare`.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

import django
from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError

from diagnostics.errors import SparkUnavailable
from diagnostics.language import command_language
from diagnostics.rare_collection import rare_collection
from diagnostics.storage.shared_folder import STORAGE_VARIABLE, run_folder
from workbench.languages.sentences import in_language, say
from workbench.launch.chart_library import without_unused


@rare_collection()
def prepare() -> int:
    """Brings the database up to date; gives the exit status. Errors go to standard error, in the reader's language."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    with in_language(command_language(sys.argv[1:], os.environ)):
        return _prepare()


def _prepare() -> int:
    try:
        call_command("check", stdout=io.StringIO())
        storage_try(settings.SPARK_STORAGE)
        call_command("migrate", verbosity=0, interactive=False)
        call_command("load_rules")
        call_command("create_admin")
        chart_library_copy(settings.PLOTLY_PACKAGED / "plotly.min.js", settings.PLOTLY_COMPRESSED)
    except (SystemCheckError, CommandError, SparkUnavailable) as error:
        sys.stderr.write(f"{str(error).strip()}\n")
        return 1
    except (DatabaseError, OSError) as error:
        reason = str(error).strip()
        sys.stderr.write(f"{say('The data folder or the database cannot be used: {reason}', reason=reason)}\n")
        return 1
    return 0


def storage_try(storage: str) -> None:
    """Creates and removes the folder of a run at the storage. Raises SparkUnavailable when that fails.

    Runs here, because a process that forks later must not use such a storage.
    """
    try:
        with run_folder(storage, f"start-{uuid4()}"):
            pass
    except SparkUnavailable as error:
        raise SparkUnavailable(say("{name} cannot be used: {reason}", name=STORAGE_VARIABLE, reason=error)) from error


def chart_library_copy(source: Path, target: Path) -> None:
    """Copies the reduced plotly.js into a folder, with a gzip copy beside it; only once."""
    if target.is_dir():
        return
    script = source.read_text("utf-8")
    try:
        script = without_unused(script)
    except ValueError as error:
        sys.stderr.write(f"{say('The chart library is served whole, about 1.5 MB: {reason}.', reason=error)}\n")
    target.parent.mkdir(exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=target.parent) as place:
        made = Path(place) / "made"
        made.mkdir()
        (made / source.name).write_text(script, "utf-8")
        (made / f"{source.name}.gz").write_bytes(gzip.compress(script.encode(), mtime=0))
        made.rename(target)


if __name__ == "__main__":
    sys.exit(prepare())
