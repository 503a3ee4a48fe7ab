"""Compares two stored diagnoses of a case, for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from diagnostics.log_book.counting import breakdown
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.view import View
from diagnostics.proof import Effect, Proof, SnapshotData, prove
from diagnostics.proof.lists import frame_effects, pattern_effects
from diagnostics.proof.quantity import Unit
from diagnostics.proof.reading import Reading
from diagnostics.wording import phrase
from workbench.analyses.log_books import log_book_of
from workbench.analyses.models import Analysis, ChartPoints
from workbench.runbooks.selectors import runbook_of

CHARTS = ("checkpoint-history", "subtask-activity", "load-by-subtask", "log-volume", "flame-graph")
"""The charts whose points the quantities read; the others stay in the database."""

GROUP_TITLES = {
    "checkpoints": "Checkpoints",
    "event_time": "Event time",
    "frames_and_logs": "Frames and logs",
    "load": "Load",
    "pauses": "Pauses and restarts",
    "frames": "Frames on top of the task's stack",
    "patterns": "Warnings and errors in an hour",
}

WORRYING = ("WARN", "ERROR", "FATAL")
HOUR_MS = 3_600_000

FORMS = {"duration": "duration", "percent": "percent", "number": "number", "bytes": "bytes", "rate": "rate"}


@dataclass(frozen=True, slots=True)
class EffectShown:
    """A quantity as the table has it; `before`, `after` with their bands, `change` with its sign."""

    effect: Effect
    before: str
    before_band: str
    after: str
    after_band: str
    change: str


def proof_of(before: Analysis, after: Analysis) -> Proof:
    """The comparison of two finished analyses."""
    sides = _data(before), _data(after)
    found = prove(*sides, runbook_of)
    if found.same is None:
        return found
    graphs = [side.charts.get("flame-graph", {}) for side in sides]
    frames = frame_effects(graphs[0], graphs[1], (found.same.before, found.same.after))
    lists = {"frames": frames, "patterns": _patterns(before, after)}
    return replace(found, effects={**found.effects, **{name: told for name, told in lists.items() if told}})


def _patterns(before: Analysis, after: Analysis) -> list[Effect]:
    """The log patterns of both, where the records of both are kept."""
    books = log_book_of(before), log_book_of(after)
    if books[0] is None or books[1] is None:
        return []
    (first, hours), (second, later_hours) = _counted(books[0]), _counted(books[1])
    return pattern_effects(first, hours, second, later_hours)


def _counted(book: LogBook) -> tuple[dict[tuple[str, str], int], float]:
    """(level, text) -> records of the most frequent warnings and errors; and the hours that the log covers."""
    told = breakdown(book, View(book.records), "pattern", book.span)["values"]
    hours = (book.span[1] - book.span[0]) / HOUR_MS if book.span else 0.0
    return {(each["level"], each["text"]): each["records"] for each in told if each["level"] in WORRYING}, hours


def _data(analysis: Analysis) -> SnapshotData:
    charts = ChartPoints.objects.filter(analysis=analysis, chart_id__in=CHARTS).values_list("chart_id", "points")
    return SnapshotData(analysis.document, analysis.signals, dict(charts))


def effects_shown(proof: Proof) -> list[tuple[str, list[EffectShown]]]:
    """Title of a group -> its rows, in the order of the titles."""
    titled = {
        GROUP_TITLES.get(group, group.replace("_", " ").capitalize()): told for group, told in proof.effects.items()
    }
    return [(title, [_shown(each) for each in titled[title]]) for title in sorted(titled)]


def _shown(effect: Effect) -> EffectShown:
    unit = effect.quantity.unit
    return EffectShown(
        effect,
        _value(effect.before, unit),
        _band(effect.before, unit),
        _value(effect.after, unit),
        _band(effect.after, unit),
        _change(effect),
    )


def _value(reading: Reading | None, unit: Unit) -> str:
    return phrase.FORMATS[FORMS[unit]](reading.value) if reading else "not measured"


def _band(reading: Reading | None, unit: Unit) -> str:
    if reading is None:
        return ""
    form = phrase.FORMATS[FORMS[unit]]
    return f"{form(reading.low)} to {form(reading.high)}"


def _change(effect: Effect) -> str:
    if effect.change is None:
        return ""
    sign = "+" if effect.change > 0 else "\N{MINUS SIGN}" if effect.change < 0 else ""
    size = abs(effect.change)
    if effect.quantity.unit == "percent":
        return f"{sign}{phrase.number(round(size * 100, 1))} points"
    return f"{sign}{phrase.FORMATS[FORMS[effect.quantity.unit]](size)}"


def markdown(proof: Proof, before: str, after: str) -> str:
    """The comparison as Markdown for a chat or a ticket."""
    return "\n".join(_markdown_lines(proof, before, after)) + "\n"


def _markdown_lines(proof: Proof, before: str, after: str) -> Iterator[str]:
    yield f"## Was it fixed? {proof.judgement.capitalize()}"
    yield ""
    yield proof.headline
    yield from (f"- Doubt: {each}" for each in proof.doubts)
    yield ""
    yield "| Problem | Judgement | Why |"
    yield "|---|---|---|"
    yield from (f"| {_cell(each.title)} | {each.judgement} | {_cell(each.because)} |" for each in proof.problems)
    for title, rows in effects_shown(proof):
        yield ""
        yield f"| {title} | {_cell(before)} | {_cell(after)} | Effect | Judgement |"
        yield "|---|---|---|---|---|"
        for row in rows:
            cells = (row.effect.quantity.title, f"{row.before} ({row.before_band})", f"{row.after} ({row.after_band})")
            yield f"| {' | '.join(map(_cell, cells))} | {row.change} | {row.effect.judgement} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace(" ()", "")
