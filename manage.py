#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from diagnostics.rare_collection import rare_collection
from diagnostics.spark.ahead import start_ahead

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    if sys.argv[1:2] == ["diagnose"]:
        start_ahead(sys.argv[2:])
    with rare_collection():
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
