"""The entry point of the web server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")

application = get_wsgi_application()

from workbench.environment import refuse_wrong_environment  # noqa: E402 - needs the apps that the line above loads

refuse_wrong_environment()
