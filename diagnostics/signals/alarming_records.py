"""The most severe log records, for cases that no measurement explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from diagnostics.aggregators import alarming_records, harmless_errors
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.product_frame import product_frames
from diagnostics.reconstruction.bugs.connector_release import ConnectorRelease, newest_release
from diagnostics.reconstruction.errors.alarming_log import alarming_rows
from diagnostics.reconstruction.errors.blamed_fault import lasting
from diagnostics.reconstruction.failures.fault import Falls, find_falls, job_that_fell
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.chinese_message import in_english
from diagnostics.vocabulary.class_owners import class_named, is_conflict, owner_of
from diagnostics.vocabulary.harmless_errors import OTHERS
from diagnostics.vocabulary.harmless_errors import harmless_errors as harmless_catalogue
from diagnostics.vocabulary.message_remedies import remedy_of

SHOWN = 4
REPAIRED = ("fatal", "error", "outside")
"""Ranks whose message may have a known repair; a warning of Flink, which is mostly tried again, only where it lasts."""
WARNED = "warning"
"""The rank of Flink's own warnings."""
MOST_OF_AN_EXCERPT = 20
"""Records of an excerpt that somebody copied for what it says. Our choice: a screen of them."""
FEW_RECORDS = 10
"""Records of one harmless kind in a whole log that somebody may ask about. Our choice: more are daily noise."""
MOST_HARMLESS = 3
"""Harmless kinds that are named. Our choice: as many as one reads in a sentence."""
LONGEST_QUOTE = 240
"""Characters of a record that a sentence quotes. Our choice: a line or two on the page."""

Row = Mapping[str, Any]


def measure(evidence: Evidence) -> Measured:
    """Fatal errors, errors, and warnings with an exception, that the logs hold.

    Reads   log_record from WARN on, without the errors that are harmless by themselves. What repeats the answer of an
            outside system at level INFO is left to the signals of causes: it is no warning.
    Gives   one signal for each job; a record that names no job counts for all.
    Empty   NotMeasured without logs.
    """
    if not evidence.has("log_record"):
        yield NotMeasured("alarming_records", "jobmanager-log", "no log was given")
        return
    alarming = alarming_rows(evidence)
    falls = find_falls(incident_log(evidence))
    rows = [_with_its_job(each, falls) for each in alarming if not alarming_records.repeats_answer(each)]
    harmless = _harmless(evidence)
    known = sorted(cluster_of(evidence).job_names)
    jobs: Sequence[str | None] = known or [None]
    for job in jobs:
        yield _signal(
            job, [each for each in rows if each["job_id"] not in known or each["job_id"] == job], harmless, evidence
        )


def _with_its_job(row: Row, falls: Falls) -> Row:
    """The record of a failed task, which names no job, with the job that fell right after it."""
    if row["job_id"] or " to FAILED" not in (row["message"] or ""):
        return row
    return {**row, "job_id": job_that_fell(row["ts_ms"], falls)}


def _harmless(evidence: Evidence) -> dict[str, FactValue]:
    """What the logs report that is harmless by itself: what somebody may do something about first, then the rarer.

    Of a whole log only the kinds that few of its records are: what comes every day nobody asks about.
    """
    counted = evidence.answer(harmless_errors.AGGREGATOR).to_pylist()
    is_excerpt = evidence.rows["log_record"] <= MOST_OF_AN_EXCERPT
    known = [(harmless_catalogue()[each["kind"]], each) for each in counted]
    asked = [
        (entry, row["records"])
        for entry, row in known
        if row["kind"] != OTHERS and (is_excerpt or (not entry.is_daily and row["records"] <= FEW_RECORDS))
    ]
    entries = asked or [(entry, row["records"]) for entry, row in known if is_excerpt]
    entries.sort(key=lambda each: (each[0].advice is None, each[1]))
    named = list(dict.fromkeys(entry for entry, _ in entries))[:MOST_HARMLESS]
    return {
        "harmless": [each.what for each in named] or None,
        "harmless_advice": [each.advice for each in named if each.advice] or None,
    }


def _signal(job: str | None, rows: Sequence[Row], harmless: Mapping[str, FactValue], evidence: Evidence) -> Signal:
    of_rank = {rank: [each for each in rows if each["rank"] == rank] for rank in alarming_records.RANKS}
    facts: dict[str, FactValue] = dict(harmless)
    cited: list[Citation] = []
    for rank, records in of_rank.items():
        facts[f"{rank}_count"] = len(records)
        if rank == WARNED and (lasts := [each for each in lasting(records, evidence) if _remedy(each)]):
            records = lasts
            facts[f"{rank}_remedy"] = _remedy(lasts[0])
        worst = _most_telling(records, is_repaired=rank in REPAIRED)
        if worst:
            facts |= {
                f"{rank}_text": _quote(worst),
                f"{rank}_class": worst["root_cause_class"] or worst["exception_class"],
                f"{rank}_logger": (worst["logger"] or "").rpartition(".")[2] or None,
                f"{rank}_ms": worst["ts_ms"],
                f"{rank}_frame": worst["user_frame"] or worst["root_cause_frame"],
            }
            if rank in REPAIRED:
                remedy = _remedy(worst) or (_class_path_remedy(worst) if rank != "outside" else None)
                newest = None if remedy else _newest(worst, evidence)
                facts |= {
                    f"{rank}_remedy": remedy,
                    f"{rank}_release": newest.release if newest else None,
                    f"{rank}_flink": newest.flink if newest else None,
                }
            cited += [_cite(worst), *(_cite(each) for each in records[:SHOWN] if each is not worst)]
    stamps = [each["ts_ms"] for each in rows if each["ts_ms"] is not None]
    return Signal(
        "alarming_records",
        Subject(job=job),
        known_facts(facts),
        tuple(cited),
        citation_count=len(rows),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _most_telling(rows: Iterable[Row], *, is_repaired: bool) -> Row | None:
    """The earliest whose repair is known, else that prints an exception, else the earliest."""
    ordered = list(rows)
    known = (each for each in ordered if is_repaired and _remedy(each))
    thrown = (each for each in ordered if each["exception_class"])
    return next(known, next(thrown, ordered[0] if ordered else None))


def _remedy(row: Row) -> str | None:
    """What is known to repair what the record says, with the whole chain of what it prints, the innermost last."""
    own = [each for each in (row["root_cause_frame"], row["thrown_in"]) if each]
    frames = [*own, *(each.name for each in product_frames(row["frames"]))]
    thrown = f"{row['exception_class'] or ''}: {row['exception_message'] or ''}"
    root = f"{row['root_cause_class']}: {row['root_cause_message'] or ''}" if row["root_cause_class"] else ""
    said = (_quote(row), row["message"] or "", thrown, row["causes"] or "", root)
    return remedy_of(in_english("\n".join(said)), frames)


def _class_path_remedy(row: Row) -> str | None:
    """What repairs a class that the record says is missing or of another release, by the artifact that brings it.

    Not of a warning: a class that is missing there is mostly an optional one.
    """
    name = row["root_cause_class"] or row["exception_class"] or ""
    said = (row["root_cause_message"] if row["root_cause_class"] else row["exception_message"]) or ""
    owner = owner_of(class_named(name, said)) if is_conflict(name, said) else None
    return owner.advice_on(name) if owner else None


def _newest(row: Row, evidence: Evidence) -> ConnectorRelease | None:
    """The newest release of the connector that reports the record, by its frames, exceptions and logger."""
    frames = product_frames(row["frames"])
    names = [row["root_cause_frame"], *(each.name for each in frames)]
    names += [row[each] for each in ("root_cause_class", "exception_class", "logger")]
    return newest_release(names, row["file_id"], row["ts_ms"], evidence, frames)


def _quote(row: Row) -> str:
    """What the record says, with its root cause where its message does not name it."""
    said = " ".join((row["message"] or "").split())
    name = (row["root_cause_class"] or row["exception_class"] or "").rpartition(".")[2]
    if name and name not in said:
        cause = row["root_cause_message"] if row["root_cause_class"] else row["exception_message"]
        said = f"{said.rstrip('.: ')}: {name}" + (f": {' '.join(cause.split())}" if cause else "")
    return said if len(said) <= LONGEST_QUOTE else f"{said[:LONGEST_QUOTE].rstrip()}…"


def _cite(row: Row) -> Citation:
    return Citation(
        file_id=row["file_id"],
        line=row["line"],
        last_line=row["last_line"],
        pointer=row["pointer"],
        kind="log",
        ts_ms=row["ts_ms"],
        text=f"{row['level'] or 'Exception'}: {_quote(row)}",
    )


_OF_RANK = {
    "fatal": "fatal errors",
    "error": "errors not known to be harmless",
    "outside": "warnings in which a connector, a client or the job reports a failure",
    "warning": "warnings of Flink that print an exception",
}
FACTS = {
    name: meaning
    for rank, what in _OF_RANK.items()
    for name, meaning in (
        (f"{rank}_count", f"{what} in the logs, at most {alarming_records.MOST_OF_A_RANK}"),
        (f"{rank}_text", f"message of the most significant of the {what}"),
        (f"{rank}_class", f"root cause class of the most significant of the {what}"),
        (f"{rank}_logger", f"class that logged the most significant of the {what}, without the package"),
        (f"{rank}_ms", f"time of the most significant of the {what}, epoch ms"),
        (f"{rank}_frame", f"frame that threw the most significant of the {what}, the job's own where there is one"),
    )
} | {
    name: meaning
    for rank, what in _OF_RANK.items()
    if rank in REPAIRED
    for name, meaning in (
        (f"{rank}_remedy", f"known repair of the most significant of the {what}, by its message"),
        (f"{rank}_release", f"newest known release of the connector of the most significant of the {what}"),
        (f"{rank}_flink", "the version of Flink that runs, for which the connector's release is chosen"),
    )
}
FACTS |= {
    "warning_remedy": "known repair of a warning of Flink after which nothing shows that the job went on",
    "harmless": "meanings of logged errors and warnings that are harmless by themselves",
    "harmless_advice": "advice on logged errors and warnings that are harmless by themselves",
}

SIGNALS = (SignalDefinition("alarming_records", "job", FACTS, measure),)
