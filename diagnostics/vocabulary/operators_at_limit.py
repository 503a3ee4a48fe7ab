"""What gives an operator room, evens out its subtasks or bounds its state, by its name or its table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

BEHIND_NAME = r"(?=\[|\(|:|_\d|_*$|\s|,)"
"""What follows an operator's name: its number or description, also as Prometheus prints them, or the next operator."""
BEHIND_TABLE = r"(?=\[\d|[\]:,)\s]|_+\d|_{2}|$)"
"""What follows a table's name in that of its operator, `orders[5]: Writer` or `Sink(table=[c.d.orders], …)`."""
BETWEEN = re.compile(r"->|_{4}")
"""What is between the operators of a chain, also as Prometheus prints it."""
NO_TABLES: Mapping[str, str] = MappingProxyType({})
ACTS = ("relief", "spread", "bound", "look_up", "refused", "held", "behind")
"""The acts of an entry, in the order of `OperatorRelief`."""

CHANGE_LOG = "change-log"
"""The entry of sources of changes, whose log one subtask reads."""
_OF_SOURCE = re.compile(r"\s*->|_{4}|\s*\+-")
"""What follows the first operator of a task in its name, also as Prometheus prints it."""
_WORDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class OperatorRelief:
    """One entry: the names of operators, parts of a task's name in lower case, connectors, and what to do.

    relief  for a task that is at its limit; None where only its skew has an act of its own
    spread  for a task with most records on few of its subtasks; None where no act of its own is known
    bound   for an operator whose state grows for ever; None where its state is bounded, or no act of its own is known
    look_up  for a task that look-ups of this connector hold up; None where it has none
    refused  for a sink that counts records as not taken; None where nothing certain is known
    held    for a sink that loads nothing although checkpoints complete; None where nothing certain is known
    behind  for a source of this connector that reads its records late; None where no act of its own is known
    loses    whether its sink does not write such a record again
    """

    names: re.Pattern[str] | None
    parts: tuple[str, ...]
    connectors: tuple[str, ...]
    loses: bool
    relief: str | None
    spread: str | None
    bound: str | None
    look_up: str | None
    refused: str | None
    held: str | None
    behind: str | None

    def fits(self, task: str) -> bool:
        """Whether the task's name has such an operator."""
        lowered = task.lower()
        return any(each in lowered for each in self.parts) or bool(self.names and self.names.search(task))


@cache
def operators_at_limit() -> Mapping[str, OperatorRelief]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("operators_at_limit.yaml")
    return {
        name: OperatorRelief(
            _pattern(entry["names"]) if entry.get("names") else None,
            tuple(entry.get("parts", ())),
            tuple(entry.get("connectors", ())),
            entry.get("loses") is True,
            *(with_translations(entry[act].strip(), entry, act) if act in entry else None for act in ACTS),
        )
        for name, entry in content.items()
    }


def entry_of(task: str, tables: Mapping[str, str] = NO_TABLES) -> OperatorRelief | None:
    """The entry that gives the operators of this task room; None where neither its name nor its table shows one.

    A source of changes is named for its database, which the task does not write: the operators behind it count first.

    tables  table -> connector, of those that a script declares: the one that a task writes decides before a part of its
            name, which a table may bear for another reason
    """
    reads = reads_change_log(task)
    named = _named(_behind_source(task) if reads else task)
    if named and named.names:
        return named
    return _written(task, tables) or named or (operators_at_limit()[CHANGE_LOG] if reads else None)


def relief_of(task: str, tables: Mapping[str, str] = NO_TABLES) -> str | None:
    """What gives the operators of this task room; None where nothing shows one that is known."""
    found = entry_of(task, tables)
    return found.relief if found else None


def look_up_relief_of(task: str, tables: Mapping[str, str], looked_up: Collection[str]) -> str | None:
    """What gives a task with look-up joins room; None where their connectors are unknown, or several.

    looked_up  tables that the job's look-up joins ask; those that the task's name shows go before them
    """
    shown = [name for name in tables if _names_table(task, name)] or [name for name in tables if name in looked_up]
    found = {entry.look_up for name in shown if (entry := entry_of_connector(tables[name])) and entry.look_up}
    return found.pop() if len(found) == 1 else None


def entry_of_connector(connector: str) -> OperatorRelief | None:
    """The entry of the value of a table's option `connector`; None for one that is not known."""
    return next((each for each in operators_at_limit().values() if connector.startswith(each.connectors)), None)


def behind_of(task: str, tables: Mapping[str, str]) -> str | None:
    """What lets a source read its records sooner, by the table that it reads, else by a part of its name."""
    declared = next((entry_of_connector(kind) for name, kind in tables.items() if _names_table(task, name)), None)
    if declared and declared.behind:
        return declared.behind
    first = _WORDS.sub(" ", _OF_SOURCE.split(task, maxsplit=1)[0].lower())
    known = (each for each in operators_at_limit().values() if each.behind)
    return next((each.behind for each in known if any(part in first for part in each.parts)), None)


def _named(task: str) -> OperatorRelief | None:
    known = operators_at_limit().items()
    return next((each for name, each in known if name != CHANGE_LOG and each.relief and each.fits(task)), None)


def _written(task: str, tables: Mapping[str, str]) -> OperatorRelief | None:
    """The entry of the connector whose table the last operator of the task writes."""
    first, *others = BETWEEN.split(task)
    last = others[-1] if others else first
    if last.strip().lower().startswith("source"):
        return None
    return next((entry_of_connector(connector) for name, connector in tables.items() if _names_table(last, name)), None)


def _names_table(task: str, table: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(table)}{BEHIND_TABLE}", task) is not None


def spread_of(task: str) -> str | None:
    """What evens out the subtasks of a task of this name; None where it shows no operator with an act of its own."""
    return next((each.spread for each in operators_at_limit().values() if each.spread and each.fits(task)), None)


def bound_of_state(tasks: Iterable[str]) -> str | None:
    """What bounds the state of the first operator of a catalogued kind among these tasks, in the catalogue's order."""
    names = tuple(tasks)
    return next(
        (each.bound for each in operators_at_limit().values() if each.bound and any(map(each.fits, names))), None
    )


def reads_change_log(task: str) -> bool:
    """Whether the first operator of a task is, by its name, a source of changes, whose log one subtask reads."""
    first = _WORDS.sub(" ", _OF_SOURCE.split(task, maxsplit=1)[0].lower())
    return "source" in first and any(each in first for each in operators_at_limit()[CHANGE_LOG].parts)


def relief_of_change_log() -> str | None:
    """What gives the one subtask room that reads a source's change log, whatever is chained to it."""
    return operators_at_limit()[CHANGE_LOG].relief


def _behind_source(task: str) -> str:
    return next(iter(_OF_SOURCE.split(task, maxsplit=1)[1:]), "")


def _pattern(names: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(map(re.escape, names))}){BEHIND_NAME}")
