"""Which sources of a job's code make their records, or keep in memory what they cannot send. The code is never run.

A source that computes by the clock how many records are due and counts those that it has sent sends the rest as soon as
it can. Where neither number is in a checkpoint, a restart begins both anew, and what was due is never sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from diagnostics.notation.source_text import Lines, classes, enclosed

LONGEST_RUN = 20_000
"""Characters of the method `run` that are read. Our choice: some hundred lines."""
MOST = 200
"""Statements of a kind that are read in it. Our choice: such a method has a few."""

_ATTACHED = re.compile(r"\baddSource\s?\(\s{0,80}new\s{1,20}([A-Za-z_]\w{0,100})\s?[(<]")
_RUN = re.compile(r"\bvoid\s{1,20}run\s?\([^(){};]{0,200}\)\s{0,80}(?:throws\s[\w.,\s]{1,200})?\{")
_SAVES = re.compile(r"\b(?:snapshotState|initializeState|CheckpointedFunction|ListCheckpointed)\b")
"""What puts a source's numbers into a checkpoint. Source: Flink's CheckpointedFunction and ListCheckpointed."""
_MADE = re.compile(r"\b(?:Random|ThreadLocalRandom|SplittableRandom|randomUUID)\b|\bMath\s?\.\s?random\b")
"""What records are made with. Source: Java's documentation."""
_READ = re.compile(
    r"\b\w{0,60}(?:Socket|InputStream|Reader|Consumer|Connection|Statement|ResultSet|Client|Channel|Queue|Scanner"
    r"|Subscriber|Subscription|Session)\b|\bFiles\s?\.\s?(?:read|lines|newInput|list|walk)"
)
"""Classes that records are read with, by the ends of their names, and methods that read files. Our choice: a source
that also writes its records to a file reads none."""
_ELAPSED = re.compile(r"System\s?\.\s?(?:nanoTime|currentTimeMillis)\s?\(\)\s?-\s?[A-Za-z_]")
_DECLARED = re.compile(r"\b(?:long|int|double|var)\s{1,20}([A-Za-z_]\w{0,60})\s?=\s?([^;=]{1,300});")
_WORD = re.compile(r"[A-Za-z_]\w{0,100}")
_RAISED = re.compile(r"\b([A-Za-z_]\w{0,60})(?:\+\+|\s?\+=)|\+\+([A-Za-z_]\w{0,60})\b")
_COMPARED = re.compile(r"\bwhile\s?\([^;{}]{0,200}\b([A-Za-z_]\w{0,60})\s?<\s?([A-Za-z_]\w{0,60})\b")


def attached_sources(plain: str) -> list[tuple[str, int]]:
    """The classes that the job attaches as sources, with the line of each."""
    lines = Lines(plain)
    return [(each.group(1), lines.at(each.start())) for each in islice(_ATTACHED.finditer(plain), MOST)]


def sources_of_own_records(plain: str) -> Iterator[tuple[str, int]]:
    """Each attached source that makes its records by chance and names nothing that records are read with, and its
    line: nothing that it sends exists elsewhere.
    """
    attached, lines = {name for name, _ in attached_sources(plain)}, Lines(plain)
    for name, begin, end in classes(plain) if attached else ():
        body = plain[begin:end]
        if name in attached and _MADE.search(body) and not _READ.search(body):
            yield name, lines.at(begin)


def sources_by_clock(plain: str) -> Iterator[tuple[str, int]]:
    """`Class.count` and its line for each attached source that sends what is due by the clock and saves no count."""
    attached, lines = {name for name, _ in attached_sources(plain)}, Lines(plain)
    for name, begin, end in classes(plain) if attached else ():
        body = plain[begin:end]
        run = _RUN.search(body) if name in attached and not _SAVES.search(body) else None
        inside = enclosed(body, run.end() - 1, LONGEST_RUN) if run else None
        count = _count_behind_the_clock(inside) if inside else None
        if run and count:
            yield f"{name}.{count[0]}", lines.at(begin + run.end() + count[1])


def _count_behind_the_clock(body: str) -> tuple[str, int] | None:
    """The variable that a loop compares with what is due by the clock and raises, and its place."""
    due: set[str] = set()
    for declared in islice(_DECLARED.finditer(body), MOST):
        value = declared.group(2)
        if _ELAPSED.search(value) or not due.isdisjoint(_WORD.findall(value)):
            due.add(declared.group(1))
    raised = {each.group(1) or each.group(2) for each in islice(_RAISED.finditer(body), MOST)}
    for loop in islice(_COMPARED.finditer(body), MOST):
        count, bound = loop.groups()
        if bound in due and count in raised:
            return count, loop.start(1)
    return None
