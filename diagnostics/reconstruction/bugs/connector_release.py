"""The connector that a failure was thrown in, its release, and the newest known one for the Flink that runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.language import say
from diagnostics.notation.artifact import artifacts_in
from diagnostics.notation.product_frame import ProductFrame
from diagnostics.reconstruction.bugs.running_release import DISTRIBUTION, jars_behind, running_release
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.failures.fault import Fault
from diagnostics.vocabulary.class_owners import ClassOwner, class_named, owner_of
from diagnostics.vocabulary.known_bug import Release, release_of
from diagnostics.vocabulary.newest_releases import program_behind, releases_by_flink


@dataclass(frozen=True, slots=True)
class ConnectorRelease:
    """The newest release of a connector that is known for a version of Flink, and that version, as `1.18`.

    running  the older release that the evidence shows to run, with its name, or the name with the release that its
             classes say is newer; None where neither is shown
    """

    release: str
    flink: str
    running: str | None = None


def connector_release(fault: Fault, evidence: Evidence) -> dict[str, FactValue]:
    """`owner`, the connector or library among the frames that failed, and `owner_release` for Flink `owner_flink`.

    `owner_running` is the older release that runs, where the evidence shows it. Where Flink's version is not known,
    `owner_releases` are the newest for each.
    """
    found = [each for each in map(owner_of, fault.passed) if each]
    owner = next((each for each in found if each.releases), next(iter(found), None))
    place = fault.citation.file_id, fault.ts_ms
    newest = _newest(owner, fault.passed, fault.frames, *place, evidence)
    is_known = owner is None or flink_of(fault.frames, *place, evidence) is not None
    return {
        "owner": owner.what if owner else None,
        "owner_release": newest.release if newest else None,
        "owner_flink": newest.flink if newest else None,
        "owner_running": newest.running if newest else None,
        "owner_releases": None if is_known or owner is None else releases_by_flink(owner) or None,
    }


def program_of(fault: Fault) -> str | None:
    """The program of `newest_releases.yaml` in whose code it failed, else that of the class which the message names."""
    return program_behind((*fault.passed, class_named(fault.exception, fault.message)))


def release_shown(fault: Fault, evidence: Evidence) -> ConnectorRelease | None:
    """That of the connector which a failure shows by its frames, else by the classes of its exceptions."""
    classes = [each.partition(": ")[0] for each in reversed((fault.causes or "").split("\n"))]
    names = (*fault.passed, fault.exception, *classes)
    return newest_release(names, fault.citation.file_id, fault.ts_ms, evidence, fault.frames)


def newest_release(
    names: Iterable[str | None],
    file_id: int,
    ts_ms: int | None,
    evidence: Evidence,
    frames: Sequence[ProductFrame] = (),
) -> ConnectorRelease | None:
    """The connector to which the first of these frames or classes belongs that belongs to one, and its newest release.

    None where they name no connector, where no release of it is known for the Flink that runs, or where one runs that
    is not older.

    frames  those of the failure, behind which a log prints the JAR
    """
    named = [name for name in names if name]
    owner = next((each for name in named if (each := owner_of(name)) and each.releases), None)
    return _newest(owner, named, frames, file_id, ts_ms, evidence)


def flink_of(frames: Iterable[ProductFrame], file_id: int, ts_ms: int | None, evidence: Evidence) -> Release | None:
    """The release of Flink behind the frames of a failure, else that of the process that wrote it."""
    behind = (release_of(release) for name, release in jars_behind(frames) if name == DISTRIBUTION)
    return next(behind, None) or flink_releases(evidence).at(file_id, ts_ms)


def _newest(
    owner: ClassOwner | None,
    names: Sequence[str],
    frames: Sequence[ProductFrame],
    file_id: int,
    ts_ms: int | None,
    evidence: Evidence,
) -> ConnectorRelease | None:
    flink = flink_of(frames, file_id, ts_ms, evidence)
    line = f"{flink[0]}.{flink[1]}" if flink else None
    release = owner.release_for(line) if owner and line else None
    if owner is None or line is None or release is None:
        return None
    name, newest = owner.inside or owner.what, _numbers(release)
    if runs := running_release(owner, frames, file_id, evidence):
        is_older = not ((before := release_of(runs)) and newest and before >= newest)
        return ConnectorRelease(release, line, f"{name} {runs}") if is_older else None
    without = next((each for frame in names if (each := owner.renamed_in(frame))), None)
    is_shown = newest is not None and (bound := release_of(without)) is not None and bound <= newest
    shown = say("{product} (older than {release})", product=name, release=without) if is_shown else None
    return ConnectorRelease(release, line, shown)


def _numbers(release: str) -> Release | None:
    """The numbers of an artifact with its release: of `flink-connector-kafka 3.2.0-1.18`, `paimon-flink-1.18-0.9.0`."""
    name, _, stated = release.rpartition(" ")
    named = next((number for _, number in artifacts_in(f"{release}.jar")), None)
    return release_of(stated if name else named)
