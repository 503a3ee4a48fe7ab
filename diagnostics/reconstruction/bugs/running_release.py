"""The release of a connector that runs: of the JAR behind its frames, else of the JAR in the class path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

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

T = TypeVar("T")


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


def stated_in_class_paths(file_id: int, evidence: Evidence, stated_by: Callable[[Jars], T | None]) -> T | None:
    """What the JARs in the class path of a file's process state, else what those in all class paths state alike.

    stated_by  what one class path states; None for nothing
    """
    stated = [(place, what) for place, jars in class_paths(evidence) if (what := stated_by(jars)) is not None]
    return only_one({what for place, what in stated if place == file_id} or {what for _, what in stated})


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

    def is_own(artifact: str) -> bool:
        return any(fnmatchcase(artifact, each) or _is_of(artifact, each) for each in patterns)

    return stated_in_class_paths(
        file_id, evidence, lambda jars: only_one({release for artifact, release in jars if is_own(artifact)})
    )


LEAST_NAME = 3
"""Letters of a pattern of artifacts that say whose they are. Our choice: `cdc` does, `*` does not."""


def _is_of(artifact: str, product: str) -> bool:
    if product == FLINK:
        return artifact == DISTRIBUTION
    return artifact.endswith(product.removeprefix("flink-")) or artifact.startswith(f"{product}-")
