"""Rooms of both packages are on layers; neither rooms, nor folders inside a room, nor files import in a circle."""

from __future__ import annotations

import pytest

from tests.architecture.houses import FOLDERS_OF_RECONSTRUCTION, HOUSES, House
from tests.architecture.import_graph import (
    circles,
    circles_of_files,
    circles_of_folders,
    circles_of_rooms,
    folders,
    loose_modules,
    rooms_with_a_docstring,
    upward_imports,
    upward_imports_of_folders,
)

IN_BOTH_HOUSES = pytest.mark.parametrize("house", HOUSES, ids=[house.name for house in HOUSES])


@IN_BOTH_HOUSES
def test_every_room_has_a_floor_and_says_what_lives_there(house: House) -> None:
    rooms = {name for floor in house.floors for name in floor} - set(house.loose)
    assert rooms_with_a_docstring(house.name) == rooms


@IN_BOTH_HOUSES
def test_every_module_is_in_a_room(house: House) -> None:
    assert loose_modules(house.name) == set(house.loose)


@IN_BOTH_HOUSES
def test_imports_go_down(house: House) -> None:
    assert upward_imports(house.name, house.floors) == []


@IN_BOTH_HOUSES
def test_rooms_form_no_circle(house: House) -> None:
    assert circles_of_rooms(house.name) == []


@IN_BOTH_HOUSES
def test_folders_inside_a_room_form_no_circle(house: House) -> None:
    assert circles_of_folders(house.name) == []


@IN_BOTH_HOUSES
def test_files_form_no_circle(house: House) -> None:
    assert circles_of_files(house.name) == []


def test_every_folder_of_the_reconstruction_has_a_floor() -> None:
    assert folders("diagnostics", "reconstruction") == {name for floor in FOLDERS_OF_RECONSTRUCTION for name in floor}


def test_imports_inside_the_reconstruction_go_down() -> None:
    assert upward_imports_of_folders("diagnostics", "reconstruction", FOLDERS_OF_RECONSTRUCTION) == []


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"views": {"services"}, "services": {"models"}}, []),
        ({"services": {"tasks"}, "tasks": {"services"}}, [["services", "tasks", "services"]]),
        ({}, []),
    ],
)
def test_a_circle_is_named_by_all_that_lie_on_it(graph: dict[str, set[str]], found: list[list[str]]) -> None:
    assert circles(graph) == found
