"""`manage.py write_log_books`: writes the log books of diagnosed analyses, until it is stopped.

The analyses whose log book waits are the queue, so that nothing is lost with a message. One process writes them, at a
low priority (see `workbench/launch/programs.py`): the next case never waits for the log pages of the one before.
"""

from __future__ import annotations

import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import Error, connection

from workbench.analyses.log_books import log_books_write
from workbench.machine.environment import keep_files_private
from workbench.machine.postgresql.driver import WORKER_SECONDS, answer_within

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""Polling interval for pending analyses. Our choice: the query uses an index."""


class Command(BaseCommand):
    """Writes pending log books in a loop."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares the option to end when nothing is pending."""
        parser.add_argument("--once", action="store_true", help="end when nothing waits any more")

    def handle(self, *, once: bool, **options: Any) -> None:
        """Write until the process is stopped; waits when the database is unavailable."""
        keep_files_private()
        answer_within(WORKER_SECONDS)
        while True:
            try:
                begun = log_books_write()
            except Error:
                if once:
                    raise
                logger.warning("the waiting log books could not be looked up; it is tried again", exc_info=True)
                connection.close()
                begun = 0
            if begun:
                continue
            if once:
                return
            time.sleep(LOOK_SECONDS)
