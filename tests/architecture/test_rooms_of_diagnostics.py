"""Rooms of the library lie on floors: an import goes down, never up and never to a neighbour; no circle of files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.import_circles import circles

ROOT = Path(__file__).resolve().parents[2]
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


def modules() -> dict[str, Path]:
    """Every module of the library by its dotted name, a package by its own."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((ROOT / HOUSE).rglob("*.py"))
    }


def imported_modules(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the library that a file imports, also inside functions and for types only."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


def room(module: str) -> str:
    """The room that a module lies in, or its own name when it lies in none."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else HOUSE


def arrows() -> list[tuple[str, str]]:
    """(module, module that it imports), without imports of a module's own package."""
    known = modules()
    return [
        (module, target)
        for module, path in known.items()
        for target in imported_modules(path, known)
        if target not in (module, HOUSE)
    ]


def test_every_room_has_a_floor_and_says_what_lives_there() -> None:
    rooms = {path.parent.name for path in (ROOT / HOUSE).glob("*/__init__.py")}
    assert rooms == {name for floor in FLOORS for name in floor} - set(LOOSE)
    assert [name for name in sorted(rooms) if not ast.get_docstring(ast.parse(_init_of(name)))] == []


def test_no_module_lies_outside_of_a_room() -> None:
    loose = {path.stem for path in (ROOT / HOUSE).glob("*.py")} - {"__init__"}
    assert loose == set(LOOSE)


def test_imports_go_down() -> None:
    floor_of = {name: number for number, floor in enumerate(FLOORS) for name in floor}
    upwards = [
        f"{module} imports {target}"
        for module, target in arrows()
        if room(module) != room(target) and floor_of[room(module)] <= floor_of[room(target)]
    ]
    assert upwards == []


def test_files_form_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for module, target in arrows():
        graph.setdefault(module, set()).add(target)
    assert circles(graph) == []


def test_nothing_imports_a_format_signal_or_chart_by_name() -> None:
    plural = ("formats", "signals", "charts")
    by_name = [
        f"{module} imports {target}"
        for module, target in arrows()
        if room(target) in plural
        and room(module) != room(target)
        and target.count(".") > 1
        and target.split(".")[2] != CONTRACTS[room(target)]
    ]
    assert by_name == []


def _init_of(name: str) -> str:
    return (ROOT / HOUSE / name / "__init__.py").read_text("utf-8")
