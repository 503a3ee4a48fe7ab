"""Models and services of the web side import neither pages nor tasks."""

from __future__ import annotations

from tests.architecture.import_graph import arrows, room

HOUSE = "workbench"

ROOMS_OF_PAGES = ("case_pages", "rule_pages", "urls")
"""Everything in them is about pages; elsewhere the module's name says so."""
PAGES = ("admin", "context", "forms", "templatetags", "urls", "views")


def is_page(module: str) -> bool:
    """Whether a module answers requests or exists for one that does."""
    parts = module.split(".")
    return room(module) in ROOMS_OF_PAGES or any(part in PAGES or part.endswith("_views") for part in parts[2:])


def test_models_and_services_import_no_pages() -> None:
    upwards = [
        f"{module} imports {target}" for module, target in arrows(HOUSE) if is_page(target) and not is_page(module)
    ]
    assert upwards == []


def test_services_import_no_tasks() -> None:
    """Tasks are sent by name: a task imports the service that runs it."""
    assert [f"{module} imports {target}" for module, target in arrows(HOUSE) if target.endswith(".tasks")] == []
