"""The whole pipeline as one function, read top to bottom: intake, reading, measuring, judging, drawing."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from diagnostics.chart import Chart, Points
from diagnostics.charts import CHARTS
from diagnostics.clock import FileClock
from diagnostics.errors import NoUsableInput
from diagnostics.evidence import Evidence
from diagnostics.intake import Limits, LogLayout, SourceFile, unpack
from diagnostics.intake.limits import USUAL
from diagnostics.judge import judge, stored_signals
from diagnostics.notation.event_field import NamedFields
from diagnostics.profiles.collect import collected_profiles
from diagnostics.reading import read_evidence
from diagnostics.reconstruction.log_clocks import log_clocks
from diagnostics.rule import Ruleset
from diagnostics.shared_folder import SharedFolder
from diagnostics.signal import Measured, NotMeasured, Signal
from diagnostics.signals import DEFINITIONS
from diagnostics.spark import ends_analysis

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

PARALLEL_QUERIES = 4
"""Spark jobs under way at once. Most of a small job is planning, so two for each core of the smallest machine."""


MOST_SUBJECTS = 1_000
"""Signals kept of one key, those with most evidence. Our choice: a large session cluster has some hundred jobs; a file
that names a hundred thousand is made up or broken, and each would cost 2 ms to judge and a page of its own."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an analysis is: a stage's name, the share of the whole (0..1), and what it is at."""

    stage: str
    fraction: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What an analysis gives, all of it JSON values.

    document  the contract's document
    signals   what was measured (with its `level`) and what could not be; `judge` makes a new document from them
    charts    points by chart id
    inputs    the contract's `inputs[]`
    warnings  what failed on our side: one signal or chart that raised, named; the rest stands
    profiles  the sampled stacks, as `StoredProfiles.to_bytes` gives them; None without any
    """

    document: dict[str, Any]
    signals: list[dict[str, Any]]
    charts: dict[str, Any]
    inputs: list[dict[str, Any]]
    warnings: list[str]
    stage_ms: dict[str, int]
    profiles: bytes | None = None


def ignore(_progress: Progress) -> None:
    """For callers that do not show progress."""


def analyze(
    sources: Sequence[SourceFile],
    *,
    ruleset: Ruleset,
    spark: SparkSession,
    workspace: Path,
    overrides: Mapping[str, str] | None = None,
    clocks: Mapping[str, FileClock] | None = None,
    event_fields: Mapping[str, NamedFields] | None = None,
    limits: Limits = USUAL,
    layouts: Sequence[LogLayout] = (),
    shared: SharedFolder | None = None,
    progress: Callable[[Progress], None] = ignore,
) -> Report:
    """Diagnose the files.

    overrides  file name inside the upload -> format id that a user chose
    clocks     file name inside the upload -> how a user moved its times
    event_fields  file name inside the upload -> which fields of its events a user said are what
    layouts    further ones that logs may be in
    shared     the run's folder at the storage that Spark's workers see; None where they see the workspace
    Raises NoUsableInput when no file could be used, AnalysisInterrupted when its Spark work was cancelled from
    outside, SparkUnavailable when Spark went away.
    """
    clock = _StageClock()
    progress(Progress("Unpacking", 0.02, f"{len(sources)} files"))
    intake = unpack(sources, workspace, limits, layouts)
    clock.lap("unpack_ms")
    progress(Progress("Reading", 0.1, f"{len(intake.inputs)} files"))
    evidence, inputs = read_evidence(
        intake,
        spark,
        workspace,
        lambda share, detail: progress(Progress("Reading", 0.1 + 0.4 * share, detail)),
        overrides or {},
        clocks or {},
        event_fields or {},
        shared,
    )
    if not any(each.get("format") and each.get("records") for each in inputs):
        raise NoUsableInput("\n".join(_refusal(each) for each in inputs) or "there is no file")
    clock.lap("read_ms")
    warnings: list[str] = []
    with _queries() as pool:
        # All at once: what is drawn fills the cores while the last of what is measured runs.
        measuring = _measuring(pool, evidence)
        comparing, keeping = pool.submit(_offsets, inputs, evidence), pool.submit(_profiles, evidence)
        drawing = _drawing(pool, evidence)
        signals, not_measured = _measured(measuring, progress, warnings)
        offsets = _outcome(comparing, "the clocks of the logs could not be compared", warnings) or {}
        clock.lap("measure_ms")
        charts = _drawn(drawing, progress, warnings)
        profiles = _outcome(keeping, "the profiles could not be kept", warnings)
        clock.lap("draw_ms")
    progress(Progress("Judging", 0.99))
    inputs = [{**entry, **offsets.get(file_id, {})} for file_id, entry in enumerate(inputs)]
    levels = {key: definition.level for key, definition in DEFINITIONS.items()}
    stored = stored_signals(signals, not_measured, levels)
    document = judge(stored, inputs, ruleset, clock.timing())
    progress(Progress("Done", 1.0))
    return Report(document, stored, charts, inputs, warnings, clock.laps, profiles)


class _StageClock:
    """How long each stage took. Timing is the one part of a document that may differ between runs."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self.laps: dict[str, int] = {}

    def lap(self, stage: str) -> None:
        now = time.monotonic()
        self.laps[stage] = round((now - self._last) * 1000)
        self._last = now

    def timing(self) -> dict[str, int]:
        spark_ms = sum(self.laps.get(stage, 0) for stage in ("read_ms", "measure_ms", "draw_ms"))
        return {"queued_ms": 0, "spark_ms": spark_ms, "total_ms": round((time.monotonic() - self._start) * 1000)}


def _refusal(entry: Mapping[str, Any]) -> str:
    """One line, though a reason may quote what has several."""
    reason = "; ".join(entry.get("warnings") or ()) or "not recognised as evidence of a Flink job"
    return " ".join(f"{entry['file']}: {reason}".split())


@contextmanager
def _queries() -> Iterator[ThreadPoolExecutor]:
    """Several threads that ask Spark; once the analysis has ended with an error, what waits is not begun."""
    pool = ThreadPoolExecutor(PARALLEL_QUERIES, thread_name_prefix="query")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _outcome(asked: Future[T], failed: str, warnings: list[str]) -> T | None:
    """What came of it; None where it raised, which is told in a warning and the rest stands."""
    try:
        return asked.result()
    except Exception as error:
        if ends_analysis(error):
            raise
        warnings.append(f"{failed}: {error}"[:500])
        return None


def _measuring(pool: ThreadPoolExecutor, evidence: Evidence) -> list[tuple[str, Future[list[Signal | NotMeasured]]]]:
    """Every measurement by its name, under way."""
    measures = dict.fromkeys(definition.measure for definition in DEFINITIONS.values())

    def whole(measure: Callable[[Evidence], Measured]) -> list[Signal | NotMeasured]:
        # It may be a generator, whose errors are to come from here.
        return list(measure(evidence))

    return [(measure.__module__.rpartition(".")[2], pool.submit(whole, measure)) for measure in measures]


def _measured(
    running: Sequence[tuple[str, Future[list[Signal | NotMeasured]]]],
    progress: Callable[[Progress], None],
    warnings: list[str],
) -> tuple[list[Signal], list[NotMeasured]]:
    """The signals, and what could not be measured."""
    signals: list[Signal] = []
    not_measured: list[NotMeasured] = []
    for done, (name, asked) in enumerate(running, 1):
        found = _outcome(asked, f"{name} could not be measured", warnings) or []
        signals += [each for each in found if isinstance(each, Signal)]
        not_measured += [each for each in found if isinstance(each, NotMeasured)]
        progress(Progress("Measuring", 0.5 + 0.3 * done / len(running), name))
    signals = list(_bounded(signals, warnings))
    signals.sort(key=lambda each: (each.key, repr(each.subject)))
    not_measured.sort(key=lambda each: (each.key, each.needs))
    return signals, not_measured


def _offsets(inputs: Sequence[Mapping[str, Any]], evidence: Evidence) -> dict[int, dict[str, Any]]:
    """File id of a TaskManager's log -> what its input tells of how far its clock is ahead of the JobManager's."""
    found = log_clocks(evidence, {file_id: entry.get("role") for file_id, entry in enumerate(inputs)})
    return {file_id: {"offset": each.as_json(inputs[each.against]["file"])} for file_id, each in found.items()}


def _bounded(signals: Iterable[Signal], warnings: list[str]) -> Iterator[Signal]:
    """At most MOST_SUBJECTS signals of each key; what is left out is said."""
    by_key: dict[str, list[Signal]] = defaultdict(list)
    for each in signals:
        by_key[each.key].append(each)
    for key, found in by_key.items():
        if len(found) > MOST_SUBJECTS:
            warnings.append(f"{key}: of {len(found):,} subjects the {MOST_SUBJECTS:,} with most evidence count")
            found.sort(key=lambda each: (-each.citation_count, repr(each.subject)))
        yield from found[:MOST_SUBJECTS]


def _drawing(pool: ThreadPoolExecutor, evidence: Evidence) -> list[tuple[Chart, Future[Points | None]]]:
    """Every chart, under way."""
    return [(chart, pool.submit(chart.points, evidence)) for chart in CHARTS.values()]


def _drawn(
    running: Sequence[tuple[Chart, Future[Points | None]]],
    progress: Callable[[Progress], None],
    warnings: list[str],
) -> dict[str, Any]:
    """The points of every chart that the evidence has something for."""
    drawn: dict[str, Any] = {}
    for done, (chart, asked) in enumerate(running, 1):
        points = _outcome(asked, f"chart {chart.title!r} could not be drawn", warnings)
        if points is not None:
            drawn[chart.id] = dict(points)
        progress(Progress("Drawing", 0.8 + 0.19 * done / len(running), chart.title))
    return drawn


def _profiles(evidence: Evidence) -> bytes | None:
    """The stacks for the flame graph page."""
    profiles = collected_profiles(evidence)
    return profiles.to_bytes() if profiles else None
