"""Names of functions, types, modules and fields say what they are in the words of the field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.import_graph import modules

BANNED_WORDS = frozenset({"each", "found", "given", "together", "told", "worked"})
"""Words that say how a value came about, not what it is: no name holds one of them."""
BANNED_NAMES = frozenset({"as_it_is"})
"""Whole names that say nothing without what stands around them. `of` may be one, as in Java: `Citation.of(row)`."""
KNOWN_TERMS = ("not_found",)
"""Terms of a standard that hold such a word: HTTP's answer 404."""

HOUSES = ("diagnostics", "workbench")


def words(name: str) -> set[str]:
    """`_cases_found` and `CasesFound` as `cases` and `found`."""
    for term in KNOWN_TERMS:
        name = name.replace(term, "")
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def is_banned(name: str) -> bool:
    return name.strip("_") in BANNED_NAMES or bool(words(name) & BANNED_WORDS)


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of every function, type and annotated field, also of those within others."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    yield part.lineno, part.target.id


def offenders(path: Path) -> list[str]:
    named = [(1, path.stem), *names(ast.parse(path.read_text("utf-8")))]
    return [f"{path.name}:{line} {name}" for line, name in named if is_banned(name)]


@pytest.mark.parametrize("house", HOUSES)
def test_no_name_holds_a_word_that_says_nothing(house: str) -> None:
    assert [offender for path in modules(house).values() for offender in offenders(path)] == []


@pytest.mark.parametrize("house", HOUSES)
def test_a_function_of_a_module_says_what_it_gives(house: str) -> None:
    """`of_samples` says where it reads, not what it gives; a method, whose object says that, may be called so."""
    named = [
        f"{path.name}:{part.lineno} {part.name}"
        for path in modules(house).values()
        for part in ast.parse(path.read_text("utf-8")).body
        if isinstance(part, ast.FunctionDef) and re.match(r"_?of_", part.name)
    ]
    assert named == []


@pytest.mark.parametrize(
    ("name", "banned"),
    [
        ("verdict_line", False),
        ("page_not_found", False),
        ("cases_found", True),
        ("_told", True),
        ("FindingTold", True),
        ("as_it_is", True),
        ("of", False),
        ("snapshots_of", False),
        ("foundation", False),
    ],
)
def test_a_banned_word_is_seen_in_any_spelling(name: str, banned: bool) -> None:
    assert is_banned(name) is banned
