"""The entry point of the web server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from workbench.machine.environment import keep_files_private, refuse_wrong_environment
from workbench.machine.postgresql.driver import WEB_SECONDS, answer_within

keep_files_private()
answer_within(WEB_SECONDS)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")

application = get_wsgi_application()

from django.urls import get_resolver  # noqa: E402 - needs the apps that the line above loads

from workbench.machine.code_version import code_version  # noqa: E402

refuse_wrong_environment()
# Views are imported before the server forks: its processes share them, and the first page of each is fast.
get_resolver().url_patterns  # noqa: B018
# Likewise the digest of the program, which all threads of a process would compute at once for their first case page.
code_version()
