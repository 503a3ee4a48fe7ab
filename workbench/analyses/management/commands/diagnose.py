"""`manage.py diagnose PATH... [--json FILE] [--rules FILE] [--fail-on SEVERITY] [--language LANGUAGE]`: a diagnosis
without web server, queue or account.

Exit status: 0 the diagnosis was made, and with `--fail-on` it has no such finding; 1 an error; 2 no input was usable;
3 with `--fail-on`: a finding is as severe as that or more; 4 with `--fail-on`: the evidence does not suffice for a
verdict, of one of several jobs too, so that nothing can be said either way.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

from django.core.management.base import CommandError

from diagnostics.analyze import Progress, Report, analyze
from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.terminal import render
from diagnostics.errors import DiagnosticsError, InvalidRule, NoUsableInput
from diagnostics.intake import SourceFile, sources_in
from diagnostics.language import ENGLISH, reader_language
from diagnostics.notation.control_characters import show_controls
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Rule, Ruleset, Severity
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark import embedded
from diagnostics.spark.ahead import started_ahead
from diagnostics.storage.shared_folder import STORAGE_VARIABLE, run_folder
from diagnostics.symptoms import INCONCLUSIVE
from workbench.languages.sentences import in_english, in_language, say, say_stored, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.rules.exchange import ImportRefused, archived_rules

NO_USABLE_INPUT = 2
"""Exit status of the contract when no input is usable."""
FOUND = 3
UNDECIDED = 4
SEVERITIES = get_args(Severity)
"""The most severe first."""


def exported_ruleset(path: Path) -> Ruleset:
    """The rules of an archive as `/rules/export/` gives it. Raises CommandError with every reason against it."""
    try:
        with path.open("rb") as opened:
            texts = archived_rules(opened)
        return Ruleset.of([Rule.from_yaml(text, name) for name, text in texts.items()])
    except OSError as error:
        sentence = say("{path} cannot be read: {reason}", path=path, reason=error.strerror or error)
        raise CommandError(show_controls(sentence)) from None
    except (ImportRefused, InvalidRule) as error:
        raise CommandError(show_controls(f"{path}: {error}")) from None


def gate(document: dict[str, Any], fail_on: str) -> None:
    """Raises CommandError with the exit status when the diagnosis must stop a pipeline."""
    severe = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    reasons = [finding["title"] for finding in document["findings"] if finding["severity"] in severe]
    if reasons:
        sentence = say(
            "findings of the severity {severities}: {titles}",
            severities="/".join(severe),
            titles=say("; ").join(reasons),
        )
        raise CommandError(show_controls(sentence), returncode=FOUND)
    verdicts = [document["verdict"], *(job["verdict"] for job in document["jobs"])]
    if any(each["symptom_class"] == INCONCLUSIVE for each in verdicts):
        raise CommandError(say("the evidence does not suffice for a verdict"), returncode=UNDECIDED)


def document_in(language: str, report: Report, ruleset: Ruleset) -> dict[str, Any]:
    """The document with its sentences in a language; they were made in English."""
    if language == ENGLISH:
        return report.document
    return judge(report.signals, report.inputs, ruleset, report.document["timing"], language)


def said_line(line: str) -> str:
    """A line `file: reason`, whose reason was written in English, in the reader's language."""
    file, colon, reason = line.partition(": ")
    return show_controls(f"{file}{colon}{say_stored(reason)}" if colon else say_stored(line))


class Command(TerminalCommand):
    """Diagnose files, folders and archives with embedded Spark and the shipped rules; no database is touched.

    The diagnosis is printed in the language of the terminal. The document is read by programs: without `--language` it
    is English, wherever the command runs.
    """

    help = to_say(
        "Diagnoses files, folders and archives without web server, queue or account. Exit status: 0 the diagnosis was "
        "made, and with --fail-on it has no such finding; 1 an error; 2 no input was usable; 3 with --fail-on: a "
        "finding is as severe as that or more; 4 with --fail-on: the evidence does not suffice for a verdict."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The contract's command line."""
        parser.add_argument("paths", nargs="+", metavar="PATH", help=say("file, folder or archive"))
        parser.add_argument(
            "--json",
            metavar="FILE",
            help=say("write the diagnosis document there, in English without --language; - is standard output"),
        )
        parser.add_argument(
            "--rules", metavar="FILE", help=say("judge with the rules of this zip, exported on /rules/")
        )
        parser.add_argument(
            "--fail-on",
            choices=SEVERITIES,
            help=say(
                "end with {found} when a finding is as severe, with {undecided} when there is no verdict",
                found=FOUND,
                undecided=UNDECIDED,
            ),
        )

    def handle(
        self,
        *,
        paths: list[str],
        json: str | None = None,
        rules: str | None = None,
        fail_on: str | None = None,
        language: str | None = None,
        **options: Any,
    ) -> None:
        """Diagnose and print."""
        ruleset = Ruleset.of(shipped_rules()) if rules is None else exported_ruleset(Path(rules))
        sources, refused = sources_in([Path(path) for path in paths])
        for line in refused:
            self.stderr.write(said_line(line))
        if not sources:
            raise CommandError(say("no input could be used"), returncode=NO_USABLE_INPUT)
        try:
            report = self._report(sources, ruleset)
        except NoUsableInput as error:
            for line in str(error).splitlines():
                self.stderr.write(said_line(line))
            raise CommandError(say("no input could be used"), returncode=NO_USABLE_INPUT) from None
        except DiagnosticsError as error:
            raise CommandError(show_controls(say_stored(str(error)))) from None
        for warning in report.warnings:
            self.stderr.write(show_controls(say_stored(warning)))
        printed = document_in(reader_language(), report, ruleset)
        self._write(printed, report.document if language is None else printed, json)
        if fail_on is not None:
            gate(printed, fail_on)

    def _report(self, sources: list[SourceFile], ruleset: Ruleset) -> Report:
        size, language = sum(source.path.stat().st_size for source in sources), reader_language()
        with (
            tempfile.TemporaryDirectory(prefix="diagnose-") as workspace,
            run_folder(os.environ.get(STORAGE_VARIABLE, ""), f"diagnose-{uuid4()}") as shared,
            embedded(size, started_ahead()) as spark,
            in_english(),
        ):
            return analyze(
                Case(sources),
                ruleset=ruleset,
                spark=spark,
                workspace=Path(workspace),
                shared=shared,
                progress=partial(self._show, language),
            )

    def _show(self, language: str, progress: Progress) -> None:
        if sys.stderr.isatty():
            with in_language(language):
                stage, detail = say(progress.stage), show_controls(say_stored(progress.detail))[:60]
            sys.stderr.write(f"\r\033[K{progress.fraction:4.0%} {stage} {detail}")
            if progress.fraction >= 1:
                sys.stderr.write("\r\033[K")

    def _write(self, printed: Mapping[str, Any], document: Mapping[str, Any], target: str | None) -> None:
        text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
        if target == "-":
            self.stdout.write(text)
            return
        self.stdout.write(render(printed), ending="")
        if target is None:
            return
        try:
            Path(target).write_text(text + "\n", "utf-8")
        except OSError as error:
            sentence = say("{path} cannot be written: {reason}", path=target, reason=error.strerror or error)
            raise CommandError(show_controls(sentence)) from None
