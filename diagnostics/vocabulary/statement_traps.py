"""Statements and tables of SQL that do without an error what nobody wants of them, from `statement_traps/`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from diagnostics.errors import InvalidRule
from diagnostics.notation.cdc_pipeline import CdcPipeline
from diagnostics.notation.sql_queries import conditions_behind_left_joins, whole_averages
from diagnostics.notation.sql_tables import SqlInsert, SqlTable, sql_inserts, sql_tables, tables_read
from diagnostics.vocabulary.catalogue_file import FOLDER, catalogue
from diagnostics.vocabulary.known_bug import Release, release_of
from diagnostics.yaml_document import with_translations

LONGEST_SHOWN = 160
"""Characters of the words that show a trap. Our choice: a condition or an option."""
_STATES = re.compile(
    r"\b(?:SET|SELECT)\s|\A\s{0,2000}'[a-z][\w.-]{1,120}'\s{0,20}=|\.(?:debeziumProperties|tableList)\s{0,9}\("
    r"|\b(?:Kafka|File|Streaming|RMQ|Jdbc|Pulsar|Elasticsearch|Opensearch|Watermark|Offsets|Flink)\w{1,30}\b|\bkey_?by\b",
    re.I,
)
"""What states something without a table: a setting, a query, options without the statement around them, or a source, a
sink, a key or an option in a program.
"""


@dataclass(frozen=True, slots=True)
class TableTrap:
    """What a CREATE TABLE shows; everything that is stated must hold."""

    connector: Any
    format: Any
    written: bool
    read: bool
    has: tuple[str, ...]
    lacks: tuple[str, ...]
    columns: Any
    lacks_columns: Any
    between: Any
    shared: str | None
    values: tuple[tuple[str, Any], ...]
    key_beyond: Any

    def holds(self, table: SqlTable, others: Sequence[SqlTable], written: frozenset[str], read: frozenset[str]) -> bool:
        """Whether a table is such a one.

        others   the tables of the source
        written  names of the tables that the source inserts into
        read     names of those that it reads
        """
        options = table.values
        if self.shared is not None and not any(
            other.name != table.name
            and other.name in written
            and other.values.get(self.shared, "") == options.get(self.shared)
            for other in others
        ):
            return False
        return (
            (self.connector is None or bool(self.connector.fullmatch(options.get("connector", ""))))
            and (self.format is None or bool(self.format.fullmatch(options.get("format", ""))))
            and (not self.written or table.name in written)
            and (not self.read or (table.name in read and table.name not in written))
            and all(_states(options, each) for each in self.has)
            and not any(_states(options, each) for each in self.lacks)
            and all(value.fullmatch(options.get(key, "")) for key, value in self.values)
            and (self.key_beyond is None or self._is_beyond(table, others))
            and (self.columns is None or bool(self.columns.search(table.columns)))
            and (self.lacks_columns is None or not self.lacks_columns.search(table.columns))
            and (self.between is None or bool(self.between.search(table.between)))
        )

    def _is_beyond(self, table: SqlTable, others: Sequence[SqlTable]) -> bool:
        """Whether the key of a table is that of one of these sources and columns that are in no key of them."""
        keys = [set(each.key) for each in others if self.key_beyond.fullmatch(each.connector or "")]
        known = set().union(*keys)
        return any(key and key < set(table.key) for key in keys) and not set(table.key) <= known


@dataclass(frozen=True, slots=True)
class PipelineTrap:
    """What the definition of a pipeline of Flink CDC shows; everything that is stated must hold.

    shown    the option or section that shows it; of a rule its table is shown
    rule     the section of rules; one of them has and lacks these options, else the definition does
    leaves_tables_out  whether some tables have a rule of transform, and others none
    """

    shown: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]
    values: tuple[tuple[str, Any], ...]
    rule: str | None
    leaves_tables_out: bool

    def place_in(self, pipeline: CdcPipeline) -> tuple[str, int] | None:
        """The words that show it, and their line; None where it does not hold."""
        if self.leaves_tables_out and not pipeline.leaves_tables_out:
            return None
        if self.rule is not None:
            of_rules = [each for each in pipeline.rules if each.section == self.rule and self._holds(each.values)]
            if not of_rules:
                return None
            return of_rules[0].values.get("source-table") or self.rule, of_rules[0].options[0].line
        if not self._holds(pipeline.values):
            return None
        stated = [each for each in pipeline.options if each.key == self.shown]
        if stated:
            return f"{stated[0].key.partition('.')[2]}: {stated[0].value}", stated[0].line
        places = [each.line for each in pipeline.options if each.key.startswith(f"{self.shown}.")]
        places += [rule.options[0].line for rule in pipeline.rules if rule.section == self.shown and rule.options]
        return (self.shown, places[0]) if places else None

    def _holds(self, options: Mapping[str, str]) -> bool:
        return (
            all(_states(options, each) for each in self.has)
            and not any(_states(options, each) for each in self.lacks)
            and all(key in options and value.search(options[key]) for key, value in self.values)
        )


@dataclass(frozen=True, slots=True)
class StatementTrap:
    """One entry of the catalogue.

    statement  what the text holds; its first group, else all of it, is shown
    table      what one of its tables shows
    insert     name of what one of its INSERTs shows, of INSERTS
    query      name of what one of its queries shows, of QUERIES
    pipeline   what the definition of a pipeline of Flink CDC shows
    beside     what the text holds besides; unless: what it must not hold
    affected   first and last release of Flink with which it is so; empty where it is so with all
    without_checkpoints  whether it counts only in a job without checkpoints
    certain_when_off     whether it is certain where Flink answers that checkpoints are off
    commits    whether the sink of its table shows rows with completed checkpoints
    certain    whether the result is wrong whatever the job's data, so that it is a cause; else it is a remark
    usual      whether most jobs that have it want it so, so that it is said behind the others
    """

    statement: Any
    table: TableTrap | None
    insert: str | None
    query: str | None
    pipeline: PipelineTrap | None
    beside: Any
    unless: Any
    affected: tuple[tuple[Release, Release], ...]
    without_checkpoints: bool
    certain_when_off: bool
    commits: bool
    certain: bool
    usual: bool
    what: str
    advice: str

    def is_certain(self, is_off: bool) -> bool:
        """Whether it is a cause; `is_off`: Flink answers that the job takes no checkpoints."""
        return self.certain or (self.certain_when_off and is_off)

    def counts_with(self, release: Release | None) -> bool:
        """Whether it is so with this release of Flink, None where it is not known."""
        if not self.affected:
            return True
        return release is not None and any(first <= release <= last for first, last in self.affected)


@cache
def statement_traps() -> Mapping[str, StatementTrap]:
    """The catalogue by id, what is certain first and what is usual last, else in the order of its files.

    Raises InvalidRule naming the line when a file is invalid.
    """
    files = sorted((FOLDER / "statement_traps").glob("*.yaml"))
    entries = [each for file in files for each in catalogue(f"statement_traps/{file.name}").items()]
    content: Mapping[str, Mapping[str, Any]] = dict(sorted(entries, key=_rank))
    return {
        name: StatementTrap(
            statement=_pattern(entry.get("statement")),
            table=_table(entry["table"]) if "table" in entry else None,
            insert=entry.get("insert"),
            query=entry.get("query"),
            pipeline=_pipeline(entry["pipeline"]) if "pipeline" in entry else None,
            beside=_pattern(entry.get("beside")),
            unless=_pattern(entry.get("unless")),
            affected=tuple(_range(each) for each in entry.get("affected", ())),
            without_checkpoints=entry.get("without_checkpoints") is True,
            certain_when_off=entry.get("certain_when_off") is True,
            commits=entry.get("commits") is True,
            certain=entry.get("certain") is True,
            usual=entry.get("usual") is True,
            what=with_translations(entry["what"].strip(), entry, "what"),
            advice=with_translations(entry["advice"].strip(), entry, "advice"),
        )
        for name, entry in content.items()
    }


def _rank(entry: tuple[str, Mapping[str, Any]]) -> tuple[bool, bool]:
    return entry[1].get("certain") is not True, entry[1].get("usual") is True


def traps_in(plain: str) -> Iterator[tuple[str, str, int]]:
    """Id, words and place of the traps in a source without comments, each entry once, in the order of the catalogue."""
    tables = tuple(sql_tables(plain))
    inserts = tuple(sql_inserts(plain))
    if not tables and not inserts and _STATES.search(plain) is None:
        return
    written, read = frozenset(each.table for each in inserts), tables_read(plain)
    for name, trap in statement_traps().items():
        if (trap.beside is not None and not trap.beside.search(plain)) or (trap.unless and trap.unless.search(plain)):
            continue
        place: tuple[str, int] | None = None
        if trap.insert is not None:
            place = next(INSERTS[trap.insert](inserts, tables), None)
        elif trap.query is not None:
            place = next(QUERIES[trap.query](plain, tables), None)
        elif trap.table is not None:
            holding = (each for each in tables if trap.table.holds(each, tables, written, read))
            place = next(((each.name, each.place) for each in holding), None)
        elif trap.statement is not None and (matched := trap.statement.search(plain)):
            shown = matched.group(1) if matched.groups() else matched.group()
            place = " ".join(shown.split()), matched.start()
        if place is not None:
            yield name, place[0][:LONGEST_SHOWN], place[1]


def _in_other_order(inserts: Sequence[SqlInsert], tables: Sequence[SqlTable]) -> Iterator[tuple[str, int]]:
    """The INSERTs that select the columns of their table in another order: the table with these, and the place."""
    columns = {each.name: each.written for each in tables}
    for insert in inserts:
        wanted = columns.get(insert.table, ())
        if insert.selected != wanted and sorted(insert.selected) == sorted(wanted) and wanted:
            yield f"{insert.table} ({', '.join(wanted)})", insert.place


INSERTS = {"other_order": _in_other_order}
"""Kind of an entry that concerns an INSERT -> the INSERTs that show it."""
QUERIES = {"whole_average": whole_averages, "left_join_as_inner": conditions_behind_left_joins}
"""Kind of an entry that concerns a query -> the words that show it, and their places."""


def traps_in_pipeline(pipeline: CdcPipeline) -> Iterator[tuple[str, str, int]]:
    """Id, words and line of the traps in the definition of a pipeline of Flink CDC, in the order of the catalogue."""
    for name, trap in statement_traps().items():
        if trap.pipeline is not None and (found := trap.pipeline.place_in(pipeline)):
            yield name, " ".join(found[0].split())[:LONGEST_SHOWN], found[1]


def _states(options: Mapping[str, str], wanted: str) -> bool:
    """Whether the options have a key, or `key=value` (`key=a|b`), in lower case; a key may begin or end with `*`."""
    key, _, value = wanted.partition("=")
    of_key = [
        stated
        for name, stated in options.items()
        if name == key or (key[-1] == "*" and name.startswith(key[:-1])) or (key[0] == "*" and name.endswith(key[1:]))
    ]
    return any(not value or stated.strip().lower() in value.split("|") for stated in of_key)


def _range(text: str) -> tuple[Release, Release]:
    """The ends of a range such as `1.16.0..1.16.1`, or of a single release."""
    first, _, last = text.partition("..")
    ends = release_of(first), release_of(last or first)
    if ends[0] is None or ends[1] is None:
        raise InvalidRule([f"statement_traps: {text!r} is no range such as 1.16.0..1.16.1"])
    return ends[0], ends[1]


def _table(entry: Mapping[str, Any]) -> TableTrap:
    return TableTrap(
        connector=_pattern(entry.get("connector")),
        format=_pattern(entry.get("format")),
        written=entry.get("role") == "sink",
        read=entry.get("role") == "source",
        has=tuple(entry.get("has", ())),
        lacks=tuple(entry.get("lacks", ())),
        columns=_pattern(entry.get("columns")),
        lacks_columns=_pattern(entry.get("lacks_columns")),
        between=_pattern(entry.get("between")),
        shared=entry.get("shared"),
        values=tuple((key, _pattern(value)) for key, value in entry.get("values", {}).items()),
        key_beyond=_pattern(entry.get("key_beyond")),
    )


def _pipeline(entry: Mapping[str, Any]) -> PipelineTrap:
    return PipelineTrap(
        shown=entry.get("shown", ""),
        has=tuple(entry.get("has", ())),
        lacks=tuple(entry.get("lacks", ())),
        values=tuple((key, _pattern(value)) for key, value in entry.get("values", {}).items()),
        rule=entry.get("rule"),
        leaves_tables_out=entry.get("leaves_tables_out") is True,
    )


def _pattern(text: str | None) -> Any:
    return re2.compile(f"(?i){text}") if text else None
