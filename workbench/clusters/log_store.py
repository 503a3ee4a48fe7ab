"""Queries a log store for the lines of a window, newest first, and writes a log file for each process into one zip.

The newest lines are the ones before an incident: where a bound is reached, the oldest lines of the window are missing,
and the report states from when on there are lines.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnostics.collect_flink import Bundle, Cluster, Progress, Stopped, Unanswered
from workbench.languages.sentences import say

MOST_LINES = 100_000
"""Of one query. Our choice: an hour of a busy cluster. A worker holds them in some 100 MB of memory."""
MOST_TEXT_BYTES = 30_000_000
MOST_NAME = 100
LONGEST_SELECTOR = 500


class SelectorRefused(Exception):
    """The selector cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class LogWindow:
    """What is asked for.

    selector  chooses the log streams, in the store's own language
    index     of a store with indices: where to search
    """

    begin: dt.datetime
    end: dt.datetime
    selector: str
    index: str = ""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One entry of a store.

    at        in the unit of its store
    process   name of the process or file that it comes from
    text      a line, or a record of several lines
    identity  distinguishes it from other entries of its moment
    """

    at: int
    process: str
    text: str
    identity: Hashable


@dataclass(frozen=True, slots=True)
class Page:
    """One answer, the newest entry first.

    entries   how many the store sent, also without text
    warnings  what the store says it left out
    """

    lines: Sequence[LogLine]
    entries: int
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class LogStore:
    """How one kind of store is queried.

    page_lines  entries of one answer
    per_second  its units of time in a second
    path        (window, newest moment, inclusive) -> path and query of the next answer
    read        (the answer) -> its entries. Raises Unanswered for the answer of another program.
    selector    (what was typed) -> the selector. Raises SelectorRefused.
    """

    page_lines: int
    per_second: int
    path: Callable[[LogWindow, int], str]
    read: Callable[[Any], Page]
    selector: Callable[[str], str]

    def moment(self, at: dt.datetime) -> int:
        """A time in the store's unit."""
        return int(at.timestamp() * 1_000_000) * self.per_second // 1_000_000

    def time(self, moment: int) -> dt.datetime:
        """The time of a moment in the store's unit."""
        return dt.datetime.fromtimestamp(moment / self.per_second, dt.UTC)


@dataclass(slots=True)
class _Gathered:
    """Entries by process, the newest first, and what is missing."""

    by_process: dict[str, list[LogLine]] = field(default_factory=dict)
    lines: int = 0
    size: int = 0
    skipped: list[str] = field(default_factory=list)

    def add(self, line: LogLine) -> None:
        self.by_process.setdefault(line.process, []).append(line)
        self.lines += 1
        self.size += len(line.text)

    @property
    def bound(self) -> str:
        """The bound that is reached; empty for none."""
        if self.lines >= MOST_LINES:
            return say("{count:,} lines", count=MOST_LINES)
        return f"{MOST_TEXT_BYTES / 1e6:.0f} MB" if self.size >= MOST_TEXT_BYTES else ""


def gather_logs(server: Cluster, target: Path, store: LogStore, window: LogWindow, progress: Progress) -> int:
    """Writes the zip; gives the number of lines in it. Raises Unanswered when there is none or nobody answers.

    What `progress` raises when it is shown something, but for Stopped, ends the run without a zip.
    """
    progress.label = "logs"
    gathered = _Gathered()
    try:
        _gather(server, store, window, progress, gathered)
    except (Stopped, Unanswered) as error:
        if not gathered.lines:
            raise Unanswered(str(error)) from None
        gathered.skipped.append(say("everything before: {error}", error=error))
    if not gathered.lines:
        span = {"begin": f"{window.begin:%F %T}", "end": f"{window.end:%F %T} UTC"}
        if window.selector:
            raise Unanswered(
                say("it has no line with {selector} between {begin} and {end}", selector=window.selector, **span)
            )
        raise Unanswered(say("it has no line between {begin} and {end}", **span))
    _write(server, target, window, gathered)
    return gathered.lines


def _gather(server: Cluster, store: LogStore, window: LogWindow, progress: Progress, gathered: _Gathered) -> None:
    """Asks page by page into the past. Raises Unanswered, Stopped; what came before is in `gathered` then."""
    newest, oldest_asked = store.moment(window.end), store.moment(window.begin)
    seen: set[Hashable] = set()
    while newest >= oldest_asked:
        progress.show(server, "logs")
        _, answer = server.json(store.path(window, newest))
        page = store.read(answer)
        gathered.skipped += page.warnings
        for line in page.lines:
            if line.identity not in seen:
                gathered.add(line)
        if page.entries < store.page_lines or not page.lines:
            return
        oldest = min(line.at for line in page.lines)
        if gathered.bound:
            moment = f"{store.time(oldest):%F %T} UTC"
            gathered.skipped.append(
                say("lines before {moment}: more than {bound}", moment=moment, bound=gathered.bound)
            )
            return
        # The next page begins with the moment that this one may have cut in two.
        if oldest == newest:
            moment = f"{store.time(oldest):%F %T} UTC"
            gathered.skipped.append(
                say("lines of {moment}: more than {count:,} have the same time", moment=moment, count=store.page_lines)
            )
            newest, seen = oldest - 1, set()
        else:
            newest, seen = oldest, {line.identity for line in page.lines if line.at == oldest}


def _write(server: Cluster, target: Path, window: LogWindow, gathered: _Gathered) -> None:
    bundle = Bundle(target)
    try:
        for process, lines in gathered.by_process.items():
            # Reversed first: entries of one moment came newest first, too.
            lines.reverse()
            lines.sort(key=lambda line: line.at)
            text = "".join(f"{line.text.rstrip()}\n" for line in lines)
            bundle.add(f"log-store/{process[:MOST_NAME]}.log", text.encode("utf-8", "replace"))
        report = {
            "collector": "log store 1",
            "log_store": server.shown,
            "selector": window.selector,
            "index": window.index,
            "started": window.begin.isoformat(timespec="milliseconds"),
            "ended": window.end.isoformat(timespec="milliseconds"),
            "lines": gathered.lines,
            "requests": server.requests,
            "bytes": server.bytes,
            "skipped": gathered.skipped,
        }
        bundle.add("log-store/collected.json", json.dumps(report, indent=1).encode())
        bundle.finish()
    except BaseException:
        bundle.discard()
        raise


def process_name(labels: Mapping[str, Any], *names: Sequence[str]) -> str:
    """The name of a process from labels: of each group of names the first that is there, joined.

    Entries that differ in other labels only, as in the level that Loki detects, belong to one file.
    """
    parts = []
    for group in names:
        value = next((labels[name] for name in group if isinstance(labels.get(name), str) and labels[name]), "")
        parts.append(value.rstrip("/").rpartition("/")[2])
    return "-".join(part for part in parts if part) or "log"
