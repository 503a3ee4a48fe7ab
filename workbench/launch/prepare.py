"""What must stand before the first request: right settings, the newest schema, the shipped rules, an administrator.

One process for all of it, because each start of Django takes most of a second: `python -m workbench.launch.prepare`.
"""

from __future__ import annotations

import io
import os
import sys

import django
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
    except (SystemCheckError, CommandError) as error:
        sys.stderr.write(f"{str(error).strip()}\n")
        return 1
    except (DatabaseError, OSError) as error:
        sys.stderr.write(f"The database cannot be used: {str(error).strip()}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(prepare())
