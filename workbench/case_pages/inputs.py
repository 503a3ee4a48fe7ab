"""The files that an analysis read, by folder: what their clocks were, and what of them did not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.reading.clock import shift_text
from diagnostics.wording.phrase import duration
from workbench.languages.sentences import say
from workbench.uploads.listing import format_title

MOST_FORMATS = 3
MOST_FOLDERS = 20
"""How many folders are listed. Our choice: as many as a person scans at once."""
ZONE_STEP_MS = 15 * 60_000
"""Offsets of time zones are multiples of a quarter of an hour. Source: IANA time zone database."""
OPEN_INPUTS = 30
"""Folders are expanded while they contain no more files than this in total."""


@dataclass(frozen=True, slots=True)
class InputFolder:
    """The inputs in one folder of the upload."""

    name: str
    entries: Sequence[Mapping[str, Any]]
    is_open: bool

    @property
    def formats(self) -> str:
        """Number of files per format, when there are few formats."""
        counted = Counter(entry["title"] for entry in self.entries)
        files, formats, unread = len(self.entries), len(counted), counted[""]
        if formats <= MOST_FORMATS:
            return say(", ").join(
                say("{count} {kind}", count=count, kind=title or say("not analysed"))
                for title, count in counted.most_common()
            )
        if unread:
            return say(
                "{files} files of {formats} formats, {unread} of them not analysed",
                files=files,
                formats=formats,
                unread=unread,
            )
        return say("{files} files of {formats} formats", files=files, formats=formats)

    @property
    def warnings(self) -> int:
        return sum(1 for entry in self.entries if entry.get("warnings"))

    @property
    def records(self) -> int:
        return sum(entry.get("records") or 0 for entry in self.entries)

    @property
    def bytes(self) -> int:
        return sum(entry.get("bytes") or 0 for entry in self.entries)


def inputs_shown(document: Mapping[str, Any], files: Mapping[str, int]) -> list[InputFolder]:
    """The document's inputs by folder, sorted by name.

    Each entry has its `path` inside that folder, the `title` of its format, empty for none, the `file_id` of its
    uploaded file, and sentences about its clock where that was compared or corrected.

    files   name of an uploaded file -> its id
    A REST dump has a folder per vertex: deeply nested folders are shown as part of one above them.
    """
    entries = sorted(document["inputs"], key=lambda each: each["file"])
    paths = [entry["file"].split("/")[:-1] for entry in entries]
    deepest = max(map(len, paths), default=0)
    depth = max(
        (to for to in range(1, deepest + 1) if len({tuple(path[:to]) for path in paths}) <= MOST_FOLDERS), default=1
    )
    by_folder: dict[str, list[Mapping[str, Any]]] = {}
    for entry, path in zip(entries, paths, strict=True):
        name = "/".join(path[:depth])
        shown = {
            "path": entry["file"].removeprefix(f"{name}/"),
            "title": format_title(entry.get("format")),
            "file_id": files.get(entry["file"].partition("!/")[0]),
            "offset_note": describe_offset(entry["offset"]) if "offset" in entry else None,
            "clock_note": describe_clock(entry["clock"]) if "clock" in entry else None,
        }
        by_folder.setdefault(name, []).append({**entry, **shown})
    is_open = len(entries) <= OPEN_INPUTS
    return [InputFolder(name, inside, is_open) for name, inside in by_folder.items()]


@dataclass(frozen=True, slots=True)
class ClockComparison:
    """A file's clock in words, and whether it needs attention."""

    sentence: str
    is_off: bool


def describe_offset(offset: Mapping[str, Any]) -> ClockComparison:
    """The estimated offset of a file's clock (`diagnostics.reconstruction.job.log_clocks`) in words."""
    least, most = offset["least_ms"], offset["most_ms"]
    values = {"events": offset["events"], "other": offset["against"].rpartition("/")[2]}
    if least is not None and most is not None and least > most:
        set_by_hand = say(
            "Its clock and that of {other} were set or drift: no one offset explains {events} steps of tasks that "
            "both logs tell of.",
            **values,
        )
        return ClockComparison(set_by_hand, True)
    values["bounds"] = _offset_bounds(least, most)
    if (least is None or least <= 0) and (most is None or most >= 0):
        agrees = say(
            "Its clock agrees with that of {other} ({bounds}, from {events} steps of tasks that both logs tell of).",
            **values,
        )
        return ClockComparison(agrees, False)
    nearest = [bound for bound in (least, most) if bound is not None]
    middle = round(sum(nearest) / len(nearest))
    values["offset"] = duration(abs(middle))
    if middle > 0:
        sentence = say(
            "Its clock is {offset} ahead of that of {other} ({bounds}, from {events} steps of tasks that both logs "
            "tell of).",
            **values,
        )
    else:
        sentence = say(
            "Its clock is {offset} behind that of {other} ({bounds}, from {events} steps of tasks that both logs "
            "tell of).",
            **values,
        )
    steps = round(middle / ZONE_STEP_MS)
    if steps and _is_zone(least, most, steps):
        sentence = say("{sentence} That is what another time zone would make.", sentence=sentence)
    return ClockComparison(sentence, True)


def _offset_bounds(least: int | None, most: int | None) -> str:
    if least is None:
        return "" if most is None else say("at most {shift}", shift=shift_text(most))
    if most is None:
        return say("at least {shift}", shift=shift_text(least))
    return say("at least {least} and at most {most}", least=shift_text(least), most=shift_text(most))


def _is_zone(least: int | None, most: int | None, steps: int) -> bool:
    whole = steps * ZONE_STEP_MS
    return (least is None or least <= whole) and (most is None or most >= whole)


def describe_clock(clock: Mapping[str, Any]) -> str:
    """The correction of a file's times in words."""
    zone, shift = clock["zone"], shift_text(clock["shift_ms"]) if clock["shift_ms"] else ""
    if zone and shift:
        return say("Its times were read as local time of {zone} and moved by {shift}.", zone=zone, shift=shift)
    if zone:
        return say("Its times were read as local time of {zone}.", zone=zone)
    return say("Its times were moved by {shift}.", shift=shift)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a diagnosis did not count, because it is from before its snapshot: records, in how many files."""

    records: int
    files: int
    before: str


def left_out_shown(document: Mapping[str, Any]) -> LeftOut | None:
    """What the document says was left out; None for nothing."""
    parts = [entry["left_out"] for entry in document["inputs"] if entry.get("left_out")]
    return LeftOut(sum(part["records"] for part in parts), len(parts), parts[0]["before"]) if parts else None
