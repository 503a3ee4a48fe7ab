"""The entry point of the web server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from diagnostics.rare_collection import rare_collection
from workbench.machine.environment import keep_files_private, refuse_wrong_environment
from workbench.machine.postgresql.driver import WEB_SECONDS, answer_within

keep_files_private()
answer_within(WEB_SECONDS)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")

with rare_collection():
    application = get_wsgi_application()

    from workbench.machine.preloading import program_preload  # needs the apps that the line above loads

    refuse_wrong_environment()
    program_preload()
