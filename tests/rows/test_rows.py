"""Every row of the documents and of the feature list that works names a place and a test that exist.

`rows.csv` has one line for each: the id of the row (S: claims of the source documents, F: features), the file that
does it, and the test that shows it, as pytest names it.
"""

from __future__ import annotations

import ast
import csv
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("rows.csv")
REFERENCE = PROJECT.parent / "shared"
LISTS = (
    REFERENCE / "reference" / "source-document-rows.csv",
    REFERENCE / "design" / "features.csv",
)


def table() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def functions_of(path: Path) -> frozenset[str]:
    """The names of the test functions of a file."""
    parsed = ast.parse(path.read_text("utf-8"))
    return frozenset(each.name for each in ast.walk(parsed) if isinstance(each, ast.FunctionDef))


def test_every_row_is_listed_once_and_in_order() -> None:
    ids = [each["row"] for each in table()]

    assert [each for each in ids if not re.fullmatch(r"[SF]\d{3}", each)] == []
    assert ids == sorted(set(ids), key=lambda each: (each[0] == "F", each))


def test_every_place_exists() -> None:
    assert [each for each in table() if not (PROJECT / each["where"]).exists()] == []


def test_every_test_exists() -> None:
    missing = []
    for each in table():
        path, _, name = each["test"].partition("::")
        if not (PROJECT / path).is_file() or name not in functions_of(PROJECT / path):
            missing.append(each["test"])
    assert missing == []


def test_every_row_is_known() -> None:
    if not all(each.is_file() for each in LISTS):
        pytest.skip("the reference is not on this machine")
    known: set[str] = set()
    for path in LISTS:
        with path.open(encoding="utf-8", newline="") as lines:
            known |= {each["id"] for each in csv.DictReader(lines)}
    assert {each["row"] for each in table()} - known == set()
