"""The catalogues of translations: what is marked in code, templates and scripts, and what of it is translated.

Babel extracts and compiles, so that no program of GNU gettext is needed. The compiled catalogues are committed beside
their texts: an installation reads them without a build step, and a test holds them equal.
"""

from __future__ import annotations

import ast
import datetime as dt
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

from diagnostics.language import CATALOGUES, CHINESE, FOLDERS

ROOT = Path(settings.BASE_DIR)
OWN = Path(__file__).parent / "locale"
STARTED = dt.datetime(2026, 11, 24, tzinfo=dt.UTC)
"""In the head of every catalogue, where gettext has the time of the last change: a difference that says nothing."""

TEMPLATES = {
    "gettext": None,
    "_": None,
    "pgettext": ((1, "c"), 2),
    "ngettext": (1, 2),
    "npgettext": ((1, "c"), 2, 3),
}
PYTHON = {"say": None, "to_say": None, "say_later": None, "say_counted": (1, 2)}
SCRIPTS = {"say": None, "sayCounted": (1, 2)}
"""Functions that mark a text, and which of their arguments are texts."""
IMPORTED = re.compile(r"^from (?:diagnostics\.language|workbench\.languages\.sentences) import (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked text: its file below the root, context, and text; of a counted one also the plural."""

    file: str
    text: str | tuple[str, ...]
    context: str | None

    @property
    def area(self) -> str:
        """The folder of its file: `templates/case_pages`, `static/js`, `diagnostics/wording`."""
        return str(Path(self.file).parent)


@dataclass(frozen=True, slots=True)
class Source:
    """A catalogue and where its texts are marked.

    domain   name of its files
    folder   with a folder for each language
    sources  patterns of files below the root
    """

    domain: str
    folder: Path
    sources: tuple[str, ...]

    def path(self, language: str = CHINESE) -> Path:
        """The file with the texts and their translations."""
        return self.folder / FOLDERS[language] / "LC_MESSAGES" / f"{self.domain}.po"

    def marked(self) -> Iterator[Marked]:
        """Every marked text, in the order of files."""
        for pattern in self.sources:
            for path in sorted(ROOT.glob(pattern)):
                yield from marked_in(path)


CATALOGUE_SOURCES = (
    Source("django", OWN, ("templates/**/*.html", "templates/**/*.txt", "workbench/**/*.py")),
    Source("djangojs", OWN, ("static/js/*.js",)),
    Source("diagnostics", CATALOGUES, ("diagnostics/**/*.py",)),
)
COLLECTOR = ROOT / "diagnostics" / "collect_flink.py"
"""Runs without the library: it has a `say` of its own, and its Chinese sentences are written into it."""
COLLECTOR_LINES = re.compile(r'(?<=^_LINES = """\\\n).*?(?=^""")', re.MULTILINE | re.DOTALL)


def marked_in(path: Path) -> Iterator[Marked]:
    """The marked texts of one file."""
    file, content = str(path.relative_to(ROOT)), path.read_text("utf-8")
    keywords: Mapping[str, Any]
    if path.suffix == ".js":
        method, keywords = "javascript", SCRIPTS
    elif path.suffix == ".py":
        yield from (Marked(file, text, None) for text in _marked_in_code(content))
        return
    else:
        # What surrounds the marks becomes the letter X. Lines lose their indentation, which means nothing there.
        lines = templatize(content, origin=str(path)).splitlines()
        method, keywords, content = "python", TEMPLATES, "\n".join(line.strip() for line in lines)
    for _, text, _, context in extract(method, io.BytesIO(content.encode()), keywords):
        yield Marked(file, text, context)


def _marked_in_code(content: str) -> Iterator[str | tuple[str, ...]]:
    """The marked literals of Python code in the order of their lines; Babel leaves out those within f-strings."""
    marking = _marking(content)
    if not marking:
        return
    calls = [
        part
        for part in ast.walk(ast.parse(content))
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in marking
    ]
    for call in sorted(calls, key=lambda part: (part.lineno, part.col_offset)):
        count = len(PYTHON[getattr(call.func, "id", "")] or (1,))
        texts = tuple(str(each.value) for each in call.args[:count] if isinstance(each, ast.Constant))
        if len(texts) == count:
            yield texts if count > 1 else texts[0]


def _marking(content: str) -> Mapping[str, Any]:
    """The functions of PYTHON that a module imports: others, but for the collector, have a `say` of their own."""
    imported = {name for names in IMPORTED.findall(content) for name in re.findall(r"\w+", names)}
    if COLLECTOR_LINES.search(content):
        imported.add("say")
    return {name: PYTHON[name] for name in PYTHON if name in imported}


def catalogue(source: Source) -> Catalog:
    """The stored translations."""
    path = source.path()
    if not path.is_file():
        return _empty(source)
    with path.open("rb") as file:
        return read_po(file, locale=FOLDERS[CHINESE], domain=source.domain)


def update(source: Source) -> Catalog:
    """Writes the catalogue with exactly the texts that are marked now, keeps their translations, and compiles it."""
    stored, fresh = catalogue(source), _empty(source)
    for marked in source.marked():
        before = stored.get(marked.text if isinstance(marked.text, str) else marked.text[0], marked.context)
        translated = before.string if before and not before.fuzzy else ""
        fresh.add(marked.text, translated, locations=[(marked.file, 0)], context=marked.context)
    path = source.path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, fresh, width=0, sort_by_file=True, include_lineno=False)
    path.with_suffix(".mo").write_bytes(compiled(fresh))
    return fresh


def compiled(translations: Catalog) -> bytes:
    """The catalogue as programs read it."""
    target = io.BytesIO()
    write_mo(target, translations)
    return target.getvalue()


def _empty(source: Source) -> Catalog:
    return Catalog(
        locale=FOLDERS[CHINESE],
        domain=source.domain,
        project="Flink troubleshooting workbench",
        creation_date=STARTED,
        revision_date=STARTED,
        fuzzy=False,
    )


def collector_written() -> str:
    """The text of the collector with its sentences: a line in English, a line in Chinese."""
    translations = catalogue(CATALOGUE_SOURCES[-1])
    texts = sorted({str(each.text) for each in marked_in(COLLECTOR)})
    lines = "".join(f"{text}\n{translations[text].string}\n" for text in texts)
    return COLLECTOR_LINES.sub(lambda _: lines, COLLECTOR.read_text("utf-8"))


def is_translated(message: Message | None) -> bool:
    """Whether it has a translation, in every form."""
    if message is None or message.fuzzy:
        return False
    forms = [message.string] if isinstance(message.string, str) else message.string
    return all(forms or [""])


@dataclass(frozen=True, slots=True)
class Share:
    """How many texts of an area are translated."""

    translated: int
    total: int

    @property
    def percent(self) -> int:
        """Rounded down, so that 100 means all of them."""
        return 100 * self.translated // self.total if self.total else 100


def shares(entries: Iterable[tuple[str, bool]]) -> Mapping[str, Share]:
    """Area -> share, from (area, whether translated) of each text, sorted by area."""
    counts: dict[str, list[bool]] = {}
    for area, done in entries:
        counts.setdefault(area, []).append(done)
    return {area: Share(sum(done), len(done)) for area, done in sorted(counts.items())}
