"""The texts that a user reads, with their places: templates, scripts, data files, and strings of the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
HOUSES = ("diagnostics", "workbench")
READ_BY_PROGRAMS = frozenset({"pattern", "patterns", "example", "examples", "texts", "events", "signature"})
"""Keys of data files whose values are matched with lines or are such lines."""
MARKUP = re.compile(r"{#.*?#}|{% comment.*?endcomment %}|<script\b.*?</script>|<svg\b.*?</svg>", re.DOTALL)
TRANSLATED = re.compile(r"""{% translate (["'])(.*?)\1 %}""")
PLACEHOLDER = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
SHOWN_ATTRIBUTE = re.compile(r'\b(?:title|aria-label|placeholder|alt|content|label)="([^"]*)"')
SCRIPT_STRING = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)'|`(?P<template>(?:[^`\\]|\\.)*)`""",
    re.DOTALL,
)


class ShownText(NamedTuple):
    """One text and the file and line where it begins."""

    path: str
    line: int
    text: str


def shown_texts() -> Iterator[ShownText]:
    """All texts of both houses, the templates and the scripts."""
    for house in HOUSES:
        for path in sorted((ROOT / house).rglob("*.py")):
            yield from _of(path, strings_of_program(path.read_text("utf-8")))
        for path in sorted((ROOT / house).rglob("*.yaml")):
            if not path.name.endswith((".fires.yaml", ".silent.yaml")):
                yield from _of(path, values_of_data(path.read_text("utf-8")))
    for path in sorted((ROOT / "templates").rglob("*.html")):
        yield from _of(path, texts_of_template(path.read_text("utf-8")))
    for path in sorted((ROOT / "static/js").rglob("*.js")):
        yield from _of(path, strings_of_script(path.read_text("utf-8")))


def _of(path: Path, texts: Iterator[tuple[int, str]]) -> Iterator[ShownText]:
    for line, text in texts:
        yield ShownText(str(path.relative_to(ROOT)), line, text)


def strings_of_program(source: str) -> Iterator[tuple[int, str]]:
    """String constants that are sentences or capitalised words, without docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            text = node.value
            if (" " in text and not text.isupper()) or text[:1].isupper():
                yield node.lineno, text


def texts_of_template(source: str) -> Iterator[tuple[int, str]]:
    """Text between tags, attributes that are shown or read aloud, and sentences within template tags."""
    source = MARKUP.sub(lambda match: "\n" * match[0].count("\n"), source)
    source = TRANSLATED.sub(r"\2", source)
    for match in PLACEHOLDER.finditer(source):
        for literal in re.findall(r'"([^"]* [^"]*)"', match[0]):
            yield source.count("\n", 0, match.start()) + 1, literal
    source = PLACEHOLDER.sub(lambda match: "¤" + "\n" * match[0].count("\n"), source)
    for match in SHOWN_ATTRIBUTE.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, match[1]
    for match in re.finditer(r"(?:^|>)([^<>]+)(?=<|$)", source):
        if text := match[1].strip("¤ \n"):
            yield source.count("\n", 0, match.start(1)) + 1, text


def strings_of_script(source: str) -> Iterator[tuple[int, str]]:
    """String and template literals, without what is computed in them."""
    for match in SCRIPT_STRING.finditer(source):
        text = next((part for name, part in match.groupdict().items() if part is not None and name != "comment"), None)
        if text:
            yield source.count("\n", 0, match.start()) + 1, re.sub(r"\$\{.*?\}", "¤", text)


def values_of_data(source: str) -> Iterator[tuple[int, str]]:
    """Values of a YAML file that hold more than one word, but for those that are matched with lines."""
    for document in yaml.compose_all(source, Loader=yaml.CSafeLoader):
        yield from _values(document)


def _values(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.ScalarNode):
        if " " in node.value:
            yield node.start_mark.line + 1, node.value
    elif isinstance(node, yaml.SequenceNode):
        for part in node.value:
            yield from _values(part)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value not in READ_BY_PROGRAMS:
                yield from _values(value)
