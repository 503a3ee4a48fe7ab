"""The whole pipeline as one function: intake, reading, measuring, judging, drawing."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from diagnostics.charts import CHARTS
from diagnostics.diagnosis.judge import judge, stored_signals
from diagnostics.errors import NoUsableInput
from diagnostics.evidence import Evidence
from diagnostics.intake import unpack
from diagnostics.language import say
from diagnostics.profiles.collect import collected_profiles
from diagnostics.program_version import program_version
from diagnostics.rare_collection import rare_collection
from diagnostics.reading.case import Case
from diagnostics.reading.spark_job import read_evidence
from diagnostics.reconstruction.job.log_clocks import log_clocks
from diagnostics.rules.rule import Ruleset
from diagnostics.signals import DEFINITIONS
from diagnostics.signals.signal import Measured, NotMeasured, Signal
from diagnostics.spark import ends_analysis
from diagnostics.storage.shared_folder import SharedFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

MOST_SUBJECTS = 1_000
"""Signals kept per key, those with most evidence. Our choice: a large session cluster has some hundred jobs; a file
that names a hundred thousand is forged or broken, and each would cost 2 ms to judge and a page of its own.
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an analysis: a stage's name, the completed share (0..1), and details."""

    stage: str
    fraction: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an analysis as JSON values.

    document  the contract's document
    signals   measured signals (with their `level`) and unmeasured ones; `judge` derives a new document from them
    charts    points by chart id
    inputs    the contract's `inputs[]`
    warnings  internal errors: each signal or chart that raised, by name; the other results are complete
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


@rare_collection()
def analyze(
    case: Case,
    *,
    ruleset: Ruleset,
    spark: SparkSession,
    workspace: Path,
    shared: SharedFolder | None = None,
    progress: Callable[[Progress], None] = ignore,
) -> Report:
    """Diagnose a case.

    workspace  an empty folder for unpacked files, which the caller removes
    shared     the run's folder at the storage that Spark's workers see; None where they see the workspace
    Raises NoUsableInput when no file could be used or nothing is later than the case's beginning, AnalysisInterrupted
    when its Spark work was cancelled from outside, SparkUnavailable when Spark went away.
    """
    clock = _StageClock()
    progress(Progress("Unpacking", 0.02, say("files of the upload: {count}", count=len(case.sources))))
    intake = unpack(case.sources, workspace, case.limits, case.layouts)
    clock.lap("unpack_ms")
    progress(Progress("Reading", 0.1, say("files of the case: {count}", count=len(intake.inputs))))
    evidence, inputs = read_evidence(
        intake,
        spark,
        workspace,
        lambda share, detail: progress(Progress("Reading", 0.1 + 0.4 * share, detail)),
        case.choices,
        shared,
        case.beginning,
    )
    if not any(each.get("format") and each.get("records") for each in inputs):
        raise NoUsableInput("\n".join(_refusal(each) for each in inputs) or say("there is no file"))
    clock.lap("read_ms")
    warnings: list[str] = []
    signals, not_measured = _measured(evidence, progress, warnings)
    compared = say("the clocks of the logs could not be compared")
    offsets = _attempted(lambda: _offsets(inputs, evidence), compared, warnings) or {}
    clock.lap("measure_ms")
    charts = _drawn(evidence, progress, warnings)
    profiles = _attempted(lambda: _profiles(evidence), say("the profiles could not be kept"), warnings)
    clock.lap("draw_ms")
    progress(Progress("Judging", 0.99))
    inputs = [{**entry, **offsets.get(file_id, {})} for file_id, entry in enumerate(inputs)]
    levels = {key: definition.level for key, definition in DEFINITIONS.items()}
    stored = stored_signals(signals, not_measured, levels)
    document = judge(stored, inputs, ruleset, clock.timing()) | {"program": program_version()}
    progress(Progress("Done", 1.0))
    return Report(document, stored, charts, inputs, warnings, clock.laps, profiles)


class _StageClock:
    """Duration of each stage. Timing is the only part of a document that may differ between runs."""

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
    """The refusal of a file on one line; its reason may contain several."""
    reason = "; ".join(entry.get("warnings") or ()) or say("not recognised as evidence of a Flink job")
    return " ".join(f"{entry['file']}: {reason}".split())


def _attempted(work: Callable[[], T], failed: str, warnings: list[str]) -> T | None:
    """The result of the work; None when it raises, which becomes a warning."""
    try:
        return work()
    except Exception as error:
        if ends_analysis(error):
            raise
        warnings.append(f"{failed}: {error}"[:500])
        return None


def _measured(
    evidence: Evidence, progress: Callable[[Progress], None], warnings: list[str]
) -> tuple[list[Signal], list[NotMeasured]]:
    """The signals, and the measurements that the evidence does not allow."""
    signals: list[Signal] = []
    not_measured: list[NotMeasured] = []
    measures = dict.fromkeys(definition.measure for definition in DEFINITIONS.values())
    for done, measure in enumerate(measures, 1):
        name = measure.__module__.rpartition(".")[2]
        measured = (
            _attempted(partial(_whole, measure, evidence), say("{name} could not be measured", name=name), warnings)
            or []
        )
        signals += [each for each in measured if isinstance(each, Signal)]
        not_measured += [each for each in measured if isinstance(each, NotMeasured)]
        progress(
            Progress(
                "Measuring",
                0.5 + 0.3 * done / len(measures),
                say("{done} of {total} measurements", done=done, total=len(measures)),
            )
        )
    signals = list(_bounded(signals, warnings))
    signals.sort(key=lambda each: (each.key, repr(each.subject)))
    not_measured.sort(key=lambda each: (each.key, each.needs))
    return signals, not_measured


def _whole(measure: Callable[[Evidence], Measured], evidence: Evidence) -> list[Signal | NotMeasured]:
    """All results of a measurement; a generator raises only while it is consumed."""
    return list(measure(evidence))


def _offsets(inputs: Sequence[Mapping[str, Any]], evidence: Evidence) -> dict[int, dict[str, Any]]:
    """File id of a TaskManager's log -> facts about its clock's offset from the JobManager's."""
    found = log_clocks(evidence, {file_id: entry.get("role") for file_id, entry in enumerate(inputs)})
    return {file_id: {"offset": each.as_json(inputs[each.against]["file"])} for file_id, each in found.items()}


def _bounded(signals: Iterable[Signal], warnings: list[str]) -> Iterator[Signal]:
    """At most MOST_SUBJECTS signals per key; a warning reports those left out."""
    by_key: dict[str, list[Signal]] = defaultdict(list)
    for each in signals:
        by_key[each.key].append(each)
    for key, measured in by_key.items():
        if len(measured) > MOST_SUBJECTS:
            warnings.append(
                say(
                    "{key}: of {count:,} subjects the {bound:,} with most evidence count",
                    key=key,
                    count=len(measured),
                    bound=MOST_SUBJECTS,
                )
            )
            measured.sort(key=lambda each: (-each.citation_count, repr(each.subject)))
        yield from measured[:MOST_SUBJECTS]


def _drawn(evidence: Evidence, progress: Callable[[Progress], None], warnings: list[str]) -> dict[str, Any]:
    """The points of every chart for which there is evidence."""
    drawn: dict[str, Any] = {}
    for done, chart in enumerate(CHARTS.values(), 1):
        points = _attempted(
            partial(chart.points, evidence), say("the chart {title!r} could not be drawn", title=chart.title), warnings
        )
        if points is not None:
            drawn[chart.id] = dict(points)
        progress(
            Progress(
                "Drawing",
                0.8 + 0.19 * done / len(CHARTS),
                say("{done} of {total} charts of the case", done=done, total=len(CHARTS)),
            )
        )
    return drawn


def _profiles(evidence: Evidence) -> bytes | None:
    """The stacks for the flame graph page."""
    profiles = collected_profiles(evidence)
    return profiles.to_bytes() if profiles else None
