"""Commands of `manage.py` in the language of who reads them."""

from __future__ import annotations

import os
from argparse import Action, ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter

from diagnostics.language import LANGUAGES, command_language
from workbench.languages.sentences import in_language, say, to_say

HEADINGS = {"options": to_say("options"), "positional arguments": to_say("arguments")}
"""Heading of argparse, which has it in English -> ours."""


class TerminalFormatter(DjangoHelpFormatter):
    """Help in the reader's language. Django's own options work and are left out: they are in English, and for few."""

    def add_usage(
        self, usage: str | None, actions: Iterable[Action], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        super().add_usage(usage, self._own(actions), groups, prefix or f"{say('usage:')} ")

    def add_arguments(self, actions: Iterable[Action]) -> None:
        super().add_arguments(self._own(actions))

    def start_section(self, heading: str | None) -> None:
        super().start_section(say(HEADINGS[heading]) if heading in HEADINGS else heading)

    def _own(self, actions: Iterable[Action]) -> list[Action]:
        return [each for each in actions if self.show_last.isdisjoint(each.option_strings)]


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
        parser = super().create_parser(
            prog_name, subcommand, formatter_class=TerminalFormatter, add_help=False, **options
        )
        parser.add_argument("-h", "--help", action="help", help=say("show this and end"))
        add_language(parser)
        return parser


def add_language(parser: ArgumentParser) -> None:
    """Declares the option that `command_language` reads."""
    parser.add_argument(
        "--language",
        choices=LANGUAGES,
        help=say("of help and messages; without it, that of the terminal's locale"),
    )
