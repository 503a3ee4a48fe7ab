"""The connector that a failure was thrown in, and its newest known release for the Flink that runs."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.failures.fault import Fault
from diagnostics.vocabulary.class_owners import owner_of


def connector_release(fault: Fault, evidence: Evidence) -> dict[str, FactValue]:
    """`owner`, the connector or library among the frames that failed, and `owner_release` for Flink `owner_flink`."""
    owner = next((each for each in map(owner_of, fault.places) if each), None)
    flink = flink_releases(evidence).at(fault.citation.file_id, fault.ts_ms)
    line = f"{flink[0]}.{flink[1]}" if flink else None
    release = owner.release_for(line) if owner and line else None
    return {"owner": owner.what if owner else None, "owner_release": release, "owner_flink": line if release else None}
