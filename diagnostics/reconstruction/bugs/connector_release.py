"""The connector that a failure was thrown in, and its newest known release for the Flink that runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.failures.fault import Fault
from diagnostics.vocabulary.class_owners import owner_of


@dataclass(frozen=True, slots=True)
class ConnectorRelease:
    """The newest release of a connector that is known for a version of Flink, and that version, as `1.18`."""

    release: str
    flink: str


def connector_release(fault: Fault, evidence: Evidence) -> dict[str, FactValue]:
    """`owner`, the connector or library among the frames that failed, and `owner_release` for Flink `owner_flink`."""
    owner = next((each for each in map(owner_of, fault.places) if each), None)
    flink = flink_releases(evidence).at(fault.citation.file_id, fault.ts_ms)
    line = f"{flink[0]}.{flink[1]}" if flink else None
    release = owner.release_for(line) if owner and line else None
    return {"owner": owner.what if owner else None, "owner_release": release, "owner_flink": line if release else None}


def release_shown(fault: Fault, evidence: Evidence) -> ConnectorRelease | None:
    """That of the connector which a failure shows by its frames, else by the classes of its exceptions."""
    classes = [each.partition(": ")[0] for each in reversed((fault.causes or "").split("\n"))]
    return newest_release((*fault.places, fault.exception, *classes), fault.citation.file_id, fault.ts_ms, evidence)


def newest_release(
    names: Iterable[str | None], file_id: int, ts_ms: int | None, evidence: Evidence
) -> ConnectorRelease | None:
    """The connector to which the first of these frames or classes belongs that belongs to one, and its newest release.

    None where they name no connector, or where no release of it is known for the Flink that runs.
    """
    flink = flink_releases(evidence).at(file_id, ts_ms)
    owner = next((each for name in names if name and (each := owner_of(name)) and each.releases), None)
    if flink is None or owner is None:
        return None
    line = f"{flink[0]}.{flink[1]}"
    release = owner.release_for(line)
    return ConnectorRelease(release, line) if release else None
