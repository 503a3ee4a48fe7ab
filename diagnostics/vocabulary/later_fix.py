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
import re
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
MOST_PLACES = 3
"""Innermost frames of products that are looked up. Our choice: what lies further out only calls what fails."""
MORE_OF_A_CALLER = 2.0
"""Bits that a title must weigh more for each frame further out. Our choice: more changes touch what calls much."""
WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]{2,}")
ENDINGS = re.compile(r"(?:ing|ed|es|s)$")
SAME_WORD = {"npe": ("null", "pointer"), "oom": ("memory", "out"), "cce": ("class", "cast")}
"""Short forms in titles, as the words of the exception that they mean."""


def words_of(text: str) -> frozenset[str]:
    """The words of a text, of names too, in lower case and without endings: `splitId` is `split` and `id`."""
    found = (each.lower() for each in WORD.findall(text))
    whole = (part for each in found for part in SAME_WORD.get(each, (each,)))
    return frozenset(ENDINGS.sub("", each) if len(each) > 4 else each for each in whole if len(each) > 2)


OF_EVERY_FIX = words_of(
    "and for the when with from not that this into are was has have but may can could should does did will would after"
    " before fix bug avoid prevent exception error fail failure java org apache flink com caused runtime throw wrong"
    " incorrect invalid illegal argument state"
)
"""Words that say nothing of one fault."""
OF_MESSAGES = re.compile(
    r"(?i)^(?:fix(?:es)?:? )?(?:show|print|display|expose|report(?! NPE)|log|hint|warn|silent \w*exception|add warn\w*"
    r"|(?:improve|enhance)\b.{1,60}\b(?:messages?|msg|warnings?|exceptions?|logs?)"
    r"|(?:do not|don't|only|avoid to) (?:warn|print|show|log|report)|use \w+Exception"
    r"|throw (?:(?:an?|the|better|proper|meaningful|helpful|clear\w*|more) ){0,3}(?:error|exception))\b"
    r"|\bshould (?:throw (?:an? )?(?:meaningful|readable|helpful|better|\w*Exception)|set the underlying)"
    r"|\bwrong .{1,60} (?:page|display)"
)
"""Titles of changes of messages, logs and displays: the failure comes with them, too."""


@dataclass(frozen=True, slots=True)
class FixIndex:
    """The fixes of a product by the methods and classes that they changed, and how much each word of a title weighs."""

    by_method: Mapping[str, Sequence[LaterFix]]
    by_class: Mapping[str, Sequence[LaterFix]]
    bits: Mapping[str, float]

    def shared(self, fix: LaterFix, words: frozenset[str]) -> float:
        """Bits of the words that a fix's title shares with a failure."""
        return sum(self.bits.get(each, 0.0) for each in words_of(fix.title) & words)


@cache
def fixes_by_place(product: str) -> FixIndex:
    """The index of a product's file."""
    by_method: dict[str, list[LaterFix]] = defaultdict(list)
    by_class: dict[str, list[LaterFix]] = defaultdict(list)
    titles: dict[str, int] = defaultdict(int)
    count = 0
    with fix_file(product).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            released = tuple(each for text in row["releases"].split(" ") if (each := release_of(text)))
            methods = frozenset(row["methods"].split(" "))
            fix = LaterFix(products()[product], row["change"], row["title"], released, methods)
            count += 1
            for word in words_of(fix.title):
                titles[word] += 1
            for method in methods:
                by_method[method].append(fix)
            for name in {each.partition(".")[0] for each in methods}:
                by_class[name].append(fix)
    bits = {word: log(count / times, 2) for word, times in titles.items() if word not in OF_EVERY_FIX}
    return FixIndex(by_method, by_class, bits)


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

    frame     the failing frame whose method or class it changed
    is_close  whether its title is about this failure, too
    """

    fix: LaterFix
    frame: str
    is_close: bool


def later_fixes(frames: Iterable[str], said: str, running: Mapping[str, Release]) -> list[Candidate]:
    """Fixes of what failed, in releases after those that run, the closest first.

    Those that changed the method which failed, and those of its class whose title is about the failure.

    frames   where it failed, the innermost first
    said     its exceptions and messages
    running  product -> release, as far as known
    """
    words = words_of(said)
    ranked: dict[str, tuple[float, Candidate]] = {}
    places = [each for each in dict.fromkeys(frames) if any(product.has(each) for product in products().values())]
    for depth, frame in enumerate(places[:MOST_PLACES]):
        for product in products().values():
            if product.has(frame):
                for bits, candidate in _candidates(product, frame, depth, words, running.get(product.name)):
                    change = candidate.fix.change
                    if change not in ranked or ranked[change][0] < bits:
                        ranked[change] = (bits, candidate)
    return [candidate for _, candidate in sorted(ranked.values(), key=lambda each: (not each[1].is_close, -each[0]))]


def _candidates(
    product: Product, frame: str, depth: int, words: frozenset[str], release: Release | None
) -> Iterator[tuple[float, Candidate]]:
    """Fixes of the method or class of a frame, with the bits of the words that their titles share with a failure.

    Words of the frame itself are left out: any fix of it may name them. Of the method that failed all are given, of its
    callers those whose titles are about the failure. Bits of another method's fix count half.
    """
    index = fixes_by_place(product.name)
    outer, method = place_in_source(frame)
    of_method = set(index.by_method.get(f"{outer}.{method}", ()))
    telling = words - words_of(f"{outer} {method}")
    for fix in index.by_class.get(outer, ()):
        if (release and fix.is_in(release)) or OF_MESSAGES.search(fix.title):
            continue
        shared, is_own = index.shared(fix, telling), fix in of_method
        least = LEAST_SHARED + log(len(of_method), 2) if is_own else LEAST_SHARED_OF_CLASS
        is_close = shared >= least + MORE_OF_A_CALLER * depth
        if is_close or (is_own and depth == 0):
            yield shared * (1 if is_own else 0.5) - depth, Candidate(fix, frame, is_close)


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
