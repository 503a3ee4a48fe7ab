"""The catalogue of known bugs: faults of Flink and its connectors that look like incidents of the job, as data.

One YAML file for each part of Flink in `diagnostics/vocabulary/known_bugs`; an entry's key is the tracker's id. It has

title        the fault, in our words
component    part of Flink or the connector
product      the product whose release counts: `flink` (the default), or a connector with its own releases
affected     releases that have it, as `1.13.0..1.13.5` or a single release
fixed        the first releases without it, one for each line that got the fix; empty when none has it yet
signatures   texts in a log or an exception; one match suffices
signs        what shows it where nothing is thrown (bug_sign.py); one that holds suffices
looks_like   the symptoms
work_around  a remedy without the fix, or that there is none
symptom_class  the class of the incident that it causes; left out when it causes no class of its own
source       title and url of the tracker's entry or of the release notes
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from diagnostics.errors import InvalidRule
from diagnostics.language import ENGLISH, SUFFIXES, Text, in_reader_language, reading_in, say, to_say
from diagnostics.notation.constant_text import EntryTexts
from diagnostics.vocabulary.bug_sign import BugSign, sign_of
from diagnostics.yaml_document import Place, YamlDocument, read_yaml, translated_names, with_translations

FOLDER = Path(__file__).parent / "known_bugs"

FLINK = "flink"
IDENTIFIER = re.compile(r"[A-Z][A-Z0-9]{1,19}-\d{1,7}")
RELEASE = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
PRODUCT = re.compile(r"[a-z][a-z0-9-]{1,59}")
WORDS = ("title", "looks_like", "work_around")
"""Fields that are texts for a reader, with their translations beside them: `title_zh`."""
NONE_NEEDED = "None is needed"
"""How the work-around of a bug begins that harms nothing."""
LEAST_TEXT = 12
"""Characters of a signature's text. Our choice: shorter ones occur in too many records."""
LEAST_SENTENCE = 24
"""Characters that a signature without frame needs in a text with a space: a message, not only a class name, which many
faults share. Our choice.
"""

Release = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Signature:
    """Literal texts that occur together in one record or answer.

    texts   all of them occur in its message or in its exception chain (lines of `class: message`)
    frames  one of them is the root cause's top frame, the first frame that is Flink's own, or among the first frames
            of products in the chain; any when empty. A method matches its lambdas too, whose numbers differ by
            release (`plain_frame`)
    """

    texts: tuple[str, ...]
    frames: tuple[str, ...] = ()

    @property
    def rarest(self) -> tuple[str, ...]:
        """Texts such that a match contains at least one of them: its frames, or its longest text."""
        return self.frames or (max(self.texts, key=len),)

    def fits(self, text: str, frames: Iterable[str | None]) -> bool:
        """Whether a record contains all texts and one of the frames."""
        return all(each in text for each in self.texts) and not (self.frames and set(self.frames).isdisjoint(frames))


@dataclass(frozen=True, slots=True)
class KnownBug:
    """One entry of the catalogue."""

    id: str
    title: str
    component: str
    product: str
    affected: tuple[tuple[Release, Release], ...]
    fixed: tuple[str, ...]
    signatures: tuple[Signature, ...]
    looks_like: str
    work_around: str
    symptom_class: str | None
    source: str
    url: str
    signs: tuple[BugSign, ...] = ()

    def affects(self, release: Release) -> bool:
        """Whether the release is in one of the affected ranges."""
        return any(first <= release <= last for first, last in self.affected)

    @property
    def affected_span(self) -> str:
        """The first and the last affected release: `3.0.0..3.4.0`; one alone by itself."""
        ends = min(first for first, _ in self.affected), max(last for _, last in self.affected)
        return "..".join(dict.fromkeys(".".join(map(str, each)) for each in ends))

    @property
    def program(self) -> str:
        """Whose release counts, as readers know it."""
        return "Flink" if self.product == FLINK else self.product

    @property
    def needs_nothing(self) -> bool:
        """Whether nothing has to be done about it: its work-around is that none is needed."""
        return self.work_around.startswith(NONE_NEEDED)

    @property
    def repair(self) -> Text:
        """What repairs it, true in every release: upgrade if it is one that has the bug, and the work-around."""
        return self._in_every_language(
            to_say(
                "If {program} is {affected}, upgrade it to {fixed} or later: this fits {bug} ({title}),"
                " which is fixed there. Work-around: {work_around}"
            )
        )

    @property
    def repair_of_running(self) -> Text:
        """The same where a release that has the bug is known to run."""
        return self._in_every_language(
            to_say(
                "Upgrade {program} to {fixed} or later: the release that runs has {bug} ({title}), which is fixed"
                " there. Work-around: {work_around}"
            )
        )

    def _in_every_language(self, sentence: str) -> Text:
        """A sentence of a repair in every language; that of a bug that harms nothing, or that no release has fixed."""
        if self.needs_nothing:
            sentence = to_say(
                "Change nothing because of it: this fits {bug} of {program} {affected} ({title})."
                " Work-around: {work_around} To be rid of it upgrade {program} to {fixed} or later."
            )
        if not self.fixed:
            sentence = to_say(
                "This fits {bug} of {program} {affected} ({title}), which no release has fixed."
                " Work-around: {work_around}"
            )
        said = {}
        for language in (ENGLISH, *SUFFIXES):
            with reading_in(language):
                said[language] = say(
                    sentence,
                    program=self.program,
                    affected=self.affected_span,
                    fixed=" / ".join(self.fixed),
                    bug=self.id,
                    title=in_reader_language(self.title),
                    work_around=in_reader_language(self.work_around),
                )
        return Text(said.pop(ENGLISH), said)


def release_of(text: str | None) -> Release | None:
    """`1.13.2` (also with a vendor's suffix) as (1, 13, 2); None without all three numbers, and for a snapshot."""
    found = RELEASE.match(text or "")
    if found is None or "SNAPSHOT" in (text or ""):
        return None
    return int(found[1]), int(found[2]), int(found[3])


@cache
def known_bugs() -> Mapping[str, KnownBug]:
    """Every bug by id. Raises InvalidRule with every error of all files, each with its line."""
    bugs: dict[str, KnownBug] = {}
    errors: list[str] = []
    for path in sorted(FOLDER.glob("*.yaml")):
        try:
            read = bugs_of(path.read_text("utf-8"), path.name)
        except InvalidRule as error:
            errors += error.errors
            continue
        errors += [f"{path.name}: {name} is in another file too" for name in read if name in bugs]
        bugs |= read
    if errors:
        raise InvalidRule(errors)
    return bugs


def bugs_of(text: str, source: str) -> dict[str, KnownBug]:
    """The bugs of one file. Raises InvalidRule with every error, each with its line."""
    document = read_yaml(text, source)
    reader = _BugReader(document)
    bugs = {name: reader.bug(name) for name in document.content}
    if reader.errors:
        raise InvalidRule([error for _, error in sorted(reader.errors, key=lambda each: each[0])])
    return bugs


def bugs_that_fit(text: str, frames: Sequence[str | None]) -> list[str]:
    """The ids of the bugs that a record with these texts and frames matches, in any release."""
    suspects = sorted(_rare_texts().entries_in("\n".join((text, *filter(None, frames)))))
    near = (signatures()[place] for place in suspects)
    return list(dict.fromkeys(name for name, signature in near if signature.fits(text, frames)))


@cache
def signatures() -> tuple[tuple[str, Signature], ...]:
    """Every signature with the id of its bug, first those without frames."""
    every = [(bug.id, signature) for bug in known_bugs().values() for signature in bug.signatures]
    return tuple(sorted(every, key=lambda each: bool(each[1].frames)))


@cache
def signed_calls() -> frozenset[str]:
    """The methods whose calls are part of a sign."""
    return frozenset(call for bug in known_bugs().values() for sign in bug.signs for call in sign.calls)


@cache
def _rare_texts() -> EntryTexts:
    return EntryTexts(signature.rarest for _, signature in signatures())


@cache
def rare_texts() -> tuple[str, ...]:
    """Texts such that every record that shows a bug contains at least one of them."""
    return tuple(sorted({text for _, signature in signatures() for text in signature.rarest}))


class _BugReader:
    """Reads the entries of one file and collects their errors."""

    known = frozenset({field.name for field in fields(KnownBug)} - {"id", "url"}) | translated_names(WORDS)

    def __init__(self, document: YamlDocument) -> None:
        self._document = document
        self.errors: list[tuple[int, str]] = []

    def bug(self, name: str) -> KnownBug:
        entry = self._document.content[name]
        if not IDENTIFIER.fullmatch(name):
            self._report((name,), f"{name!r} is no id of a tracker such as FLINK-12345")
        if not isinstance(entry, dict):
            self._report((name,), "a mapping is expected")
            entry = {}
        for unknown in sorted(set(entry) - self.known):
            self._report((name, unknown), f"unknown entry {unknown!r}")
        product = self._text(entry, name, "product") if "product" in entry else FLINK
        if not PRODUCT.fullmatch(product):
            self._report((name, "product"), f"`product` {product!r} is no artifact such as flink-connector-kafka")
        source = entry.get("source")
        source = source if isinstance(source, dict) and set(source) == {"title", "url"} else {}
        if not source or not str(source["url"]).startswith("https://") or not str(source["title"]).strip():
            self._report((name, "source"), "`source` has a title and a url that begins with https://")
        affected = tuple(self._ranges(entry, name))
        return KnownBug(
            id=name,
            title=self._text(entry, name, "title"),
            component=self._text(entry, name, "component"),
            product=product,
            affected=affected,
            fixed=tuple(self._fixed(entry, name, affected)),
            signatures=tuple(self._signatures(entry, name)),
            looks_like=self._text(entry, name, "looks_like"),
            work_around=self._text(entry, name, "work_around"),
            symptom_class=self._text(entry, name, "symptom_class") if "symptom_class" in entry else None,
            source=str(source.get("title", "")),
            url=str(source.get("url", "")),
            signs=tuple(self._signs(entry, name)) if "signs" in entry else (),
        )

    def _report(self, place: Place, text: str) -> None:
        self.errors.append((self._document.line(place), self._document.fault(place, text)))

    def _text(self, entry: Mapping[str, Any], name: str, field: str) -> str:
        value = entry.get(field)
        if not isinstance(value, str) or not value.strip():
            self._report((name, field), f"`{field}` is missing")
            return ""
        try:
            return with_translations(value.strip(), entry, field)
        except ValueError as error:
            self._report((name, field), str(error))
            return value.strip()

    def _list(self, entry: Mapping[str, Any], place: Place, field: str) -> list[Any]:
        value = entry.get(field)
        if not isinstance(value, list):
            self._report((*place, field), f"`{field}` is a list")
            return []
        return value

    def _ranges(self, entry: Mapping[str, Any], name: str) -> Iterator[tuple[Release, Release]]:
        listed = self._list(entry, (name,), "affected")
        if not listed:
            self._report((name, "affected"), "`affected` names at least one release")
        for index, value in enumerate(listed):
            first, _, last = str(value).partition("..")
            ends = RELEASE.fullmatch(first), RELEASE.fullmatch(last or first)
            bounds = release_of(first), release_of(last or first)
            if not all(ends) or bounds[0] is None or bounds[1] is None or bounds[0] > bounds[1]:
                self._report((name, "affected", index), f"{value!r} is no range such as 1.13.0..1.13.5")
                continue
            yield bounds[0], bounds[1]

    def _fixed(self, entry: Mapping[str, Any], name: str, affected: Iterable[tuple[Release, Release]]) -> Iterator[str]:
        for index, value in enumerate(self._list(entry, (name,), "fixed")):
            release = release_of(str(value)) if RELEASE.fullmatch(str(value)) else None
            if release is None:
                self._report((name, "fixed", index), f"{value!r} is no release such as 1.13.6")
                continue
            if any(first <= release <= last for first, last in affected):
                self._report((name, "fixed", index), f"{value} is said to be affected and to be fixed")
            yield str(value)

    def _signs(self, entry: Mapping[str, Any], name: str) -> Iterator[BugSign]:
        for index, value in enumerate(self._list(entry, (name,), "signs")):
            try:
                yield sign_of(value)
            except ValueError as error:
                self._report((name, "signs", index), str(error))

    def _signatures(self, entry: Mapping[str, Any], name: str) -> Iterator[Signature]:
        if "signatures" not in entry and "signs" in entry:
            return
        listed = self._list(entry, (name,), "signatures")
        if not listed:
            self._report((name, "signatures"), "`signatures` has at least one")
        for index, value in enumerate(listed):
            place = (name, "signatures", index)
            if not isinstance(value, dict) or not {"texts"} <= set(value) <= {"texts", "frames"}:
                self._report(place, "a signature has texts, and may have frames")
                continue
            signature = Signature(
                tuple(self._literals(value, place, "texts")),
                tuple(self._literals(value, place, "frames")) if "frames" in value else (),
            )
            if not signature.texts or ("frames" in value and not signature.frames):
                self._report(place, "a list that is there is not empty")
            elif not signature.frames and not any(len(t) >= LEAST_SENTENCE and " " in t for t in signature.texts):
                self._report(
                    place, f"without frames a text of a message is needed, of at least {LEAST_SENTENCE} characters"
                )
            else:
                yield signature

    def _literals(self, value: Mapping[str, Any], place: Place, field: str) -> Iterator[str]:
        for index, text in enumerate(self._list(value, place, field)):
            if not isinstance(text, str) or len(text) < LEAST_TEXT or "\n" in text:
                self._report((*place, field, index), f"a text of one line and at least {LEAST_TEXT} characters")
                continue
            yield text
