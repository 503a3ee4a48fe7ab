"""Extracts what is marked for translation, compiles the catalogues, and counts what is translated by area."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from workbench.languages.catalogues import CATALOGUE_SOURCES, COLLECTOR, collector_written, is_translated, update
from workbench.languages.progress import PROGRESS_PAGE, progress_page


class Command(BaseCommand):
    """`manage.py translations`."""

    help = "Brings the catalogues of translations up to date with the code, compiles them, and counts by area."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--open", action="store_true", help="also print the texts that have no translation")

    def handle(self, *args: Any, **options: Any) -> None:
        for source in CATALOGUE_SOURCES:
            for message in update(source):
                if options["open"] and message.id and not is_translated(message):
                    self.stdout.write(f"{source.domain}: {message.id!r}")
        COLLECTOR.write_text(collector_written(), "utf-8")
        page = progress_page()
        PROGRESS_PAGE.write_text(page, "utf-8")
        self.stdout.write(page)
