"""Which connector a table of the job has, by the scripts of SQL that declare it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from diagnostics.aggregators import code_calls
from diagnostics.evidence import Evidence, read_once


@dataclass(frozen=True, slots=True)
class DeclaredTables:
    """Table -> its connector, and the tables that look-up joins ask, all by their last names."""

    connectors: Mapping[str, str] = field(default_factory=dict)
    looked_up: frozenset[str] = frozenset()


@read_once
def declared_tables(evidence: Evidence) -> DeclaredTables:
    """The tables of all scripts; one that two scripts declare with different connectors is left out."""
    rows = evidence.answer(code_calls.AGGREGATOR).to_pylist()
    stated: dict[str, set[str]] = {}
    for row in rows:
        if row["kind"] == "table":
            name, _, connector = row["name"].partition(" ")
            stated.setdefault(name, set()).add(connector)
    return DeclaredTables(
        {name: next(iter(connectors)) for name, connectors in stated.items() if len(connectors) == 1},
        frozenset(row["name"] for row in rows if row["kind"] == "look-up-table"),
    )
