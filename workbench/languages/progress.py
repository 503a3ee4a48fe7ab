"""What is translated, area by area, and what is not even marked yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

from diagnostics.symptoms import runbook_files, symptom_folders
from diagnostics.yaml_document import read_yaml
from workbench.languages.catalogues import CATALOGUE_SOURCES, ROOT, Share, catalogue, is_translated, shares
from workbench.languages.texts import entries_to_translate

PROGRESS_PAGE = Path(__file__).parent / "TRANSLATION.md"

HEAD = """# What is translated

Written by `manage.py translations`. How to translate: the section "Two languages" of the
[words of the product](../launch/STYLE.md).

The workbench offers English and simplified Chinese, unless `WORKBENCH_LANGUAGES=en` is set. What has no translation
below appears in English.
"""

TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
BLOCK = re.compile(r"{%\s*(blocktranslate|comment)\b.*?{%\s*end\1\s*%}", re.DOTALL)
WORD = re.compile(r"[A-Za-z]{3,}")
SHOWN_ATTRIBUTES = ("title", "aria-label", "placeholder", "alt")
SAME_EVERYWHERE = frozenset({"API", "CSV", "English", "Flink", "INFO", "JSON", "PDF", "PNG", "SHA", "SVG", "UTC"})
"""Words of a page that every language has."""
CODE = re.compile(r"\S*[._/=&*](?=\S)\S*|\S+=")
"""File names, classes and parts of addresses within a text."""


class _Unmarked(HTMLParser):
    """Counts the texts of a template that nothing marks."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in ("code", "pre", "kbd", "script", "style")
        for name, value in attrs:
            if name in SHOWN_ATTRIBUTES:
                self._add(value or "")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre", "kbd", "script", "style")

    def handle_data(self, data: str) -> None:
        if self._code <= 0:
            self._add(data)

    def _add(self, text: str) -> None:
        if set(WORD.findall(CODE.sub(" ", text))) - SAME_EVERYWHERE:
            self.texts.append(text.strip())


def unmarked_texts(template: str) -> list[str]:
    """The texts of a template, and of attributes that are shown or read aloud, without a mark."""
    parser = _Unmarked()
    parser.feed(TAG.sub(" ", BLOCK.sub(" ", template)))
    return parser.texts


def template_shares() -> Mapping[str, Share]:
    """Folder of templates -> translated texts of all, those without a mark included."""
    translations = catalogue(CATALOGUE_SOURCES[0])
    entries = [
        (each.area, is_translated(translations.get(_key(each.text), each.context)))
        for each in CATALOGUE_SOURCES[0].marked()
        if each.file.startswith("templates/")
    ]
    for path in sorted((ROOT / "templates").rglob("*.html")):
        area = str(path.parent.relative_to(ROOT))
        entries += [(area, False)] * len(unmarked_texts(path.read_text("utf-8")))
    return shares(entries)


def code_shares() -> Mapping[str, Share]:
    """Folder of code -> translated texts of those that are marked; nothing counts sentences without a mark."""
    entries = []
    for source in CATALOGUE_SOURCES:
        translations = catalogue(source)
        entries += [
            (each.area, is_translated(translations.get(_key(each.text), each.context)))
            for each in source.marked()
            if not each.file.startswith("templates/")
        ]
    return shares(entries)


def data_shares() -> Mapping[str, Share]:
    """Symptom class -> translated texts of its description, rules and runbook."""
    return shares(_texts_of_classes())


def _texts_of_classes() -> Iterator[tuple[str, bool]]:
    for folder in symptom_folders():
        paths = [folder / "symptom.yaml", *runbook_files(folder), *sorted((folder / "rules").glob("*.yaml"))]
        for path in paths:
            if path.is_file() and not path.name.endswith((".fires.yaml", ".silent.yaml")):
                content = read_yaml(path.read_text("utf-8"), path.name).content
                yield from ((folder.name, done) for done in entries_to_translate(content))


def progress_page() -> str:
    """The page of the documentation."""
    parts = [HEAD]
    for title, column, counted in (
        ("Pages", "templates", template_shares()),
        ("Rules and runbooks", "symptom class", data_shares()),
        ("Sentences of code, as far as they are marked", "folder", code_shares()),
    ):
        head = (f"## {title}\n", f"| {column} | translated | of | |", "|---|---|---|---|")
        rows = [f"| {area} | {each.translated} | {each.total} | {each.percent} % |" for area, each in counted.items()]
        parts.append("\n".join([*head, *rows]) + "\n")
    return "\n".join(parts)


def _key(text: str | tuple[str, ...]) -> str:
    return text if isinstance(text, str) else text[0]
