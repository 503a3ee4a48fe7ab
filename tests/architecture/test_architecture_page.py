"""The architecture page names every room, and no file that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.houses import FOLDERS_OF_RECONSTRUCTION, HOUSES, House
from tests.architecture.import_graph import ROOT

PAGE = (ROOT / "workbench" / "launch" / "ARCHITECTURE.md").read_text("utf-8")

FLOOR = re.compile(r"^\| (\d+) \| ([^|]+) \|", re.MULTILINE)
"""A row of a table of rooms: the floor and the rooms on it."""

NAMED = re.compile(r"`([\w./-]+\.(?:py|yaml|csv|md)|[\w-]+(?:/[\w-]+)+/?)`")
"""Files, and folders of at least two names; a name in angle brackets stands for many."""

STARTS = ("", "diagnostics", "workbench", "diagnostics/reading", "workbench/uploads", "diagnostics/diagnosis", "tests")
"""Where a path may start: at the top, in a house, or in the room that the sentence is about."""


def exists(name: str) -> bool:
    """Whether a path is there, or, of a bare file name, a file of that name in either house."""
    if "/" not in name and any(any((ROOT / house).rglob(name)) for house in ("diagnostics", "workbench", "tests")):
        return True
    return any((ROOT / start / name).exists() for start in STARTS)


def test_every_room_has_a_line() -> None:
    rooms = {
        path.parent.name for house in ("diagnostics", "workbench") for path in (ROOT / house).glob("*/__init__.py")
    }
    assert sorted(name for name in rooms if f"`{name}`" not in PAGE) == []


@pytest.mark.parametrize("house", HOUSES, ids=[house.name for house in HOUSES])
def test_every_room_is_on_the_floor_that_the_tests_hold(house: House) -> None:
    section = PAGE.split(f"## Rooms of `{house.name}`")[1].split("\n## ")[0]
    shown = {
        (int(floor), name.removesuffix(".py"))
        for floor, rooms in FLOOR.findall(section)
        for name in re.findall(r"`([\w.]+)`", rooms)
    }
    assert shown == {(number, name) for number, floor in enumerate(house.floors) for name in floor}


def test_the_folders_of_the_reconstruction_are_shown_in_their_order() -> None:
    (row,) = re.findall(r"^\| \d+ \| `reconstruction` \|.*$", PAGE, re.MULTILINE)
    shown = [set(re.findall(r"`(\w+)`", floor)) for floor in row.split("`reconstruction`")[1].split(";")]
    assert shown == [set(floor) for floor in FOLDERS_OF_RECONSTRUCTION]


def test_every_file_that_it_names_is_there() -> None:
    names = {name for name in NAMED.findall(PAGE) if not name.startswith(("/", "var/"))}
    assert len(names) > 40
    assert sorted(name for name in names if not exists(name)) == []


def test_every_module_outside_of_a_room_has_a_line() -> None:
    loose = {path.name for house in ("diagnostics", "workbench") for path in Path(ROOT / house).glob("*.py")}
    assert sorted(name for name in loose - {"__init__.py"} if f"`{name}`" not in PAGE) == []
