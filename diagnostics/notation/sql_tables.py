"""Tables and statements of a source in SQL: columns, options, what an INSERT selects, and what look-up joins ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import re2

from diagnostics.notation.code_call import TRAP, WITHOUT_IDLENESS
from diagnostics.notation.source_text import enclosed, parted

FURTHEST_WITH, LONGEST_WITH = 20_000, 8_000
"""Characters from CREATE TABLE to its WITH, and within it. Our choice: some hundred columns and options."""
OF_STATEMENTS = ("table", "look-up-table", TRAP, WITHOUT_IDLENESS)
"""Kinds of rows of `code_call` that are of SQL, and no part of a program."""
MOST_TABLES = 300
MOST_INSERTS = 300
MOST_HINTS = 300
MOST_LOOKED_UP = 300
CONNECTOR = ("connector", "connector.type")
"""Options that name the connector of a table: the second before Flink 1.11."""
LONGEST_LIST = 8_000
"""Characters of the list of an INSERT's SELECT. Our choice: some hundred columns."""

_TABLE = re.compile(r"\bCREATE\s{1,20}(?:TEMPORARY\s{1,20})?TABLE\b", re.I)
_NAME = re.compile(r"\s{1,200}(?:IF\s{1,20}NOT\s{1,20}EXISTS\s{1,20})?([\w`.]{1,200})\s{0,200}\(", re.I)
_WITH = re.compile(r"\bWITH\s{0,20}\(", re.I)
_OPTION = re.compile(r"\s{0,200}'([a-z][\w.-]{1,120})'\s{0,20}=\s{0,20}'([^'\n]{0,500})'\s{0,200}", re.I)
_HINTED = re.compile(r"/\*\+[^*]{0,400}?\bOPTIONS\s{0,20}\(", re.I)
_STATEMENT = re.compile(
    r"\s{0,2000}(?:Flink SQL>\s{0,20})?(?:CREATE|INSERT|SELECT|SET|WITH|EXECUTE|BEGIN|EXPLAIN|USE|ADD|DROP)\s", re.I
)
_PART = re2.compile(
    r"(?i)\bCREATE\s+(?:TEMPORARY\s+)?(?:TABLE|VIEW)\s|\bINSERT\s+(?:INTO|OVERWRITE)\s|\bSELECT\s[^;]+?\sFROM\s"
)
"""RE2 searches it: its time is linear in a text of many SELECTs without a FROM."""
_INSERT = re.compile(
    r"\bINSERT\s{1,20}(?:INTO|OVERWRITE)\s{1,20}(?:TABLE\s{1,20})?([\w`.]{1,200})(\s{1,200}SELECT\b)?", re.I
)
_LOOKED_UP = re.compile(
    r"\bJOIN\s{1,40}([\w.`]{1,200})\s{1,40}(?:AS\s{1,20}\w{1,60}\s{1,20})?FOR\s{1,20}SYSTEM_TIME\b", re.I
)
_FROM = re.compile(r"\s+FROM\b", re.I)
_READ = re.compile(
    r"\b(?:FROM|JOIN|(?:(CREATE|DROP|ALTER)\s{1,20}(?:TEMPORARY\s{1,20})?)?TABLE)\s{1,20}([\w`.]{1,200})", re.I
)
_COLUMN = re.compile(r"\s*`?(\w{1,120})`?\s+(\S[^\n]{0,400}|\S.{0,400})", re.S)
_KEY = re.compile(r"\bPRIMARY\s{1,20}KEY\s{0,20}\(([^()]{1,400})\)", re.I)
_TYPE = re.compile(r"[A-Z]{1,40}", re.I)
_SELECTED = re.compile(r"(?:^|[\s.`)])`?(\w{1,120})`?\s*$")
NO_COLUMNS = ("watermark", "primary", "constraint", "unique", "partition", "like")
"""First words of what stands among the columns of a table and is none."""


@dataclass(frozen=True, slots=True)
class SqlTable:
    """One CREATE TABLE.

    printed   its name without catalog and database; empty where a program builds it
    columns   the text between its brackets
    between   the text from there to WITH, such as PARTITIONED BY
    options   key, value and place in the text of each option
    """

    printed: str
    columns: str
    between: str
    options: tuple[tuple[str, str, int], ...]
    place: int

    @property
    def name(self) -> str:
        """The name in lower case, by which statements name it whatever its case."""
        return self.printed.lower()

    @property
    def connector(self) -> str | None:
        """The kind of its connector in lower case; None where no option states it."""
        values = self.values
        return next((values[key].lower() for key in CONNECTOR if values.get(key)), None)

    @property
    def values(self) -> dict[str, str]:
        """The values of the options by key."""
        return {key: value for key, value, _ in self.options}

    @property
    def key(self) -> tuple[str, ...]:
        """The names of the columns of its PRIMARY KEY, in lower case; empty without one."""
        key = _KEY.search(self.columns)
        return tuple(bare_name(each.strip()) for each in key.group(1).split(",")) if key else ()

    @property
    def written(self) -> tuple[str, ...]:
        """The names of the columns that an INSERT writes, in lower case: neither computed nor virtual ones."""
        return tuple(name for name, rest in self._declared() if " VIRTUAL" not in rest)

    @property
    def types(self) -> dict[str, str]:
        """The first word of the type of each column that is not computed, in upper case, by its name in lower case."""
        return {name: each.group() for name, rest in self._declared() if (each := _TYPE.match(rest))}

    def _declared(self) -> Iterator[tuple[str, str]]:
        """The columns that are not computed: their names in lower case, and what follows in upper case."""
        for each in parted(self.columns):
            column = _COLUMN.match(each)
            if column is None or column.group(1).lower() in NO_COLUMNS:
                continue
            rest = column.group(2).upper()
            if not rest.startswith("AS ") and not rest.startswith("AS("):
                yield column.group(1).lower(), rest


@dataclass(frozen=True, slots=True)
class SqlInsert:
    """One INSERT: its table in lower case, and the names that its SELECT lists where each of them has one."""

    table: str
    selected: tuple[str, ...]
    place: int


def sql_tables(plain: str) -> Iterator[SqlTable]:
    """The tables of a source without comments that have options."""
    for table in islice(_TABLE.finditer(plain), MOST_TABLES):
        opening = _WITH.search(plain, table.end(), table.end() + FURTHEST_WITH)
        inside = enclosed(plain, opening.end() - 1, LONGEST_WITH) if opening else None
        if opening is None or inside is None:
            continue
        place, options = opening.end(), []
        for each in parted(inside):
            place = plain.index(each, place)
            option = _OPTION.fullmatch(each)
            if option:
                options.append((option.group(1), option.group(2), place))
        name = _NAME.match(plain, table.end(), opening.start())
        columns = enclosed(plain, name.end() - 1, FURTHEST_WITH) if name else None
        behind = name.end() + len(columns) if name and columns is not None else table.end()
        yield SqlTable(
            printed=last_part(name.group(1)) if name else "",
            columns=columns or "",
            between=plain[behind : opening.start()],
            options=tuple(options),
            place=table.start(),
        )


def hinted_options(plain: str) -> Iterator[tuple[str, str, int]]:
    """Key, value and place of the options that hints give to tables: `t /*+ OPTIONS('scan.mode'='latest') */`."""
    for hint in islice(_HINTED.finditer(plain), MOST_HINTS):
        place = hint.end()
        for each in parted(enclosed(plain, place - 1, LONGEST_WITH) or ""):
            place = plain.index(each, place)
            if option := _OPTION.fullmatch(each):
                yield option.group(1), option.group(2), place


def is_statement(plain: str) -> bool:
    """Whether a text without comments is one of SQL: it begins with a statement, and holds a table or a query."""
    return _STATEMENT.match(plain) is not None and _PART.search(plain) is not None


def sql_inserts(plain: str) -> Iterator[SqlInsert]:
    """The INSERT statements of a source without comments."""
    for each in islice(_INSERT.finditer(plain), MOST_INSERTS):
        selected = _selected(plain, each.end(2)) if each.group(2) else ()
        yield SqlInsert(bare_name(each.group(1)), selected, each.start())


def tables_read(plain: str) -> frozenset[str]:
    """The names behind FROM, JOIN and the TABLE of a window, in lower case."""
    return frozenset(bare_name(each.group(2)) for each in _READ.finditer(plain) if each.group(1) is None)


def tables_looked_up(plain: str) -> Iterator[tuple[str, int]]:
    """The names of the tables that look-up joins ask, as they are printed, and their places."""
    for each in islice(_LOOKED_UP.finditer(plain), MOST_LOOKED_UP):
        yield last_part(each.group(1)), each.start()


def last_part(name: str) -> str:
    """`orders` of `catalog`.db.`orders`."""
    return name.replace("`", "").rpartition(".")[2]


def bare_name(name: str) -> str:
    """A table's name without catalog, database and backticks, in lower case."""
    return last_part(name).lower()


def _selected(plain: str, begin: int) -> tuple[str, ...]:
    """The names in the list of a SELECT; empty where one of them has none, or without a FROM."""
    text = plain[begin : begin + LONGEST_LIST]
    end = next((each.start() for each in _FROM.finditer(text) if _is_outside(text[: each.start()])), None)
    if end is None:
        return ()
    names = [_SELECTED.search(each) for each in parted(text[:end])]
    return tuple(each.group(1).lower() for each in names if each) if all(names) else ()


def _is_outside(text: str) -> bool:
    """Whether the brackets and quotes of a text are closed at its end."""
    return text.count("(") == text.count(")") and text.count("'") % 2 == 0
