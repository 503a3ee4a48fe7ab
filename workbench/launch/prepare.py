"""What must stand before the first request: right settings, the newest schema, the shipped rules, an administrator.

One process for all of it, because each start of Django takes most of a second: `python -m workbench.launch.prepare`.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

import django
from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError


def prepare() -> int:
    """Brings the database up to date; gives the exit status. What is wrong is said on standard error."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    try:
        call_command("check", stdout=io.StringIO())
        call_command("migrate", verbosity=0, interactive=False)
        call_command("load_rules")
        call_command("create_admin")
        compress(settings.PLOTLY_PACKAGED, settings.PLOTLY_COMPRESSED, "plotly.min.js")
    except (SystemCheckError, CommandError) as error:
        sys.stderr.write(f"{str(error).strip()}\n")
        return 1
    except (DatabaseError, OSError) as error:
        sys.stderr.write(f"The data folder or the database cannot be used: {str(error).strip()}\n")
        return 1
    return 0


def compress(source: Path, target: Path, name: str) -> None:
    """Copies a file into a folder with a gzip copy beside it, which the web server sends to browsers; once."""
    if target.is_dir():
        return
    target.parent.mkdir(exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=target.parent) as place:
        made = Path(place) / "made"
        made.mkdir()
        shutil.copyfile(source / name, made / name)
        (made / f"{name}.gz").write_bytes(gzip.compress((source / name).read_bytes(), mtime=0))
        made.rename(target)


if __name__ == "__main__":
    sys.exit(prepare())
