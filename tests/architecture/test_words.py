"""Names and docstrings are in the words of the field, so that nobody needs a glossary for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.import_graph import modules, statements
from tests.architecture.variables import variables

BANNED_WORDS = frozenset({"each", "found", "given", "together", "told", "worked"})
"""Words that say how a value came about, not what it is: no name holds one of them."""
BANNED_NAMES = frozenset({"as_it_is"})
"""Whole names that say nothing without what stands around them. `of` may be one, as in Java: `Citation.of(row)`."""
LONGEST_LIFE = 5
"""Lines between the first and the last use of a variable that is a banned word by itself. Our choice: where all uses
are in sight, such a word is read as in prose."""
KNOWN_TERMS = ("not_found",)
"""Terms of a standard that hold such a word: HTTP's answer 404."""

BANNED_PHRASES: dict[str, str] = {
    r"tells?|told": "say reports, states or shows, and who does",
    r"found": "say what was measured, matched or stored",
    r"of which|of whom": "begin a sentence of its own",
    r"as it (?:is|stands|was)": "say unchanged, or as uploaded",
    r"stands? (?:for|in|on|at|there|behind|beside|alone)": "say is in, represents or replaces",
    r"lies? (?:in|below|on|at|before)": "say is in, is below",
    r"so (?:many|few|much|often|long)(?! (?:as|that))": "name the number: at most N, at least N, after N seconds",
    r"whoever|whomever": "name the person: users who, the caller",
    r"says? of|speaks? of": "say describes or concerns",
    r"what (?:is|was|were) (?:there|said|left)": "name the thing",
}
"""Phrases that hide the subject, with what to write instead; matched in docstrings, without their
code in backticks or braces and the names of fields that begin a line."""
_CODE = re.compile(r"`[^`]*`|\{[^}]*\}|^ +\w+ {2,}", re.MULTILINE)

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
    for node in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    yield part.lineno, part.target.id


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of every docstring, also of constants and fields."""
    for node in statements(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def phrases(text: str) -> list[str]:
    """Each banned phrase in the text with the advice on it."""
    plain = " ".join(_CODE.sub("", text).split())
    hits = (
        (re.search(rf"\b(?:{phrase})\b", plain, re.IGNORECASE), advice) for phrase, advice in BANNED_PHRASES.items()
    )
    return [f'"{hit[0]}": {advice}' for hit, advice in hits if hit]


@dataclass(frozen=True)
class Words:
    """The words of one module, each as (line, text): its names, its own functions, its docstrings, and its
    variables that live for more than `LONGEST_LIFE` lines."""

    names: tuple[tuple[int, str], ...]
    functions: tuple[tuple[int, str], ...]
    docstrings: tuple[tuple[int, str], ...]
    long_lived: tuple[tuple[int, str], ...]


@cache
def read(path: Path) -> Words:
    tree = ast.parse(path.read_text("utf-8"))
    functions = tuple((part.lineno, part.name) for part in tree.body if isinstance(part, ast.FunctionDef))
    long_lived = tuple((each.first, each.name) for each in variables(tree) if each.last - each.first > LONGEST_LIFE)
    return Words(((1, path.stem), *names(tree)), functions, tuple(docstrings(tree)), long_lived)


@pytest.mark.parametrize("house", HOUSES)
def test_no_name_holds_a_word_that_says_nothing(house: str) -> None:
    assert [
        f"{path.name}:{line} {name}"
        for path in modules(house).values()
        for line, name in read(path).names
        if is_banned(name)
    ] == []


@pytest.mark.parametrize("house", HOUSES)
def test_a_function_of_a_module_says_what_it_gives(house: str) -> None:
    """`of_samples` says where it reads, not what it gives; a method, whose object says that, may be called so."""
    assert [
        f"{path.name}:{line} {name}"
        for path in modules(house).values()
        for line, name in read(path).functions
        if re.match(r"_?of_", name)
    ] == []


@pytest.mark.parametrize("house", HOUSES)
def test_a_variable_of_many_lines_has_a_name_of_its_own(house: str) -> None:
    assert [
        f"{path.name}:{line} {name}"
        for path in modules(house).values()
        for line, name in read(path).long_lived
        if name in BANNED_WORDS | BANNED_NAMES
    ] == []


@pytest.mark.parametrize(
    ("code", "lives"),
    [
        ("def f(told):\n    return 1\n", [("told", 0)]),
        ("def f():\n    told = 1\n    a = 2\n    return told + a\n", [("told", 2), ("a", 1)]),
        ("def f():\n    [each for each in x]\n\n    return [each for each in y]\n", [("each", 0), ("each", 0)]),
        ("def f(a):\n    g = lambda b: a\n    return g\n", [("a", 1), ("b", 0), ("g", 1)]),
        ("def f():\n    [1 for x in y if (told := x)]\n    return told\n", [("x", 0), ("told", 1)]),
        ("told = 1\n\nclass C:\n    told = 2\n", []),
    ],
)
def test_a_variable_lives_from_its_first_to_its_last_use_in_its_scope(code: str, lives: list[tuple[str, int]]) -> None:
    assert sorted((each.name, each.last - each.first) for each in variables(ast.parse(code))) == sorted(lives)


@pytest.mark.parametrize("house", HOUSES)
def test_a_docstring_is_in_plain_english(house: str) -> None:
    """The message says what to write instead."""
    assert [
        f"{path.name}:{line} {phrase}"
        for path in modules(house).values()
        for line, text in read(path).docstrings
        for phrase in phrases(text)
    ] == []


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("The newest answer of each job.", 0),
        ("What REST tells of a job.", 1),
        ("Records, of which so many are kept.", 2),
        ("The value of `told`, as printed.", 0),
        ("Waits so long that the lease ends.", 0),
    ],
)
def test_a_banned_phrase_is_seen_outside_of_code(text: str, hits: int) -> None:
    assert len(phrases(text)) == hits


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
