"""Known bugs that throw nothing, by where threads stand, what readings stay at, and what is set together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from diagnostics.aggregators import code_calls
from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.reconstruction.stacks.sampled_stacks import MOST_THREADS, sampled_stacks
from diagnostics.vocabulary.bug_sign import BugSign, values_fit
from diagnostics.vocabulary.known_bug import known_bugs
from diagnostics.vocabulary.settings import setting_catalogue
from diagnostics.wording.cited_text import STATE_OF_THREAD, cited_text

MOST_CITED = 4
CALL = "call-of-a-sign"
"""Kind of a call that a sign names, in `code_call`."""

Shown = tuple[int | None, str | None, tuple[Citation, ...]]
"""Time, task and citations of a part of a sign."""


@dataclass(frozen=True, slots=True)
class ShownSign:
    """A bug whose sign the evidence has, with its place."""

    bug: str
    kind: str
    ts_ms: int | None
    vertex: str | None
    citation: Citation
    is_telling: bool


@read_once
def shown_signs(evidence: Evidence) -> Sequence[ShownSign]:
    """Every sign that the evidence has, whatever release runs, with one row for each of its citations.

    Reads   stack_sample (thread dumps), metric_sample, config_option, code_call.
    """
    return tuple(
        ShownSign(bug, sign.kind, ts_ms, vertex, citation, sign.is_telling)
        for bug, sign in _signs()
        for ts_ms, vertex, citations in _shown(sign, evidence)
        for citation in citations[:MOST_CITED]
    )


@cache
def _signs() -> tuple[tuple[str, BugSign], ...]:
    return tuple((bug.id, sign) for bug in known_bugs().values() for sign in bug.signs)


def _shown(sign: BugSign, evidence: Evidence) -> Sequence[Shown]:
    """Where each part of a sign is; empty as soon as a part is missing."""
    shown: list[Shown] = []
    parts = (
        (sign.settings, _shown_settings),
        (sign.calls, _shown_calls),
        (sign.metrics, _shown_readings),
        (sign.named, _counted_threads),
        (sign.threads, _shown_threads),
    )
    for wanted, look in parts:
        if wanted:
            places = look(sign, evidence)
            if places is None:
                return ()
            shown.append(places)
    return shown[::-1]


def _shown_settings(sign: BugSign, evidence: Evidence) -> Shown | None:
    stated: dict[str, tuple[str, Citation]] = {}
    for option in stated_options(evidence):
        known = setting_catalogue().find(option.key)
        if option.value is not None:
            stated.setdefault(known.key if known else option.key, (option.value.strip(), option.citation))
    values = {name: value for name, (value, _) in stated.items()}
    if not values_fit(dict(sign.settings), values):
        return None
    return None if not sign.settings else (None, None, tuple(stated[name][1] for name, _ in sign.settings))


def _shown_calls(sign: BugSign, evidence: Evidence) -> Shown | None:
    rows = {row["name"]: row for row in evidence.answer(code_calls.AGGREGATOR).to_pylist() if row["kind"] == CALL}
    if any(each not in rows for each in sign.calls):
        return None
    cited = (Citation.cite_row({**rows[each], "ts_ms": None}, "config", f"{each}(…)") for each in sign.calls)
    return None, None, tuple(cited)


def _shown_readings(sign: BugSign, evidence: Evidence) -> Shown | None:
    series = metric_series(evidence)
    shown: list[Series] = []
    for bound in sign.metrics:
        known = [
            each
            for each in series.of(bound.metric)
            if each.known and normalised(each.operator or each.vertex or "").startswith(normalised(bound.operator))
        ]
        fitting = [each for each in known if bound.holds(each.known[-1].value or 0.0)]
        if not fitting or (bound.every and len(fitting) < len(known)):
            return None
        shown.append(fitting[0])
    first = shown[0].known[-1]
    return first.ts_ms, shown[0].vertex, tuple(each.cite(each.known[-1]) for each in shown)


def _shown_threads(sign: BugSign, evidence: Evidence) -> Shown | None:
    for dump in _dumps(evidence).values():
        places = sign.fitting_threads([frames for frames, _, _ in dump])
        if places is not None:
            _, vertex, first = dump[places[0]]
            return first.ts_ms, vertex, tuple(dump[place][2] for place in places)
    return None


def _counted_threads(sign: BugSign, evidence: Evidence) -> Shown | None:
    cited: list[Citation] = []
    for beginning, least in sign.named:
        counted: dict[tuple[int, int], list[Citation]] = defaultdict(list)
        for name, dump, citation in _named_threads(evidence):
            if name.startswith(beginning):
                counted[dump].append(citation)
        most = max(counted.values(), key=len, default=[])
        if len(most) < least:
            return None
        cited += most[:1]
    return None, None, tuple(cited)


@read_once
def _named_threads(evidence: Evidence) -> Sequence[tuple[str, tuple[int, int], Citation]]:
    """The threads whose names a sign counts, with their dump and place."""
    beginnings = tuple(beginning for _, sign in _signs() for beginning, _ in sign.named)
    stacks = sampled_stacks(evidence)
    if stacks is None:
        return ()
    names = set(stacks.threads.column_names)
    columns = [each for each in ("file_id", "ts_ms", "thread", "state", *CITATION_COLUMNS) if each in names]
    rows = stacks.threads.select(dict.fromkeys(columns))[:MOST_THREADS].to_pylist()
    return tuple(
        (row["thread"], (row["file_id"], row["ts_ms"] or 0), Citation.cite_row(row, "thread", row["thread"]))
        for row in rows
        if (row["thread"] or "").startswith(beginnings)
    )


@read_once
def _dumps(evidence: Evidence) -> Mapping[tuple[int, int], Sequence[tuple[frozenset[str], str | None, Citation]]]:
    """(file, time) -> the threads of a dump that have a frame of a sign: frames, task and place."""
    stacks = sampled_stacks(evidence)
    dumps: dict[tuple[int, int], list[tuple[frozenset[str], str | None, Citation]]] = defaultdict(list)
    if stacks is None:
        return dumps
    names = set(stacks.threads.column_names)
    columns = [each for each in (*COLUMNS, *CITATION_COLUMNS) if each in names]
    for row in stacks.rows(stacks.threads.select(dict.fromkeys(columns))[:MOST_THREADS]):
        frames = frozenset(row["frames"])
        if told := next(_frames_of_signs(row["frames"]), None):
            said = cited_text(STATE_OF_THREAD, thread=row["thread"] or "", state=row["state"] or "unknown", frame=told)
            dumps[row["file_id"], row["ts_ms"] or 0].append(
                (frames, row["vertex"], Citation.cite_row(row, "thread", said))
            )
    return dumps


COLUMNS = ("file_id", "ts_ms", "thread", "state", "frames", "vertex")


def _frames_of_signs(frames: Sequence[str]) -> Iterator[str]:
    """The frames of a stack that a sign names, the innermost first."""
    return (each for each in reversed(frames) if each in _known_frames())


@cache
def _known_frames() -> frozenset[str]:
    return frozenset(frame for _, sign in _signs() for frames in sign.threads for frame in frames)
