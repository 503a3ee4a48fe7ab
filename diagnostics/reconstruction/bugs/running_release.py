"""The release of a connector that runs: of the JAR behind its frames, else of the JAR in the class path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.notation.artifact import artifacts_in
from diagnostics.notation.product_frame import ProductFrame
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.vocabulary.class_owners import ClassOwner, owner_of
from diagnostics.vocabulary.known_bug import FLINK, Release, release_of

DISTRIBUTION = "flink-dist"
"""The Flink JAR whose name in a stack trace carries the release."""

Jars = Sequence[tuple[str, str]]


@read_once
def class_paths(evidence: Evidence) -> Sequence[tuple[int, Jars]]:
    """File and JARs with their releases of each class path that a process logged when it started."""
    found = incident_log(evidence).of("class_path")
    return [(event.file_id, tuple(artifacts_in(event.message))) for event in found]


def named_release(product: str, jars: Iterable[tuple[str, str]]) -> Release | None:
    """The release of a product among JARs: `flink-sql-connector-kafka` is of flink-connector-kafka, too, and
    `paimon-flink` of paimon.
    """
    return next((release_of(release) for artifact, release in jars if _is_of(artifact, product)), None)


def jars_behind(frames: Iterable[ProductFrame]) -> Jars:
    """The JARs that a log prints behind frames, with their releases."""
    return tuple(dict.fromkeys((each.artifact, each.release) for each in frames if each.artifact and each.release))


def running_release(owner: ClassOwner, frames: Iterable[ProductFrame], file_id: int, evidence: Evidence) -> str | None:
    """The release of an artifact: behind the frame of one of its classes, else in the class path of that file, else the
    only one in all class paths; None where none is named.
    """
    own = (each.release for each in frames if each.release and owner_of(each.name) is owner)
    return next(own, None) or _on_class_path(owner, file_id, evidence)


def _on_class_path(owner: ClassOwner, file_id: int, evidence: Evidence) -> str | None:
    brought = (owner.includes or "").partition(",")[0].rpartition(":")[2]
    patterns = [each for each in (owner.what, brought) if len(each.replace("*", "")) >= LEAST_NAME]
    matching = [
        (place, release)
        for place, jars in class_paths(evidence)
        for artifact, release in jars
        if any(fnmatchcase(artifact, each) or _is_of(artifact, each) for each in patterns)
    ]
    here = {release for place, release in matching if place == file_id}
    return only_one(here or {release for _, release in matching})


LEAST_NAME = 3
"""Letters of a pattern of artifacts that say whose they are. Our choice: `cdc` does, `*` does not."""


def _is_of(artifact: str, product: str) -> bool:
    if product == FLINK:
        return artifact == DISTRIBUTION
    return artifact.endswith(product.removeprefix("flink-")) or artifact.startswith(f"{product}-")
