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


def artifacts_in(text: str) -> Iterator[tuple[str, str]]:
    """Name and release of every JAR that a text names, in its order."""
    for found in _ARTIFACT.finditer(text):
        yield found[1], found[2]
