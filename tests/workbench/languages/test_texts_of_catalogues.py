"""Every text of rules, runbooks and catalogues has its Chinese beside it, with the same values.

A new text is red here until its `_zh` is added in the same file, right after it; where a kind of entry is new, its name
goes into `NOT_READ` if nobody reads it.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import diagnostics
from diagnostics.wording.placeholder import PLACEHOLDER
from diagnostics.yaml_document import read_yaml
from tests.workbench.languages.prose import is_prose

ROOT = Path(diagnostics.__file__).parent
ELSEWHERE = {
    "bound_reasons.yaml",
    "fact_labels.yaml",
    "stored_words.yaml",
    "glossary.yaml",
    "incident_kinds.yaml",
    "hints.yaml",
    "cause_priors.yaml",
}
"""Files that are the translation themselves, or whose texts nobody reads."""
SAMPLES = (".fires.yaml", ".silent.yaml")
NOT_READ = {
    *("command", "example", "examples", "finds", "from", "leaves", "pattern", "patterns", "source", "to", "value"),
    *("in_chain", "said", "of", "component", "texts", "beside", "begins", "signatures", "likely"),
    "published",
    "only_if",
    *("system", "systems", "families"),
    "ways",
}
"""Entries that hold evidence, code, or where something comes from; `only_if` repeats the `if` of an answer, which has
its Chinese there, words of `system`, `systems` and `families` are in `stored_words.yaml`, and `ways` are keys of
`outside_refusals.yaml`.
"""
OF_SOURCES = {("sources", "title")}
"""An article's own title stays; publishers are translated by `Source.read_title`."""

Place = tuple[str, str]
"""Kind of a file, and the name of an entry."""


def kind_of(path: Path) -> str:
    """Rules are one kind, runbooks another, as are folders of files of one form; any other file is its own."""
    if path.parent.name in ("rules", "known_bugs", "sources"):
        return path.parent.name
    return path.name


@cache
def contents() -> tuple[tuple[str, str, Any], ...]:
    """Kind, name and content of every file with texts."""
    return tuple(
        (kind_of(path), str(path.relative_to(ROOT)), read_yaml(path.read_text("utf-8"), path.name).content)
        for path in sorted(ROOT.rglob("*.yaml"))
        if not path.name.endswith(SAMPLES) and path.name not in ELSEWHERE and path.parent.name != "log_events"
    )


def entries(content: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any], str, Any]]:
    """Place, mapping, name and value of every entry."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield place, content, str(name), value
            yield from entries(value, f"{place}/{name}")
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from entries(value, f"{place}/{number}")


def is_text(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
    )


@cache
def translated_names() -> frozenset[Place]:
    """Names of entries that have a translation somewhere in files of their kind."""
    return frozenset(
        (kind, name.removesuffix("_zh"))
        for kind, _, content in contents()
        for _, _, name, _ in entries(content)
        if name.endswith("_zh")
    )


def without_chinese(kind: str, content: Any) -> list[str]:
    """Places of texts without a translation: entries whose like has one, and prose that nothing translates."""
    return [
        f"{place}/{name}"
        for place, mapping, name, value in entries(content)
        if is_text(value)
        and not name.endswith("_zh")
        and f"{name}_zh" not in mapping
        and not NOT_READ & {name, *place.split("/")}
        and (kind, name) not in OF_SOURCES
        and any(
            is_prose(text) or ((kind, name) in translated_names() and has_words(text)) for text in read_texts(value)
        )
    ]


def texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def read_texts(value: Any) -> list[str]:
    """Its texts without those that are commands of a shell."""
    return [text for text in texts(value) if " --" not in text and "; do " not in text]


def has_words(text: str) -> bool:
    """Whether it is more than a name or a value of an option."""
    return bool(re.search(r"[a-z]{2,} [a-z]{2,}", text))


def placeholders(value: Any) -> Counter[str]:
    return Counter(found for text in texts(value) for found in PLACEHOLDER.findall(text))


def test_every_text_has_its_chinese() -> None:
    assert {name: left for kind, name, content in contents() if (left := without_chinese(kind, content))} == {}


def test_both_texts_have_the_same_facts() -> None:
    assert [
        f"{file}{place}/{name}"
        for _, file, content in contents()
        for place, mapping, name, value in entries(content)
        if f"{name}_zh" in mapping
        and is_text(value)
        and is_text(mapping[f"{name}_zh"])
        and set(placeholders(value)) != set(placeholders(mapping[f"{name}_zh"]))
    ] == []


def test_lists_are_of_the_same_length() -> None:
    assert [
        f"{file}{place}/{name}"
        for _, file, content in contents()
        for place, mapping, name, value in entries(content)
        if isinstance(value, list) and f"{name}_zh" in mapping and len(value) != len(mapping[f"{name}_zh"])
    ] == []


def test_a_text_without_its_chinese_is_found() -> None:
    kind, _, content = next(each for each in contents() if each[1].endswith("managed-memory.yaml"))
    assert without_chinese(kind, content) == []
    changed = copy.deepcopy(content)
    del changed["title_zh"]
    assert without_chinese(kind, changed) == ["/title"]
    changed["afterwards"] = "Look at the memory of the host again after a day."
    assert without_chinese(kind, changed) == ["/title", "/afterwards"]


def test_a_fact_that_is_lost_is_found() -> None:
    assert set(placeholders("{heap.used_bytes|memory} of {heap.max_bytes|memory}")) != set(
        placeholders("{heap.used_bytes|memory}")
    )
