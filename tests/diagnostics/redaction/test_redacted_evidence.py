"""Redaction changes no verdict: of every case the redacted files give the same rows, but for the values themselves.

A verdict follows from the rows and from nothing else. `test_redaction` runs one incident through the whole pipeline
besides; to do so with all of them would take minutes and show no more.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diagnostics.formats import format_by_id, recognise
from diagnostics.redaction import Redactor, shipped_redaction_rules
from tests.diagnostics.formats.reading_aids import Read, head_of, read

INCIDENTS = sorted(path.parent for path in (Path(__file__).resolve().parents[2] / "incidents").glob("*/evidence.zip"))
CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
CASES = sorted(path.parent for path in CORPUS.glob("*/truth.json"))
SECRET = b"2026-11-21 02:00:00,000 WARN  com.acme.Job [] - jdbc:postgresql://ann:hunter2@db.acme.internal:5432/orders\n"
LEAST_CUT = 200
"""Lines of so many characters may have been cut, at another place when a pseudonym is longer than its value."""


def as_in_production(content: bytes) -> bytes:
    """With a host and an address where the recording has this machine, and with a secret in every log."""
    named = content.replace(b"localhost", b"flink-1.acme.internal").replace(b"127.0.0.1", b"10.20.30.40")
    return named + SECRET if b" INFO  org.apache.flink." in named else named


def read_as_evidence(name: str, content: bytes, folder: Path) -> tuple[str | None, Read | None]:
    found = recognise(head_of(content, name)).format_id
    one = format_by_id(found) if found else None
    return found, read(one, content, folder, name) if one is not None and not one.binary else None


def differing(before: Any, after: Any, redactor: Redactor) -> bool:
    """Whether a value is another one than its redacted form."""
    if isinstance(before, str) and isinstance(after, str):
        wanted, given = redactor.text(before.encode()).decode().split("\n"), after.split("\n")
        return len(wanted) != len(given) or any(map(differing_lines, wanted, given))
    if isinstance(before, list) and isinstance(after, list):
        return len(before) != len(after) or any(map(lambda *pair: differing(*pair, redactor), before, after))
    return bool(before != after)


def differing_lines(one: str, other: str) -> bool:
    longer, shorter = sorted((one, other), key=len, reverse=True)
    return longer != shorter and (len(shorter) < LEAST_CUT or not longer.startswith(shorter))


def differences(name: str, content: bytes, folder: Path) -> Iterator[str]:
    redactor = Redactor(shipped_redaction_rules(), b"a key for tests")
    redacted = redactor.text(content)
    if redacted == content:
        return
    (format_before, before), (format_after, after) = (
        read_as_evidence(name, each, folder) for each in (content, redacted)
    )
    if format_before != format_after:
        yield f"{name} is {format_after} instead of {format_before}"
    elif before is not None and after is not None:
        told = [[(each.records, each.not_understood, each.role) for each in one.coverage] for one in (before, after)]
        if told[0] != told[1]:
            yield f"{name} covers {told[1]} instead of {told[0]}"
        for table, rows in before.rows.items():
            for row, changed in zip(rows, after.rows[table], strict=True):
                yield from (f"{name}: {column}" for column in row if differing(row[column], changed[column], redactor))


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda path: path.name)
def test_an_incident_with_the_names_and_secrets_of_production_gives_the_same_rows(
    incident: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(incident / "evidence.zip") as evidence:
        files = {name: as_in_production(evidence.read(name)) for name in evidence.namelist()}
    assert [each for name, content in files.items() for each in differences(name, content, tmp_path)] == []


@pytest.mark.skipif(not CASES, reason="the corpus is not here")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_case_of_the_corpus_gives_the_same_rows(case: Path, tmp_path: Path) -> None:
    files = [path for path in sorted(case.rglob("*")) if path.is_file() and path.name != "truth.json"]
    assert files
    assert [
        each for path in files for each in differences(f"{path.relative_to(case)}", path.read_bytes(), tmp_path)
    ] == []
