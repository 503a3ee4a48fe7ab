"""Whether the file that an undecided diagnosis asks for decides it, on cases that have that file.

Each kind of evidence of a case is diagnosed alone, as somebody has it who uploads one file; where no verdict follows,
each other kind of the case is added to it. The file that is asked for decides when the verdict with it is right, as
that of `make ablation`. What no single further kind decides does not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.diagnosis.missing import needs
from diagnostics.intake import SourceFile
from diagnostics.language import in_reader_language
from workbench.analyses.ablation import JOBMANAGER_LOG, TASKMANAGER_LOG, kind_of
from workbench.analyses.scoring import Truth, outcome_of, truths_below

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

THREAD_DUMPS, FLAME_GRAPHS = "thread dumps", "flame graphs"
DUMP_FORMATS = ("thread-dump", "thread-dump-json", "flink-rest-thread-dump")
FILES_OF: Mapping[str, tuple[str, ...]] = {
    "jobmanager-log": (JOBMANAGER_LOG,),
    "taskmanager-log": (TASKMANAGER_LOG,),
    "checkpoint-history": ("REST",),
    "checkpoint-details": ("REST",),
    "job-rest": ("REST",),
    "task-managers": ("REST",),
    "back-pressure": ("REST",),
    "vertex-metrics": ("REST", "metrics"),
    "metric-scrapes": ("metrics",),
    "gc-log": ("GC logs",),
    "thread-dumps": (THREAD_DUMPS,),
    "flame-graph": (FLAME_GRAPHS,),
    "configuration": ("configuration",),
    "event-sample": ("events",),
    "tcp-counters": ("hosts",),
    "host-statistics": ("hosts",),
    "database-log": ("outside systems",),
}
"""Id in evidence_kinds.yaml -> the kinds of files of a case that are it; of others no case has a file."""
RIGHT, DECIDES, OTHER, ABSENT = "right at once", "decides", "another would", "not in the case"
COLUMNS = (RIGHT, DECIDES, OTHER, ABSENT)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one kind of evidence alone leads to.

    result    one of COLUMNS; None where no single further kind decides
    asks_for  id of the kind of evidence that is asked for
    deciding  the kinds of files that decide
    """

    result: str | None
    asks_for: str | None = None
    deciding: tuple[str, ...] = ()


def report(spark: SparkSession, folders: Sequence[Path]) -> None:
    """Prints each request that does not decide, a row for each kind of evidence, and the share of those that decide.

    folders  those whose cases have a truth.json
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    best: dict[str, Counter[str]] = defaultdict(Counter)
    for truth in (each for folder in folders for each in truths_below(folder)):
        for kind, asked in asked_of(truth, spark):
            if asked.result in (OTHER, ABSENT):
                print(f"{truth.name}, {kind}: asks for {asked.asks_for}, not {', '.join(asked.deciding)}", flush=True)
            counts[kind][asked.result or "none"] += 1
            best[kind].update(asked.deciding)
    print("".join([f"{'alone':22}", *(f"{name:>16}" for name in COLUMNS), "  most often decides"]))
    for kind, found in sorted(counts.items()):
        most = ", ".join(f"{name} {count}" for name, count in best[kind].most_common(2))
        print("".join([f"{kind:22}", *(f"{found[name]:>16}" for name in COLUMNS), f"  {most}"]))
    every = sum(counts.values(), Counter[str]())
    print(f"asked file decides: {every[DECIDES]} of {every[DECIDES] + every[OTHER] + every[ABSENT]}")


def asked_of(truth: Truth, spark: SparkSession) -> Iterator[tuple[str, Asked]]:
    """Each kind of evidence of a case, with what it leads to alone."""
    whole = outcome_of(truth, truth.sources(), spark).document
    files: dict[str, list[SourceFile]] = defaultdict(list)
    kinds = {each["file"]: _kind(each) for each in whole["inputs"]} if whole else {}
    for source in truth.sources():
        if kind := kinds.get(source.name):
            files[kind].append(source)
    for kind, alone in sorted(files.items()):
        outcome = outcome_of(truth, alone, spark)
        if outcome.document is None or outcome.wrong:
            continue
        if outcome.right:
            yield kind, Asked(RIGHT)
            continue
        added = {other: outcome_of(truth, [*alone, *more], spark) for other, more in files.items() if other != kind}
        deciding = tuple(sorted(other for other, each in added.items() if each.right))
        need = asked_kind(outcome.document)
        there = {*FILES_OF.get(need or "", ())} & added.keys()
        result = (DECIDES if there & {*deciding} else OTHER if there else ABSENT) if deciding else None
        yield kind, Asked(result, need, deciding)


def asked_kind(document: Mapping[str, Any]) -> str | None:
    """The id of the kind of evidence that a document asks for first; None where it asks for none."""
    first = document["split"] or next(iter(document["missing_evidence"]), None)
    return next(
        (name for name, need in needs().items() if first and in_reader_language(need.what) == first["what"]), None
    )


def _kind(entry: Mapping[str, Any]) -> str | None:
    kind = kind_of(entry)
    if kind != "profiles":
        return kind
    return THREAD_DUMPS if entry["format"] in DUMP_FORMATS else FLAME_GRAPHS
