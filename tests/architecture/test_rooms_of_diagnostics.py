"""Rooms of the library lie on floors: an import goes down, never up and never to a neighbour; no circle of files."""

from __future__ import annotations

from tests.architecture.import_graph import (
    arrows,
    circles_of_files,
    loose_modules,
    room,
    rooms_with_a_docstring,
    upward_imports,
)

HOUSE = "diagnostics"

LOOSE = ("analyze", "citation", "collect_flink", "errors", "registry", "yaml_document")
"""The modules that lie in no room: the pipeline, the collector that is downloaded, and what everybody may name."""

FLOORS = (
    ("citation", "errors", "registry"),
    ("yaml_document", "evidence", "spark", "walk_throughs"),
    ("charting", "reproduction", "storage", "symptoms"),
    ("notation",),
    ("arithmetic", "log_scan", "vocabulary"),
    ("aggregators", "formats", "wording"),
    ("intake", "prevention", "reconstruction"),
    ("charts", "profiles", "reading", "redaction", "signals"),
    ("log_book", "rules"),
    ("diagnosis",),
    ("analyze", "calculators", "runbook"),
    ("proof", "spark_service"),
)
"""From the ground to the roof. `collect_flink` is on no floor: it is one file that runs without this library."""

CONTRACTS = {"signals": "signal", "formats": "format", "charts": "chart", "aggregators": "aggregator"}
"""What may be named of a plural folder: its contract, and of aggregators each one, since they are the questions."""


def test_every_room_has_a_floor_and_says_what_lives_there() -> None:
    assert rooms_with_a_docstring(HOUSE) == {name for floor in FLOORS for name in floor} - set(LOOSE)


def test_no_module_lies_outside_of_a_room() -> None:
    assert loose_modules(HOUSE) == set(LOOSE)


def test_imports_go_down() -> None:
    assert upward_imports(HOUSE, FLOORS) == []


def test_files_form_no_circle() -> None:
    assert circles_of_files(HOUSE) == []


def test_nothing_imports_a_format_signal_or_chart_by_name() -> None:
    plural = ("formats", "signals", "charts")
    by_name = [
        f"{module} imports {target}"
        for module, target in arrows(HOUSE)
        if room(target) in plural
        and room(module) != room(target)
        and target.count(".") > 1
        and target.split(".")[2] != CONTRACTS[room(target)]
    ]
    assert by_name == []
