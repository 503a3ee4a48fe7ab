"""`manage.py diagnose PATH... [--json FILE] [--rules FILE] [--fail-on SEVERITY] [--language LANGUAGE]`: a diagnosis
without web server, queue or account.

Exit status: 0 the diagnosis was made, and with `--fail-on` it has no such finding; 1 an error; 2 no input was usable;
3 with `--fail-on`: a finding is as severe as that or more; 4 with `--fail-on`: the evidence does not suffice for a
verdict, so that nothing can be said either way.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError

from diagnostics.analyze import Progress, analyze
from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.terminal import render
from diagnostics.errors import DiagnosticsError, InvalidRule, NoUsableInput
from diagnostics.intake import SourceFile, sources_in
from diagnostics.language import ENGLISH, SUFFIXES, reading_in
from diagnostics.notation.control_characters import show_controls
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Rule, Ruleset, Severity, shipped_rules
from diagnostics.spark import embedded
from diagnostics.spark.ahead import started_ahead
from diagnostics.storage.shared_folder import STORAGE_VARIABLE, run_folder
from workbench.rules.exchange import ImportRefused, archived_rules

NO_USABLE_INPUT = 2
"""Exit status of the contract when no input is usable."""
FOUND = 3
UNDECIDED = 4
LANGUAGES = (ENGLISH, *SUFFIXES)
SEVERITIES = get_args(Severity)
"""The most severe first."""


def exported_ruleset(path: Path) -> Ruleset:
    """The rules of an archive as `/rules/export/` gives it. Raises CommandError with every reason against it."""
    try:
        with path.open("rb") as opened:
            texts = archived_rules(opened)
        return Ruleset.of([Rule.from_yaml(text, name) for name, text in texts.items()])
    except OSError as error:
        raise CommandError(show_controls(f"{path} cannot be read: {error.strerror or error}")) from None
    except (ImportRefused, InvalidRule) as error:
        raise CommandError(show_controls(f"{path}: {error}")) from None


def gate(document: dict[str, Any], fail_on: str) -> None:
    """Raises CommandError with the exit status when the diagnosis must stop a pipeline."""
    severe = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    reasons = [finding["title"] for finding in document["findings"] if finding["severity"] in severe]
    if reasons:
        raise CommandError(
            show_controls(f"findings of {' or '.join(severe)} severity: {'; '.join(reasons)}"), returncode=FOUND
        )
    if document["verdict"]["symptom_class"] == "inconclusive":
        raise CommandError("the evidence does not suffice for a verdict", returncode=UNDECIDED)


class Command(BaseCommand):
    """Diagnose files, folders and archives with embedded Spark and the shipped rules; no database is touched."""

    help = __doc__
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The contract's command line."""
        parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or archive")
        parser.add_argument("--json", metavar="FILE", help="write the diagnosis document there; - is standard output")

        parser.add_argument("--rules", metavar="FILE", help="judge with the rules of this zip, exported on /rules/")
        parser.add_argument(
            "--fail-on",
            choices=SEVERITIES,
            help=f"end with {FOUND} when a finding is as severe, with {UNDECIDED} when there is no verdict",
        )
        parser.add_argument(
            "--language", choices=LANGUAGES, default=ENGLISH, help="of the sentences, as far as they are translated"
        )

    def handle(
        self,
        *,
        paths: list[str],
        json: str | None = None,
        rules: str | None = None,
        fail_on: str | None = None,
        language: str = ENGLISH,
        **options: Any,
    ) -> None:
        """Diagnose and print."""
        ruleset = Ruleset.of(shipped_rules()) if rules is None else exported_ruleset(Path(rules))
        sources, refused = sources_in([Path(path) for path in paths])
        for line in refused:
            self.stderr.write(show_controls(line))
        if not sources:
            raise CommandError("no input could be used", returncode=NO_USABLE_INPUT)
        try:
            document = self._document(sources, ruleset, language)
        except NoUsableInput as error:
            for line in str(error).splitlines():
                self.stderr.write(show_controls(line))
            raise CommandError("no input could be used", returncode=NO_USABLE_INPUT) from None
        except DiagnosticsError as error:
            raise CommandError(show_controls(str(error))) from None
        with reading_in(language):
            self._write(document, json)
        if fail_on is not None:
            gate(document, fail_on)

    def _document(self, sources: list[SourceFile], ruleset: Ruleset, language: str) -> dict[str, Any]:
        size = sum(source.path.stat().st_size for source in sources)
        with (
            tempfile.TemporaryDirectory(prefix="diagnose-") as workspace,
            run_folder(os.environ.get(STORAGE_VARIABLE, ""), f"diagnose-{uuid4()}") as shared,
            embedded(size, started_ahead()) as spark,
        ):
            report = analyze(
                Case(sources),
                ruleset=ruleset,
                spark=spark,
                workspace=Path(workspace),
                shared=shared,
                progress=self._show,
            )
        for warning in report.warnings:
            self.stderr.write(show_controls(warning))
        if language == ENGLISH:
            return report.document
        return judge(report.signals, report.inputs, ruleset, report.document["timing"], language)

    def _show(self, progress: Progress) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{progress.fraction:4.0%} {progress.stage} {show_controls(progress.detail)[:60]}")
            if progress.fraction >= 1:
                sys.stderr.write("\r\033[K")

    def _write(self, document: dict[str, Any], target: str | None) -> None:
        text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
        if target == "-":
            self.stdout.write(text)
            return
        self.stdout.write(render(document), ending="")
        if target is None:
            return
        try:
            Path(target).write_text(text + "\n", "utf-8")
        except OSError as error:
            raise CommandError(show_controls(f"{target} cannot be written: {error.strerror or error}")) from None
