"""Folders inside a room form no circle of imports; those of `reconstruction` lie on floors of their own."""

from __future__ import annotations

import pytest

from tests.architecture.import_graph import circles_of_folders, folders, upward_imports_of_folders

FLOORS_OF_RECONSTRUCTION = (
    ("metrics",),
    ("events", "job"),
    ("gc", "stacks"),
    ("failures", "load"),
    ("checkpoints",),
    ("configuration",),
)
"""From the ground to the roof: what a job consists of may be derived from its metrics, why a checkpoint failed from
failures; which jobs have a configuration is known from all of them."""


@pytest.mark.parametrize("house", ["diagnostics", "workbench"])
def test_folders_inside_a_room_form_no_circle(house: str) -> None:
    assert circles_of_folders(house) == []


def test_every_folder_of_the_reconstruction_has_a_floor() -> None:
    assert folders("diagnostics", "reconstruction") == {name for floor in FLOORS_OF_RECONSTRUCTION for name in floor}


def test_imports_inside_the_reconstruction_go_down() -> None:
    assert upward_imports_of_folders("diagnostics", "reconstruction", FLOORS_OF_RECONSTRUCTION) == []
