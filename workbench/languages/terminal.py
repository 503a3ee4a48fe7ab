"""Commands of `manage.py` in the language of who reads them."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from diagnostics.language import LANGUAGES, command_language
from workbench.languages.sentences import in_language, say


class TerminalCommand(BaseCommand):
    """Help, messages and errors are in the language of `--language`, else of the terminal's locale, else in English.

    `to_say` marks `help`. Exit statuses and JSON, which programs read, do not change.
    """

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django runs it from the command line, errors included."""
        with in_language(command_language(argv[2:], os.environ)):
            super().run_from_argv(argv)

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        """The parser with the option `--language`, whose value `handle` gets too."""
        self.help = say(self.help)
        parser = super().create_parser(prog_name, subcommand, **options)
        add_language(parser)
        return parser


def add_language(parser: ArgumentParser) -> None:
    """Declares the option that `command_language` reads."""
    parser.add_argument(
        "--language",
        choices=LANGUAGES,
        help=say("of help and messages; without it, that of the terminal's locale"),
    )
