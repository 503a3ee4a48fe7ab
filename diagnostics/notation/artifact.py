"""Names of JARs with their releases: `flink-connector-kafka-3.1.0-1.18.jar` is flink-connector-kafka 3.1.0."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ARTIFACT = re.compile(
    r"\b([a-z][a-z0-9-]{2,60}?)(?:_2\.1[123]|-?[12]\.\d{1,2}(?:-bundle)?)?-(\d{1,3}\.\d{1,3}\.\d{1,3})(?:[-_.][\w.-]{1,40})?\.jar\b"
)
"""A JAR in a class path, or behind a frame as log frameworks print it: `~[flink-dist-1.16.1.jar:1.16.1]`. Between name
and release may stand the Scala version, or the Flink version for which it is made: `paimon-flink-1.18-0.9.0.jar`.
"""


_BEHIND_FRAME = re.compile(r"[~ ]\[([a-z][\w.-]{2,120}\.jar):([^\]\s]{1,60})\]$")
_NAME = re.compile(r"([a-z][a-z0-9-]{2,60}?)(?:_2\.1[123])?\.jar")
_RELEASE = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}")


def artifact_behind(line: str) -> tuple[str, str] | None:
    """Name and release of the JAR in square brackets behind a frame: `(A.java:7) ~[paimon-flink-1.18-0.9.0.jar:0.9.0]`.

    A JAR without a release in its name has the one that its manifest states, which follows the colon.
    """
    found = _BEHIND_FRAME.search(line)
    if found is None:
        return None
    if named := next(artifacts_in(found[1]), None):
        return named
    name, release = _NAME.fullmatch(found[1]), _RELEASE.match(found[2])
    return (name[1], release[0]) if name and release else None


def artifacts_in(text: str) -> Iterator[tuple[str, str]]:
    """Name and release of every JAR that a text names, in its order."""
    for found in _ARTIFACT.finditer(text):
        yield found[1], found[2]
