"""What outside systems are called, and by what a failure shows which one it is, from `outside_systems.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue


@dataclass(frozen=True, slots=True)
class OutsideSystems:
    """The catalogue; the comments of its file explain the fields.

    services  what a client calls a service of AWS -> the service
    """

    connectors: Mapping[str, str]
    services: Mapping[str, str]
    marks: Mapping[str, str]
    protocols: Mapping[str, str]
    families: frozenset[str]
    table_formats: frozenset[str]
    shared_on_commit: frozenset[str]


@cache
def outside_systems() -> OutsideSystems:
    """The catalogue. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Any] = catalogue("outside_systems.yaml")
    return OutsideSystems(
        connectors=content["connectors"],
        services={name: service for service, names in content["services"].items() for name in names},
        marks=content["marks"],
        protocols=content["protocols"],
        families=frozenset(content["families"]),
        table_formats=frozenset(content["table_formats"]),
        shared_on_commit=frozenset(content["shared_on_commit"]),
    )
