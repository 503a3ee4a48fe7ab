"""Imports between packages and rooms go one way; the exceptions are named."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.import_graph import statements

ROOT = Path(__file__).resolve().parents[2]

ROOMS = ("formats", "signals", "charts")
"""Rooms of `diagnostics` that never import one another."""

WITHOUT_SPARK = ("diagnostics/diagnosis", "diagnostics/profiles", "diagnostics/rules/rule.py", "diagnostics/runbook")
"""What the web process runs without ever starting a JVM."""

SESSION_BUILDERS = ("SparkSession.builder", "SparkContext(", "DatabricksSession")


def modules(below: str) -> list[Path]:
    found = ROOT / below
    return [found] if found.is_file() else sorted(found.rglob("*.py"))


@cache
def imports(module: Path, *, at_start: bool = False) -> tuple[str, ...]:
    """Every name that a module imports; `at_start` leaves out those inside functions and `if TYPE_CHECKING`."""
    tree = ast.parse(module.read_text("utf-8"))
    return tuple(_names(tree.body if at_start else statements(tree)))


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(below: str, forbidden: tuple[str, ...], *, at_start: bool = False) -> list[str]:
    return sorted(
        {
            f"{module.relative_to(ROOT)} imports {name}"
            for module in modules(below)
            for name in imports(module, at_start=at_start)
            if any(name == each or name.startswith(f"{each}.") for each in forbidden)
        }
    )


def test_the_library_knows_nothing_of_the_web_side() -> None:
    assert offenders("diagnostics", ("workbench", "django", "celery", "redis", "rest_framework")) == []


def test_only_charts_import_plotly() -> None:
    found = offenders("diagnostics", ("plotly",))
    assert [each for each in found if not each.startswith(("diagnostics/charts/", "diagnostics/charting/"))] == []


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_never_import_one_another(room: str) -> None:
    others = tuple(f"diagnostics.{other}" for other in ROOMS if other != room)
    assert offenders(f"diagnostics/{room}", others) == []


def test_no_format_imports_another() -> None:
    found = [
        f"{module.name} imports {name}"
        for module in modules("diagnostics/formats")
        for name in imports(module)
        if name.startswith("diagnostics.formats.") and not name.startswith("diagnostics.formats.format")
    ]
    assert found == []


def test_no_signal_imports_another_but_where_it_sums_it_up() -> None:
    found = {
        (module.stem, name.removeprefix("diagnostics.signals."))
        for module in modules("diagnostics/signals")
        for name in imports(module)
        if name.startswith("diagnostics.signals.") and not name.startswith("diagnostics.signals.signal")
    }
    assert found == {("heap_pressure", "garbage_collection")}


@pytest.mark.parametrize("below", WITHOUT_SPARK)
def test_judging_needs_no_spark(below: str) -> None:
    assert offenders(below, ("pyspark", "diagnostics.spark", "pyarrow"), at_start=True) == []


def test_only_the_spark_room_builds_sessions() -> None:
    found = [
        str(module.relative_to(ROOT))
        for house in ("diagnostics", "workbench")
        for module in modules(house)
        if any(builder in module.read_text("utf-8") for builder in SESSION_BUILDERS)
    ]
    assert [each for each in found if not each.startswith("diagnostics/spark/")] == []
