"""Applications of the web side lie on floors: an import goes down, never up and never to a neighbour; no circles."""

from __future__ import annotations

import pytest

from tests.architecture.import_graph import (
    arrows,
    circles,
    circles_of_files,
    circles_of_rooms,
    loose_modules,
    room,
    rooms_with_a_docstring,
    upward_imports,
)

HOUSE = "workbench"

LOOSE = ("celery", "settings", "urls", "wsgi")
"""The modules that lie in no room: where Django and Celery look for them."""

FLOORS = (
    ("machine", "untrusted", "accounts", "layouts", "celery"),
    ("cases", "limits", "redaction", "launch", "settings", "wsgi"),
    ("uploads", "rules", "backup"),
    ("analyses", "middleware"),
    ("clusters", "history", "logs", "prevention", "profiles", "runbooks", "space"),
    ("charts", "worker"),
    ("reports",),
    ("drills",),
    ("api", "case_pages", "rule_pages"),
    ("urls",),
)
"""From the ground to the roof."""

ROOMS_OF_PAGES = ("case_pages", "rule_pages", "urls")
"""Everything in them is about pages; elsewhere the module's name says so."""
PAGES = ("admin", "context", "forms", "templatetags", "urls", "views")


def is_page(module: str) -> bool:
    """Whether a module answers requests or exists for one that does."""
    parts = module.split(".")
    return room(module) in ROOMS_OF_PAGES or any(part in PAGES or part.endswith("_views") for part in parts[2:])


def test_every_room_has_a_floor_and_says_what_lives_there() -> None:
    assert rooms_with_a_docstring(HOUSE) == {name for floor in FLOORS for name in floor} - set(LOOSE)


def test_no_module_lies_outside_of_a_room() -> None:
    assert loose_modules(HOUSE) == set(LOOSE)


def test_imports_go_down() -> None:
    assert upward_imports(HOUSE, FLOORS) == []


def test_applications_form_no_circle() -> None:
    assert circles_of_rooms(HOUSE) == []


def test_files_form_no_circle() -> None:
    assert circles_of_files(HOUSE) == []


def test_models_and_services_import_no_pages() -> None:
    upwards = [
        f"{module} imports {target}" for module, target in arrows(HOUSE) if is_page(target) and not is_page(module)
    ]
    assert upwards == []


def test_services_import_no_tasks() -> None:
    """Tasks are sent by name: a task imports the service that runs it."""
    assert [f"{module} imports {target}" for module, target in arrows(HOUSE) if target.endswith(".tasks")] == []


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
