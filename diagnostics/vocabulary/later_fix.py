"""What later releases of Flink and its connectors repaired, by the method that they changed.

`later_fixes.yaml` has for each product

program     its name for a reader, with its Chinese where it is a phrase
packages    beginnings of its classes
others      beginnings of classes in these packages that belong to other products
jars        patterns of the names of its JARs, with `*`, whose release is the product's
repository  address of its repository; a change `12` is its pull request
tracker     address before a change's name where that is an issue; before its number where it ends with `/issues/`
from_flink  true: it was a part of Flink before, whose file has its older fixes
tags        regular expression of the tags of its releases, with their three numbers
published   of a product whose forks lack tags: regular expression of the subject of the commit that states a release
            published, with its three numbers; it counts before a tag
by_commit   true: its changes are mostly commits without an issue or pull request, so a commit's id names one
within      of a product inside the JAR of another program, which `program` and `jars` name then: the `tags` of that
            program and the `property` of its pom.xml that holds the product's release

The CSV files of `later_fixes` have for each fix

change    the issue or pull request
title     the change's own
releases  the first with it of each line
methods   `Class.method` of what it changed; a class alone where no method is known

They are made from the histories of the repositories by `python -m tests.knowledge.fix_history`.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from math import log
from pathlib import Path
from typing import Any

from diagnostics.notation.stack_frame import plain_frame
from diagnostics.vocabulary.fix_title import OF_EVERY_FIX, Failure, names_exception, reports, words_of
from diagnostics.vocabulary.known_bug import Release, release_of
from diagnostics.yaml_document import read_yaml, with_translations

FOLDER = Path(__file__).parent / "later_fixes"


@dataclass(frozen=True, slots=True)
class Around:
    """The program whose JAR has a product inside: the tags of its releases, and the property with the product's."""

    tags: str
    property: str


@dataclass(frozen=True, slots=True)
class Product:
    """One entry of `later_fixes.yaml`."""

    name: str
    program: str
    packages: tuple[str, ...]
    others: tuple[str, ...]
    jars: tuple[str, ...]
    repository: str
    tracker: str | None
    from_flink: bool
    by_commit: bool
    tags: str
    published: str | None
    within: Around | None

    def has(self, name: str) -> bool:
        """Whether a class or frame is the product's."""
        return name.startswith(self.packages) and not name.startswith(self.others)

    def ships(self, jar: str) -> bool:
        """Whether a JAR of this name is the product's."""
        return any(fnmatchcase(jar, each) for each in self.jars)

    def address_of(self, change: str) -> str:
        """Where the change is described."""
        if self.tracker is None or "-" not in change:
            return f"{self.repository}/{'pull' if change.isdigit() else 'commit'}/{change}"
        issue = change.rpartition("-")[2] if self.tracker.endswith("/issues/") else change
        return f"{self.tracker}{issue}"


@dataclass(frozen=True, slots=True)
class LaterFix:
    """One fix: what a change of a product repaired, and since when."""

    product: Product
    change: str
    title: str
    releases: tuple[Release, ...]
    methods: frozenset[str]

    def is_in(self, release: Release) -> bool:
        """Whether a release has it: in its own line since the release listed there, else since any earlier one."""
        own = [each for each in self.releases if each[:2] == release[:2]]
        return release >= own[0] if own else any(each <= release for each in self.releases)

    def first_after(self, release: Release | None) -> Release:
        """The nearest release above one that lacks it; the first of all where that is not known."""
        return next((each for each in self.releases if release and each > release), self.releases[0])


@cache
def products() -> Mapping[str, Product]:
    """Every product by its name. Raises InvalidRule naming the line when the file is invalid."""
    path = FOLDER.with_suffix(".yaml")
    content: Any = read_yaml(path.read_text("utf-8"), path.name).content
    return {
        name: Product(
            name=name,
            program=with_translations(entry["program"], entry, "program"),
            packages=tuple(entry["packages"]),
            others=tuple(entry.get("others", ())),
            jars=tuple(entry["jars"]),
            repository=entry["repository"],
            tracker=entry.get("tracker"),
            from_flink=entry.get("from_flink", False),
            by_commit=entry.get("by_commit", False),
            tags=entry["tags"],
            published=entry.get("published"),
            within=Around(**entry["within"]) if "within" in entry else None,
        )
        for name, entry in content.items()
    }


def fix_file(product: str) -> Path:
    """The file with a product's fixes."""
    return FOLDER / f"{product}.csv"


LEAST_SHARED = 6.0
"""Bits that the words which a fix's title shares with a failure must weigh, to lead with it, and as many more as it
takes to choose among the fixes of that method. Our choice: below it a fix of the same method is as often about
something else, by the resolved incidents that were read for it.
"""
LEAST_SHARED_OF_CLASS = 9.0
"""The same for a fix that changed another method of the class that failed."""
LEAST_OF_TITLE = 0.38
"""Share of its title in bits, beside the words of the place, that a failure must have to lead with a fix whose title
does not name its exception. Our choice: of 24 with less in 1,455 resolved incidents three were right, of 21 with more
and without a known repair eleven.
"""
LEAST_LISTED = 4.0
LEAST_OF_LISTED = 0.2
"""Bits, and their share of the title, to list a fix of the method that failed. Our choice: below them the shared words
are those of every other title.
"""
OF_PLACE = 0.6
"""Share of its title in bits with which a fix names the package, class and method that failed, to be listed. Our
choice: such a title says nothing else.
"""
LEAST_QUOTED = 16.0
QUOTED = 0.7
LEAST_WORDS = 3
"""Bits, their share of the title, and words of it that the first sentence of a message must have of a fix that changed
other code. Our choice: of seven such titles in 1,455 resolved incidents all were about the message, of 37 with 55 to
70 % five.
"""
MOST_PLACES = 3
"""Innermost frames of products that are looked up. Our choice: what lies further out only calls what fails."""
MORE_OF_A_CALLER = 2.0
"""Bits that a title must weigh more for each frame further out. Our choice: more changes touch what calls much."""


@dataclass(frozen=True, slots=True)
class FixIndex:
    """The fixes of a product by the methods and classes that they changed, and how much each word of a title weighs."""

    by_method: Mapping[str, Sequence[LaterFix]]
    by_class: Mapping[str, Sequence[LaterFix]]
    fixes: Sequence[tuple[LaterFix, frozenset[str]]]
    bits: Mapping[str, float]

    def weight(self, words: Iterable[str]) -> float:
        """Bits of words of titles."""
        return sum(self.bits.get(each, 0.0) for each in words)


@cache
def fixes_by_place(product: str) -> FixIndex:
    """The index of a product's file."""
    by_method: dict[str, list[LaterFix]] = defaultdict(list)
    by_class: dict[str, list[LaterFix]] = defaultdict(list)
    titles: dict[str, int] = defaultdict(int)
    fixes = []
    with fix_file(product).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            released = tuple(each for text in row["releases"].split(" ") if (each := release_of(text)))
            methods = frozenset(row["methods"].split(" "))
            fix = LaterFix(products()[product], row["change"], row["title"], released, methods)
            words = words_of(fix.title)
            fixes.append((fix, words))
            for word in words:
                titles[word] += 1
            for method in methods:
                by_method[method].append(fix)
            for name in {each.partition(".")[0] for each in methods}:
                by_class[name].append(fix)
    bits = {word: log(len(fixes) / times, 2) for word, times in titles.items() if word not in OF_EVERY_FIX}
    return FixIndex(by_method, by_class, fixes, bits)


def place_in_source(frame: str) -> tuple[str, str]:
    """Class and method as a change of the source names them: an inner class by its outer one, a constructor by its
    class.
    """
    named, _, method = plain_frame(frame).rpartition(".")
    outer, *inner = named.rpartition(".")[2].split("$")
    if method == "<init>":
        method = next((each for each in reversed(inner) if not each.isdigit()), outer)
    return outer, method


@dataclass(frozen=True, slots=True)
class Candidate:
    """A later fix of what failed.

    frame     the failing frame whose method or class it changed; None where its title quotes the message
    is_close  whether its title is about this failure, too
    """

    fix: LaterFix
    frame: str | None
    is_close: bool


def later_fixes(
    frames: Iterable[str], said: str, running: Mapping[str, Release], *, quoting_only: bool = False
) -> list[Candidate]:
    """Fixes of what failed, in releases after those that run, the closest first.

    Those that changed the method which failed, and those of its class whose title is about the failure; without one
    that is about it, those of other code whose title quotes the innermost message.

    frames        where it failed, the innermost first
    said          its exceptions and messages
    running       product -> release, as far as known
    quoting_only  whether only titles that quote it count: its message has a repair of its own
    """
    failure = Failure(said, tuple(dict.fromkeys(frames)))
    ranked: dict[str, tuple[float, Candidate]] = {}

    def take(found: Iterable[tuple[float, Candidate]]) -> None:
        for bits, candidate in found:
            change = candidate.fix.change
            if change not in ranked or ranked[change][0] < bits:
                ranked[change] = (bits, candidate)

    places = [each for each in failure.frames if any(product.has(each) for product in products().values())]
    for depth, frame in enumerate(() if quoting_only else places[:MOST_PLACES]):
        for product in products().values():
            if product.has(frame):
                take(_fixes_at_place(product, frame, depth, failure, running.get(product.name)))
    if not any(candidate.is_close for _, candidate in ranked.values()):
        for product in products().values():
            if any(map(product.has, places)):
                take(_fixes_that_quote(product, failure, running.get(product.name)))
    return [candidate for _, candidate in sorted(ranked.values(), key=lambda each: (not each[1].is_close, -each[0]))]


def _fixes_at_place(
    product: Product, frame: str, depth: int, failure: Failure, release: Release | None
) -> Iterator[tuple[float, Candidate]]:
    """Fixes of the method or class of a frame, with the bits of the words that their titles share with a failure.

    Words of the frame itself are left out: any fix of it may name them. Of the method that failed all are given that
    say something of the failure, of its callers those whose titles are about it. Bits of another method's fix count
    half. A method that only reports failures was changed for other reasons than this one.
    """
    outer, method = place_in_source(frame)
    if reports(method):
        return
    index = fixes_by_place(product.name)
    of_method = set(index.by_method.get(f"{outer}.{method}", ()))
    of_place = words_of(f"{outer} {method}")
    for fix in index.by_class.get(outer, ()):
        if (release and fix.is_in(release)) or not failure.agrees_with(fix.title):
            continue
        of_title, is_own = words_of(fix.title) - of_place, fix in of_method
        shared, whole = index.weight(of_title & failure.words), index.weight(of_title)
        least = LEAST_SHARED + log(len(of_method), 2) if is_own else LEAST_SHARED_OF_CLASS
        is_named = names_exception(fix.title)
        is_close = shared >= least + MORE_OF_A_CALLER * depth and (is_named or shared >= LEAST_OF_TITLE * whole)
        is_close = is_close or (is_named and is_own and depth == 0)
        is_telling = shared >= max(LEAST_LISTED, LEAST_OF_LISTED * whole) or is_named or failure.is_bare_for(fix.title)
        is_telling = is_telling or _is_about_place(fix, frame, index)
        if is_close or (is_own and depth == 0 and is_telling):
            yield shared * (1 if is_own else 0.5) - depth, Candidate(fix, frame, is_close)


def _is_about_place(fix: LaterFix, frame: str, index: FixIndex) -> bool:
    """Whether a title names hardly anything but the class that failed, so that it may be about any failure there."""
    of_title = words_of(fix.title)
    return index.weight(of_title & words_of(frame)) >= OF_PLACE * index.weight(of_title)


def _fixes_that_quote(product: Product, failure: Failure, release: Release | None) -> Iterator[tuple[float, Candidate]]:
    """Fixes whose titles quote the message of the innermost exception, wherever they changed the code."""
    index, words = fixes_by_place(product.name), failure.quotable
    for fix, of_title in index.fixes:
        quoted = of_title & words
        bits = index.weight(quoted) if len(quoted) >= LEAST_WORDS else 0.0
        if bits < max(LEAST_QUOTED, QUOTED * index.weight(of_title)) or (release and fix.is_in(release)):
            continue
        if failure.agrees_with(fix.title):
            yield bits, Candidate(fix, None, is_close=True)


OF_LOCKS = words_of("deadlock deadlocks deadlocked")
MOST_WAITING = 4
"""Innermost frames of products of a waiting thread that are looked up. Our choice: the lock is taken there."""


def fixes_of_locks(
    stacks: Iterable[Sequence[str]], running: Mapping[str, Release], *, is_circle: bool
) -> list[LaterFix]:
    """Fixes of deadlocks between threads that wait in code which they changed, in releases after those that run.

    Of threads in a circle two wait in classes that a fix changed, one of them in a method that it changed. Of others
    two take their locks in different classes that it changed. The one that changed most of these methods comes first.

    stacks     of the waiting threads, the innermost frame first
    running    product -> release, as far as known
    is_circle  whether each of the threads holds the lock that the next one waits for
    """
    waiting_in = [_product_frames(frames) for frames in stacks]
    places = [[place_in_source(each) for each in frames] for frames in waiting_in]
    taken_in = {each[0][0] for each in places if each}
    ranked: dict[str, tuple[int, LaterFix]] = {}
    for product in products().values():
        if not any(product.has(each) for frames in waiting_in for each in frames):
            continue
        index, release = fixes_by_place(product.name), running.get(product.name)
        known = {outer for each in places for outer, _ in each}
        for fix in dict.fromkeys(fix for outer in sorted(known) for fix in index.by_class.get(outer, ())):
            if (release and fix.is_in(release)) or not _ends_deadlock(fix):
                continue
            changed = {each.partition(".")[0] for each in fix.methods}
            methods = {f"{outer}.{method}" for each in places for outer, method in each} & fix.methods
            waiting = sum(any(outer in changed for outer, _ in each) for each in places)
            if (waiting > 1 and methods) if is_circle else len(taken_in & changed) > 1:
                ranked[fix.change] = (-len(methods), fix)
    return [fix for _, fix in sorted(ranked.values(), key=lambda each: (each[0], each[1].change))]


def _ends_deadlock(fix: LaterFix) -> bool:
    return bool(words_of(fix.title) & OF_LOCKS) or "dead lock" in fix.title.lower()


def _product_frames(frames: Iterable[str]) -> Sequence[str]:
    own = (each for each in frames if any(product.has(each) for product in products().values()))
    return list(islice(own, MOST_WAITING))
