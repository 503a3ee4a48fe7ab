"""The page of faults and attacks names only modules, tests and sections of the operations guide that exist."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.running_workbench import PROJECT

PAGE = (PROJECT / "tests" / "security" / "README.md").read_text("utf-8")
GUIDE = (PROJECT / "workbench" / "launch" / "OPERATIONS.md").read_text("utf-8")
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith("|---")
]


@cache
def functions_in(path: str) -> frozenset[str]:
    """Names of the test functions of a module below the folder of tests; empty when there is none."""
    module = PROJECT / "tests" / path
    if not module.exists():
        return frozenset()
    tree = ast.parse(module.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_test_of_the_table_exists() -> None:
    named = TEST.findall(PAGE)
    assert len(named) > 60
    assert [f"{path}::{name}" for path, name in named if name not in functions_in(path)] == []


def test_every_module_of_the_table_exists() -> None:
    named = re.findall(r"`((?:diagnostics|workbench)/[\w/.]+)` \| `", PAGE)
    assert len(named) > 50
    assert [path for path in named if not (PROJECT / path).exists()] == []


def test_every_section_of_the_table_is_one_of_the_guide() -> None:
    headings = re.findall(r"(?m)^## (.+)$", GUIDE)
    named = {row[3].removesuffix("|").strip() for row in ROWS if len(row) == 4 and row[0] not in ("fault", "attack")}
    assert {name for name in named if name and not any(heading.startswith(name) for heading in headings)} == set()


def test_every_row_of_hostile_input_has_a_test() -> None:
    numbers = {int(number) for row in ROWS if (number := row[0].partition(":")[0]).isdigit()}
    assert numbers == set(range(1, 20))
