"""Compares two stored diagnoses of a case, for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from diagnostics.log_book.counting import breakdown
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.view import View
from diagnostics.proof import Effect, Judgement, Proof, SnapshotData, prove
from diagnostics.proof.benchmarks import benchmark_effects
from diagnostics.proof.lists import frame_effects, pattern_effects
from diagnostics.proof.quantity import Unit
from diagnostics.proof.reading import Band, Reading
from diagnostics.proof.words import change_in_words, range_in_words, value_in_words
from workbench.analyses.log_books import log_book_of
from workbench.analyses.models import Analysis, ChartPoints
from workbench.analyses.reading import document_read
from workbench.languages.sentences import say, say_later
from workbench.runbooks.selectors import runbook_of

CHARTS = (
    "benchmark-durations",
    "checkpoint-history",
    "flame-graph",
    "garbage-collection",
    "load-by-subtask",
    "log-volume",
    "metrics",
    "subtask-activity",
    "watermarks",
)
"""The charts whose points the quantities read; others are not loaded."""

GROUP_TITLES = {
    "benchmarks": say_later("Benchmarks"),
    "checkpoints": say_later("Checkpoints"),
    "event_time": say_later("Event time"),
    "frames_and_logs": say_later("Frames and logs"),
    "load": say_later("Load"),
    "pauses": say_later("Pauses and restarts"),
    "frames": say_later("Frames on top of the task's stack"),
    "patterns": say_later("Warnings and errors in an hour"),
}

JUDGEMENTS: Mapping[Judgement, str] = {
    "fixed": say_later("Fixed"),
    "better": say_later("Better"),
    "unchanged": say_later("Unchanged"),
    "changed": say_later("Changed"),
    "traded": say_later("Better, traded for something worse"),
    "worse": say_later("Worse"),
    "cannot tell": say_later("Cannot tell"),
}

WORRYING = ("WARN", "ERROR", "FATAL")
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class EffectShown:
    """A quantity as text for the table; unknown parts are empty."""

    effect: Effect
    before: str
    before_basis: str
    after: str
    after_basis: str
    band: str
    change: str

    @property
    def needs_a_reason(self) -> bool:
        """Whether the judgement is not plain from the values, what they rest on and the band."""
        return self.effect.judgement == "changed" and self.effect.quantity.better is not None


def conclusion_of(before: Analysis, after: Analysis) -> Proof:
    """The comparison of two finished analyses without the lists of frames and log patterns."""
    return prove(_side(before), _side(after), runbook_of)


def proof_of(before: Analysis, after: Analysis) -> Proof:
    """The comparison of two finished analyses."""
    sides = _side(before), _side(after)
    proof = prove(*sides, runbook_of)
    results = [side.charts.get("benchmark-durations", {}) for side in sides]
    if benchmarks := benchmark_effects(results[0], results[1]):
        proof = replace(proof, effects={**proof.effects, "benchmarks": benchmarks})
    if proof.same is None:
        return proof
    graphs = [side.charts.get("flame-graph", {}) for side in sides]
    frames = frame_effects(graphs[0], graphs[1], (proof.same.before, proof.same.after))
    lists = {"frames": frames, "patterns": _patterns(before, after)}
    return replace(proof, effects={**proof.effects, **{name: told for name, told in lists.items() if told}})


def _patterns(before: Analysis, after: Analysis) -> list[Effect]:
    """The log patterns of both, when the records of both are kept."""
    books = log_book_of(before), log_book_of(after)
    if books[0] is None or books[1] is None:
        return []
    first, second = _counted(books[0], before), _counted(books[1], after)
    return pattern_effects(first.known_to(second), first.hours, second.known_to(first), second.hours)


@dataclass(frozen=True, slots=True)
class PatternCounts:
    """How many records each pattern of warnings and errors has.

    records   (level, text) -> how many in each of the log's slots of time
    hours     that the log covers
    complete  whether a pattern that is not counted has no record
    """

    records: Mapping[tuple[str, str], Sequence[int]]
    hours: float
    complete: bool

    def known_to(self, other: PatternCounts) -> Mapping[tuple[str, str], Sequence[int]]:
        """The patterns whose frequency the other log has too."""
        return {each: count for each, count in self.records.items() if other.complete or each in other.records}


def _counted(book: LogBook, analysis: Analysis) -> PatternCounts:
    """The patterns of the records that count: a snapshot has a beginning, a log book holds earlier records too."""
    view, span = View(book.records), book.span
    left_out = [entry["left_out"]["before"] for entry in analysis.document["inputs"] if entry.get("left_out")]
    if left_out and span is not None:
        begins_ms = round(datetime.fromisoformat(left_out[0]).timestamp() * 1000)
        view, span = book.later(begins_ms), (max(span[0], begins_ms), max(span[1], begins_ms))
    found = breakdown(book, view, "pattern", span)
    worrying = [each for each in found["values"] if each["level"] in WORRYING]
    return PatternCounts(
        {(each["level"], each["text"]): each["slots"] for each in worrying},
        (span[1] - span[0]) / HOUR_MS if span else 0.0,
        complete=found["distinct"] == len(found["values"]),
    )


def snapshot_data(analysis: Analysis) -> SnapshotData:
    """The stored data of an analysis that quantities read."""
    charts = ChartPoints.objects.filter(analysis=analysis, chart_id__in=CHARTS).values_list("chart_id", "points")
    return SnapshotData(analysis.document, analysis.signals, dict(charts))


def _side(analysis: Analysis) -> SnapshotData:
    """The same with the titles of findings in the language of the reader."""
    return replace(snapshot_data(analysis), document=document_read(analysis))


ShownGroup = tuple[str, list[EffectShown]]
"""The title of a group and its rows."""


def effects_shown(proof: Proof) -> list[ShownGroup]:
    """Title of a group -> its rows, in the order of the titles."""
    titled = {
        GROUP_TITLES.get(group, group.replace("_", " ").capitalize()): told for group, told in proof.effects.items()
    }
    return [(title, [_shown(each) for each in titled[title]]) for title in sorted(titled)]


def folded(groups: Sequence[ShownGroup]) -> tuple[list[ShownGroup], list[ShownGroup]]:
    """The groups worth reading, and those that are unchanged."""
    parts: tuple[list[ShownGroup], list[ShownGroup]] = ([], [])
    for title, rows in groups:
        for part, unchanged in zip(parts, (False, True), strict=True):
            if chosen := [row for row in rows if (row.effect.judgement == "unchanged") is unchanged]:
                part.append((title, chosen))
    return parts


def _shown(effect: Effect) -> EffectShown:
    unit = effect.quantity.unit
    return EffectShown(
        effect,
        *_value(effect.before, unit),
        *_value(effect.after, unit),
        _band(effect.band, unit),
        change_in_words(effect),
    )


def _value(reading: Reading | None, unit: Unit) -> tuple[str, str]:
    """A value and its basis; for events the count is more informative than the rate."""
    if reading is None:
        return say("not measured"), ""
    value = value_in_words(reading.value, unit)
    return (reading.basis, value) if unit == "per hour" and reading.has_noise else (value, reading.basis)


def _band(band: Band | None, unit: Unit) -> str:
    return range_in_words(band.low, band.high, unit) if band else ""


def markdown(proof: Proof, before: str, after: str) -> str:
    """The comparison as Markdown for a chat or a ticket."""
    return "\n".join(_markdown_lines(proof, before, after)) + "\n"


def _markdown_lines(proof: Proof, before: str, after: str) -> Iterator[str]:
    yield say("## Was it fixed? {judgement}", judgement=JUDGEMENTS[proof.judgement])
    yield ""
    yield proof.headline
    yield from (say("- Doubt: {doubt}", doubt=each) for each in proof.doubts)
    yield ""
    yield say("| Problem | Judgement | Why |")
    yield "|---|---|---|"
    yield from (
        f"| {_cell(each.title)} | {JUDGEMENTS[each.judgement]} | {_cell(each.because)} |" for each in proof.problems
    )
    for title, rows in effects_shown(proof):
        yield ""
        heads = (title, before, after, say("Noise band"), say("Difference"), say("Judgement"))
        yield f"| {' | '.join(map(_cell, heads))} |"
        yield "|---|---|---|---|---|---|"
        for row in rows:
            cells = (
                row.effect.quantity.read_title,
                f"{row.before} ({row.before_basis})",
                f"{row.after} ({row.after_basis})",
                row.band or say("not known"),
                row.change,
                JUDGEMENTS[row.effect.judgement],
            )
            yield f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace(" ()", "")
