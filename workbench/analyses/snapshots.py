"""The snapshots of a case for its page: what was changed, and the diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.analyses.models import Analysis, verdict_of
from workbench.cases.models import Case, Snapshot


@dataclass(frozen=True, slots=True)
class SnapshotShown:
    """A snapshot with its newest diagnosis.

    diagnosed  without its large columns; None while there is none
    verdict    the document's verdict, None as well then
    job        the name of the job that it is about, where there are several
    health     0 to 100
    is_shown   whether its diagnosis is the one on the page
    """

    snapshot: Snapshot
    diagnosed: Analysis | None
    verdict: str | None
    job: str | None
    health: int | None
    is_shown: bool


def snapshots_shown(
    snapshots: Sequence[Snapshot], done: Iterable[Analysis], shown: Analysis | None
) -> list[SnapshotShown]:
    """All snapshots of the case in their order; empty for a case that has only the incident.

    done  the analyses with a diagnosis, newest first, as `with_verdict` reads them
    """
    if len(snapshots) < 2:
        return []
    newest: dict[int, Analysis] = {}
    for analysis in done:
        newest.setdefault(analysis.snapshot, analysis)
    return [_shown(each, newest.get(each.number), shown) for each in snapshots]


def newest_diagnoses(case: Case) -> dict[int, Analysis]:
    """Number of a snapshot -> its newest diagnosis, without signals and inputs."""
    found: dict[int, Analysis] = {}
    for analysis in case.analyses.done().defer("signals", "inputs"):
        found.setdefault(analysis.snapshot, analysis)
    return found


def _shown(snapshot: Snapshot, diagnosed: Analysis | None, shown: Analysis | None) -> SnapshotShown:
    verdict, _, health, job, beside = verdict_of(diagnosed) if diagnosed else (None,) * 5
    return SnapshotShown(
        snapshot=snapshot,
        diagnosed=diagnosed,
        verdict=verdict,
        job=job if beside else None,
        health=health,
        is_shown=bool(shown and diagnosed and shown.pk == diagnosed.pk),
    )
