"""Commands of `manage.py` in the language of who reads them."""

from __future__ import annotations

import os
import re
import sys
from argparse import Action, ArgumentParser
from collections.abc import Iterable
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter

from diagnostics.language import LANGUAGES, command_language
from workbench.languages.sentences import in_language, say, to_say

HEADINGS = {"options": to_say("options"), "positional arguments": to_say("arguments")}
"""Heading of argparse, which has it in English -> ours."""


REFUSALS = (
    (re.compile(r"the following arguments are required: (?P<names>.+)"), to_say("these are required: {names}")),
    (re.compile(r"unrecognized arguments: (?P<names>.+)"), to_say("there is no option {names}")),
    (re.compile(r"argument (?P<name>\S+): expected (?:at least )?one argument"), to_say("{name} needs a value")),
    (
        re.compile(r"argument (?P<name>\S+): invalid choice: (?P<value>.+?) \(choose from (?P<known>.+)\)"),
        to_say("{name} is one of {known}, not {value}"),
    ),
    (
        re.compile(r"argument (?P<name>\S+): invalid (?:int|float) value: (?P<value>.+)"),
        to_say("{name} is a number, not {value}"),
    ),
    (
        re.compile(r"argument (?P<name>\S+): not allowed with argument (?P<other>\S+)"),
        to_say("{name} is not allowed with {other}"),
    ),
)
"""What argparse refuses, which it has in English -> ours."""


class TerminalParser(CommandParser):
    """A parser that refuses in the reader's language."""

    def error(self, message: str) -> NoReturn:
        """Ends the program, or raises CommandError where another program calls the command."""
        found = ((pattern.fullmatch(message), text) for pattern, text in REFUSALS)
        reason = next((say(text, **match.groupdict()) for match, text in found if match), message)
        if not self.called_from_command_line:
            raise CommandError(reason)
        self.print_usage(sys.stderr)
        self.exit(2, say("{program}: error: {reason}", program=self.prog, reason=reason) + "\n")


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
        parser.__class__ = TerminalParser  # Django makes it, of a class that cannot be chosen
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
