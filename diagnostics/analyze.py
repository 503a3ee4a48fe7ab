"""The whole pipeline as one function: intake, reading, measuring, judging, drawing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.charts import CHARTS
from diagnostics.diagnosis.judge import judge, stored_signals
from diagnostics.errors import NoUsableInput
from diagnostics.evidence import Evidence
from diagnostics.intake import unpack
from diagnostics.language import say
from diagnostics.measuring import ClusterEvidence, attempted, measure_signals
from diagnostics.profiles.collect import collected_profiles
from diagnostics.program_version import program_version
from diagnostics.rare_collection import rare_collection
from diagnostics.reading.case import Case
from diagnostics.reading.one_cluster import OneCluster
from diagnostics.reading.spark_job import read_evidence
from diagnostics.reconstruction.job.cluster_files import files_of_clusters
from diagnostics.reconstruction.job.log_clocks import log_clocks
from diagnostics.rules.rule import Ruleset
from diagnostics.signals import DEFINITIONS
from diagnostics.storage.shared_folder import SharedFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    intake = unpack(case.sources, workspace, case.limits, case.layouts, case.choices.names)
    clock.lap("unpack_ms")
    progress(Progress("Reading", 0.1, say("files of the case: {count}", count=len(intake.inputs))))
    evidence, inputs = read_evidence(
        intake,
        spark,
        workspace,
        lambda share, detail: progress(Progress("Reading", 0.1 + 0.4 * share, detail)),
        choices=case.choices,
        shared=shared,
        beginning=case.beginning,
    )
    if not any(each.get("format") and each.get("records") for each in inputs):
        raise NoUsableInput("\n".join(_refusal(each) for each in inputs) or say("there is no file"))
    clock.lap("read_ms")
    warnings: list[str] = []
    begins = case.beginning if evidence.begins_ms is not None else None
    read_files = partial(read_evidence, intake, spark, workspace, _unreported, case.choices, shared, begins)
    signals, not_measured = measure_signals(
        _clusters(evidence, read_files),
        lambda share, detail: progress(Progress("Measuring", 0.5 + 0.3 * share, detail)),
        warnings,
    )
    compared = say("the clocks of the logs could not be compared")
    offsets = attempted(lambda: _offsets(inputs, evidence), compared, warnings) or {}
    clock.lap("measure_ms")
    charts = _drawn(evidence, progress, warnings)
    profiles = attempted(lambda: _profiles(evidence), say("the profiles could not be kept"), warnings)
    clock.lap("draw_ms")
    progress(Progress("Judging", 0.99))
    inputs = [{**entry, **offsets.get(file_id, {})} for file_id, entry in enumerate(inputs)]
    levels = {key: definition.level for key, definition in DEFINITIONS.items()}
    stored = stored_signals(signals, not_measured, levels)
    document = judge(stored, inputs, ruleset, clock.timing()) | {"program": program_version()}
    progress(Progress("Done", 1.0))
    return Report(document, stored, charts, inputs, warnings, clock.laps, profiles)


def _clusters(evidence: Evidence, read_files: Callable[..., tuple[Evidence, Any]]) -> Sequence[ClusterEvidence]:
    """The evidence of each cluster, read from its files and rows alone where a case has those of several."""
    several = files_of_clusters(evidence)
    every = frozenset[str]().union(*(each.jobs for each in several))
    return [
        ClusterEvidence(read_files(only=OneCluster(each.files, each.others))[0], each.jobs, every - each.jobs)
        for each in several
    ] or [ClusterEvidence(evidence)]


def _unreported(_share: float, _detail: str) -> None:
    """Reading files once more is part of the step that is shown already."""


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


def _offsets(inputs: Sequence[Mapping[str, Any]], evidence: Evidence) -> dict[int, dict[str, Any]]:
    """File id of a TaskManager's log -> facts about its clock's offset from the JobManager's."""
    found = log_clocks(evidence, {file_id: entry.get("role") for file_id, entry in enumerate(inputs)})
    return {file_id: {"offset": each.as_json(inputs[each.against]["file"])} for file_id, each in found.items()}


def _drawn(evidence: Evidence, progress: Callable[[Progress], None], warnings: list[str]) -> dict[str, Any]:
    """The points of every chart for which there is evidence."""
    drawn: dict[str, Any] = {}
    for done, chart in enumerate(CHARTS.values(), 1):
        points = attempted(
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
