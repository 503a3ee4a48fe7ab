"""Records and answers that match a known bug, with the release of the program that has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diagnostics.aggregators import failures, known_bug_records
from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.notation.product_frame import product_frames
from diagnostics.notation.refused_changes import refused_changes, with_connector
from diagnostics.notation.stack_frame import plain_frame
from diagnostics.reconstruction.bugs.running_release import jars_behind, named_release, stated_in_class_paths
from diagnostics.reconstruction.bugs.shown_signs import shown_signs
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.failures.fault import Fault, job_of_vertex
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.declared_tables import declared_tables
from diagnostics.vocabulary.asked_act import asked_act
from diagnostics.vocabulary.known_bug import (
    FLINK,
    KnownBug,
    Release,
    bugs_that_fit,
    known_bugs,
)
from diagnostics.vocabulary.message_remedies import remedy_of


@dataclass(frozen=True, slots=True)
class Appearance:
    """A record, answer or reading that matches a bug, and its release; None when no file states one.

    sign        what shows it where nothing is thrown: threads, readings or settings
    is_telling  whether it shows the bug without a known release, too
    """

    bug: KnownBug
    release: Release | None
    ts_ms: int | None
    job_id: str | None
    vertex: str | None
    citation: Citation
    sign: str | None = None
    is_telling: bool = True

    @property
    def is_sure(self) -> bool:
        """Whether the release is known, and has the bug."""
        return self.release is not None and self.bug.affects(self.release)


@read_once
def bug_appearances(evidence: Evidence) -> Sequence[Appearance]:
    """Every match, computed once for each Evidence; without those in a release that does not have the bug.

    A sign that is not telling shows a bug only in a release that is known to have it.

    Reads   log_record, failure, as `shown_signs`, and the releases in logs and REST answers.
    """
    shown = [*_in_logs(evidence), *_in_answers(evidence), *_in_signs(evidence)]
    return [each for each in shown if each.is_sure or (each.release is None and each.is_telling)]


def repair_of(fault: Fault, evidence: Evidence) -> str | None:
    """What repairs a failure: the fix of the bug that it shows, else what is known for its message or asked by it.

    A bug without a known release gives way to what is known for the message.
    """
    known = sure_repair_of(fault, evidence) or remedy_of(_with_its_table(fault.chain, evidence), fault.passed)
    known = known or next((each.bug.repair for each in _shown_by(fault, evidence)), None)
    return known or asked_act(fault.chain)


def _with_its_table(chain: str, evidence: Evidence) -> str:
    """The chain; where a table refuses changes, with the connector that a script of SQL declares for it."""
    refused = refused_changes(chain)
    connector = declared_tables(evidence).connectors.get(refused.sink) if refused else None
    return with_connector(chain, connector) if connector else chain


def sure_repair_of(fault: Fault, evidence: Evidence) -> str | None:
    """The fix of the bug that a failure shows in a release that has it; None without one."""
    return next((each.bug.repair_of_running for each in _shown_by(fault, evidence) if each.is_sure), None)


def _shown_by(fault: Fault, evidence: Evidence) -> Sequence[Appearance]:
    """The bugs that the record of a failure matches."""
    place = (fault.citation.file_id, fault.citation.line)
    return [each for each in bug_appearances(evidence) if (each.citation.file_id, each.citation.line) == place]


def _in_logs(evidence: Evidence) -> Iterator[Appearance]:
    cluster = cluster_of(evidence)
    for row in evidence.answer(known_bug_records.AGGREGATOR).to_pylist():
        bug = known_bugs()[row["bug"]]
        text = row["message"] or f"{row['root_cause_class']}: {row['root_cause_message']}"
        place = {name: row[name] for name in CITATION_COLUMNS}
        citation = Citation(kind="log", text=text, ts_ms=row["ts_ms"], **place)
        named = [(name, number) for name, _, number in (line.partition(" ") for line in _lines(row["releases"]))]
        release = named_release(bug.product, named) or _stated_release(bug, row["file_id"], row["ts_ms"], evidence)
        job = row["job_id"] or job_of_vertex(row["vertex"], cluster)
        yield Appearance(bug, release, row["ts_ms"], job, row["vertex"], citation)


def _in_answers(evidence: Evidence) -> Iterator[Appearance]:
    for row in evidence.answer(failures.AGGREGATOR).to_pylist():
        text = "\n".join(part for part in (row["causes"], row["root_cause_message"], row["exception_message"]) if part)
        frames = product_frames(row["frames"])
        passed = [plain_frame(each) for each in (row["root_cause_frame"], row["thrown_in"]) if each]
        jars = jars_behind(frames)
        for name in bugs_that_fit(text, [*passed, *(each.name for each in frames)]):
            bug = known_bugs()[name]
            place = {name: row[name] for name in CITATION_COLUMNS}
            said = f"{row['root_cause_class']}: {row['root_cause_message']}"[:300]
            citation = Citation(kind="rest", text=said, ts_ms=row["ts_ms"], **place)
            release = named_release(bug.product, jars) or _stated_release(bug, row["file_id"], row["ts_ms"], evidence)
            yield Appearance(bug, release, row["ts_ms"], row["job_id"], row["vertex"], citation)


def _in_signs(evidence: Evidence) -> Iterator[Appearance]:
    job = only_one(cluster_of(evidence).job_names)
    for each in shown_signs(evidence):
        bug = known_bugs()[each.bug]
        release = _stated_release(bug, each.citation.file_id, each.ts_ms, evidence)
        yield Appearance(bug, release, each.ts_ms, job, each.vertex, each.citation, each.kind, each.is_telling)


def _lines(text: str | None) -> list[str]:
    return [line for line in (text or "").split("\n") if line]


def _stated_release(bug: KnownBug, file_id: int, ts_ms: int | None, evidence: Evidence) -> Release | None:
    """Flink's release in that file; that of a connector in its class path, else the only one in all class paths."""
    if bug.product == FLINK:
        return flink_releases(evidence).at(file_id, ts_ms)
    return stated_in_class_paths(file_id, evidence, lambda jars: named_release(bug.product, jars))
