"""Every row of the documents and of the feature list that works names a place and a test that exist.

`rows.csv` has one line for each: the id of the row (S: claims of the source documents, F: features), the file that
does it, and the test that shows it, as pytest names it. `left_out.csv` has the rows that are not there, with the
reason.
"""

from __future__ import annotations

import ast
import csv
import re
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("rows.csv")
LEFT_OUT = Path(__file__).with_name("left_out.csv")
REFERENCE = PROJECT.parent / "shared"
LISTS = (
    REFERENCE / "reference" / "source-document-rows.csv",
    REFERENCE / "design" / "features.csv",
)


STILL_OPEN = REFERENCE / "reference" / "rows-still-open.csv"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def table() -> list[dict[str, str]]:
    return rows_of(TABLE)


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


def test_a_row_that_is_left_out_has_a_reason_and_no_entry() -> None:
    left_out = {each["row"]: each["reason"] for each in rows_of(LEFT_OUT)}

    assert [row for row, reason in left_out.items() if len(reason.split()) < 10] == []
    assert left_out.keys() & {each["row"] for each in table()} == set()


def test_every_row_is_known() -> None:
    """Where the reference is on the machine: the lists have all ids of their letter."""
    for path in filter(Path.is_file, LISTS):
        known = {each["id"] for each in rows_of(path)}
        letters = {row[0] for row in known}

        named = {each["row"] for each in (*table(), *rows_of(LEFT_OUT)) if each["row"][0] in letters}
        assert named - known == set()


def test_every_row_that_was_open_has_an_entry_or_a_reason() -> None:
    """Where the reference is on the machine."""
    was_open = {each["id"] for each in rows_of(STILL_OPEN)} if STILL_OPEN.is_file() else set()

    assert was_open - {each["row"] for each in (*table(), *rows_of(LEFT_OUT))} == set()
