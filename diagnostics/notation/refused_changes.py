"""The parts of the message by which the planner refuses to write the changes of a query into a table.

`Table sink 'db.orders' doesn't support consuming update and delete changes which is produced by node
GroupAggregate(groupBy=[city], select=[city, COUNT(*) AS n])`: the table, the kinds of changes, and the operator that
makes them, with its keys or its kind of join. Source: Flink's FlinkChangelogModeInferenceProgram, and explainTerms of
the operators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REFUSAL = re.compile(
    r"Table sink '(?P<sink>[^'\n]{1,300})' doesn't support consuming (?P<kinds>[a-z, ]{3,60}) changes which is produced"
    r" by node (?P<node>[A-Za-z]{2,60})\((?P<about>[^\n]{0,2000})"
)
_TABLE = re.compile(r"table=\[\[(?P<table>[^\]]{1,300})\]")
_KEYS = re.compile(r"(?:groupBy|partitionBy|key)=\[(?P<keys>[\w., `]{1,200})\]")
_JOIN = re.compile(r"joinType=\[(?P<join>\w{1,40})\]")
STATED = "\nThe connector of that table is: "
"""How a text goes on that also says which connector the table has, see `with_connector`."""
_STATED = re.compile(re.escape(STATED) + r"(?P<connector>[\w.-]{1,80})")

SOURCE, AGGREGATE, OUTER_JOIN, RANK = "source", "aggregate", "outer_join", "rank"
"""Who makes the changes: a source of changes, a grouped aggregation, an outer join, or a rank or last row."""
OF_KAFKA, OF_FILES = "kafka", "files"
"""What kind of table refuses them, where its connector is known and takes inserts only."""
_NODES = {
    SOURCE: ("TableSourceScan", "LegacyTableSourceScan", "ChangelogNormalize", "DropUpdateBefore", "DataStreamScan"),
    AGGREGATE: ("GroupAggregate", "GlobalGroupAggregate", "IncrementalGroupAggregate"),
    OUTER_JOIN: ("Join", "MultiJoin"),
    RANK: ("Rank", "Deduplicate", "Limit", "SortLimit"),
}
_OUTER = ("LeftOuterJoin", "RightOuterJoin", "FullOuterJoin", "LeftAntiJoin", "LeftSemiJoin")
"""Joins that take a row back when a match comes; an inner join makes only the changes of its inputs."""
_INSERTS_ONLY = {OF_KAFKA: ("kafka",), OF_FILES: ("filesystem", "hive")}


@dataclass(frozen=True, slots=True)
class RefusedChanges:
    """The table that takes no such changes, by its own name, who makes them, and the values of the message."""

    sink: str
    by: str
    values: dict[str, str]


def refused_changes(text: str) -> RefusedChanges | None:
    """The parts of the message; None for another text, and for an operator that only passes changes on."""
    refusal = _REFUSAL.search(text)
    if refusal is None:
        return None
    by = next((kind for kind, nodes in _NODES.items() if refusal["node"] in nodes), None)
    about = refusal["about"]
    join = _JOIN.search(about)
    if by is None or (by == OUTER_JOIN and (join is None or join["join"] not in _OUTER)):
        return None
    keys, table = _KEYS.search(about), _TABLE.search(about)
    if (by == AGGREGATE and keys is None) or (by == SOURCE and table is None):
        return None
    sink = _own_name(refusal["sink"].split("."))
    values = {
        "sink": sink,
        "keys": keys["keys"] if keys else "",
        "join": join["join"] if join else "",
        "table": _own_name(table["table"].split(",")) if table else "",
    }
    return RefusedChanges(sink, by, values)


def with_connector(text: str, connector: str) -> str:
    """The text with the connector of the table, which another file of the case states."""
    return f"{text}{STATED}{connector}"


def act_on_refused_changes(text: str) -> tuple[str, dict[str, str]] | None:
    """Which act fits, by who makes the changes and by the connector where the text says it; None for another text."""
    refused = refused_changes(text)
    if refused is None:
        return None
    stated = _STATED.search(text)
    of = next((kind for kind, names in _INSERTS_ONLY.items() if stated and stated["connector"] in names), None)
    known = f"{refused.by}-{of}" if of and refused.by in (SOURCE, AGGREGATE) else refused.by
    return known, refused.values


def _own_name(path: list[str]) -> str:
    return path[-1].strip(" `")
