"""Flame graphs that async-profiler writes as an HTML page: frames are calls of three JavaScript functions.

Up to 2.9 a frame is `f(level,left,width,type,'title',...)`. Later versions have a pool of titles in which the first
character of each title is the length of the prefix it shares with the title before, and frames are
`f(key,level,left,width,...)`, `u(key,width,...)` (one level up, same position) and `n(key,width,...)` (next on the
same level). `key >> 3` is the title's number; a width that is missing or 0 is that of the frame before; `left` is
relative to the frame before.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from diagnostics.errors import UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.profiler_stack import FrameAllowance, mode_of, sample_row, stack_batches, thread_of
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 65_536
MOST_LEVEL = 5_000
MOST_TITLES = 1_000_000
MOST_TITLE = 4_000
"""A title repeats the beginning of the one before it, so that each line can make it longer. Our choice."""

TITLES = (("cpu", "cpu"), ("itimer", "cpu"), ("wall", "wall"), ("alloc", "alloc"), ("lock", "lock"))
"""Words in the page's title -> mode: `CPU profile`, `Wall clock profile`."""

_MARKS = ("async-profiler", "levels = Array(")
_CALL = re.compile(r"([fun])\(([0-9,]{1,200})(?:,'((?:[^'\\]|\\.){0,20000})'(?:,[0-9,]{0,100})?)?\)")
_TITLE = re.compile(r"'((?:[^'\\]|\\.){0,20000})',?$")
_HEADING = re.compile(r"<h1[^>]{0,100}>([^<]{0,200})</h1>")


@dataclass(slots=True)
class _Frame:
    """A frame whose children may still follow; `own` is its samples without those of the children read so far."""

    title: str
    own: int
    line: int


def _recognise(head: Head) -> float:
    return 0.95 if all(mark in head.text for mark in _MARKS) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally = Tally()
    page = _Page(tally)
    for number, line in numbered_lines(part, MOST_LINE):
        page.take(line.lstrip(), number)
    rows = page.rows()
    if not tally.records:
        raise UnreadableInput(
            say("a page of async-profiler without frames: its end is missing, or it shows no flame graph")
        )
    mode = page.mode or mode_of(part.name, rows)
    yield from stack_batches({**row, "mode": mode} for row in rows)
    page.allowance.report(tally.warn)
    yield tally.coverage()


class _Page:
    """The frames of a page in drawing order: each after the frame below it."""

    def __init__(self, tally: Tally) -> None:
        self.mode: str | None = None
        self.allowance = FrameAllowance()
        self._tally = tally
        self._titles: list[str] | None = None
        self._in_titles = False
        self._level = self._width = 0
        self._open: list[_Frame] = []
        self._rows: list[dict[str, Any]] = []

    def take(self, line: str, number: int) -> None:
        """Read one line of the page."""
        heading = _HEADING.search(line) if self.mode is None else None
        if heading:
            told = heading[1].lower()
            self.mode = next((mode for word, mode in TITLES if word in told), None)
        elif line.startswith("const cpool"):
            self._titles, self._in_titles = [], True
        elif self._in_titles:
            self._title(line)
        elif (call := _CALL.fullmatch(line.rstrip(";"))) and not self._frame(call, number):
            self._tally.odd(number, line)

    def _title(self, line: str) -> None:
        assert self._titles is not None
        found = _TITLE.match(line)
        if not found or len(self._titles) >= MOST_TITLES:
            self._in_titles = False
            return
        title = _unescaped(found[1])
        if self._titles and title:
            title = self._titles[-1][: max(ord(title[0]) - 32, 0)] + title[1:]
        self._titles.append(title[:MOST_TITLE])

    def _frame(self, call: re.Match[str], number: int) -> bool:
        numbers = [int(each[:18]) for each in call[2].split(",") if each]
        if call[3] is not None:
            if len(numbers) < 3:
                return False
            level, width, title = numbers[0], numbers[2], _unescaped(call[3])
        else:
            place = numbers[0] >> 3
            if self._titles is None or place >= len(self._titles):
                return False
            level = self._level + (call[1] == "u") if call[1] != "f" else (numbers[1:2] or [0])[0]
            at = 3 if call[1] == "f" else 1
            width = (numbers[at : at + 1] or [0])[0] or self._width
            title = self._titles[place]
        if level > min(len(self._open), MOST_LEVEL):
            return False
        self._close(level)
        if self._open:
            self._open[-1].own -= width
        self._open.append(_Frame(html.unescape(title), width, number))
        self._level, self._width = level, width
        self._tally.records += 1
        return True

    def rows(self) -> list[dict[str, Any]]:
        """One row per stack that has samples of its own."""
        self._close(0)
        return self._rows

    def _close(self, level: int) -> None:
        while len(self._open) > level:
            leaf = self._open[-1]
            # The lowest frame is no frame: it represents all samples.
            if leaf.own > 0 and len(self._open) > 1 and self.allowance.take(len(self._open)):
                frames = [each.title for each in self._open[1:]]
                thread = thread_of(frames[0]) if len(frames) > 1 else None
                row = sample_row(thread, frames[1 if thread else 0 :], float(leaf.own))
                self._rows.append({**row, "profile": "collapsed", "line": leaf.line, "last_line": leaf.line})
            self._open.pop()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


_HEAD = (
    "<!DOCTYPE html>\n<html lang='en'>\n<h1>CPU profile</h1>\n"
    "<header>Produced by <a href='https://github.com/async-profiler/async-profiler'>async-profiler</a></header>\n"
    "<script>\n\tconst levels = Array(5);\n"
)

FORMAT = Format(
    id="async-profiler-html",
    title=to_say("Flame graph page of async-profiler"),
    documentation="https://github.com/async-profiler/async-profiler/blob/master/docs/FlamegraphInterpretation.md",
    tables=("stack_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="taskmanager-cpu.html",
            text=f"{_HEAD}const cpool = [\n'all',\n' [Map (2/4)#0 tid=71]',\n' com/acme/Lookup.get',\n'0parse'\n];\n"
            "unpack(cpool);\n\nn(3,10)\nu(12)\nu(17,7)\nu(25,4)\nf(25,2,7,3)\nsearch();\n</script>",
            rows={
                "stack_sample": [
                    {"frames": ["com.acme.Lookup.get", "com.acme.Lookup.parse"], "weight": 4.0, "line": 18},
                    {
                        "thread": "Map (2/4)#0",
                        "vertex": "Map",
                        "subtask": 1,
                        "mode": "cpu",
                        "frames": ["com.acme.Lookup.get"],
                        "weight": 3.0,
                        "line": 17,
                    },
                    {"frames": ["com.acme.Lookup.parse"], "weight": 3.0, "line": 19},
                ]
            },
        ),
        Sample(
            name="flamegraph.html",
            text=f"{_HEAD.replace('CPU', 'Wall clock')}f(0,0,5,3,'all')\nf(1,0,5,1,'java/lang/Thread.run')\n"
            "f(2,0,3,1,'com/acme/Lookup.&lt;init&gt;')\nsearch();\n</script>",
            rows={
                "stack_sample": [
                    {"mode": "wall", "frames": ["java.lang.Thread.run", "com.acme.Lookup.<init>"], "weight": 3.0},
                    {"thread": None, "frames": ["java.lang.Thread.run"], "weight": 2.0},
                ]
            },
        ),
    ),
)
