"""What is easily overlooked in queries of SQL: averages of whole numbers, and conditions behind a join."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from diagnostics.notation.sql_tables import SqlTable, bare_name

MOST_QUERIES = 300
FURTHEST_WHERE = 4_000
"""Characters from a LEFT JOIN to the WHERE of its query. Our choice: some joins with their conditions."""
LONGEST_CONDITION = 2_000

_AVERAGE = re.compile(r"\bAVG\s{0,20}\(\s{0,20}(?:DISTINCT\s{1,20})?((?:\w{1,60}\.)?`?(\w{1,120})`?)\s{0,20}\)", re.I)
_LEFT_JOIN = re.compile(
    r"\bLEFT\s{1,20}(?:OUTER\s{1,20})?JOIN\s{1,20}([\w.`]{1,200})"
    r"(?:\s{1,20}FOR\s{1,20}SYSTEM_TIME\s{1,20}AS\s{1,20}OF\s{1,20}[\w.`]{1,120})?"
    r"(?:\s{1,20}(?:AS\s{1,20})?(?!ON\b)(\w{1,120}))?\s{1,20}ON\b",
    re.I,
)
_WHERE = re.compile(r"\bWHERE\b", re.I)
_ENDS = re.compile(r";|\b(?:SELECT|UNION|INSERT)\b", re.I)
_BEHIND_WHERE = re.compile(r";|\b(?:GROUP\s{1,20}BY|ORDER\s{1,20}BY|HAVING|LIMIT|UNION|SELECT|WINDOW|INSERT)\b", re.I)
_AND = re.compile(r"\bAND\b", re.I)
_COMPARED = re.compile(r"\s{0,200}`?(\w{1,120})`?\.[\w`]{1,120}\s{0,20}(?:=|<|>|!=|IN\b|LIKE\b|BETWEEN\b)", re.I)
_ALLOWS_NULL = re.compile(
    r"\b(?:OR|COALESCE|IFNULL|DISTINCT|CASE)\b|\bIS\s{1,20}(?:NOT\s{1,20})?(?:NULL|TRUE|FALSE)\b", re.I
)


def whole_averages(plain: str, tables: Sequence[SqlTable]) -> Iterator[tuple[str, int]]:
    """The averages of columns that each table declares with a type of whole numbers, and their places."""
    for each in islice(_AVERAGE.finditer(plain), MOST_QUERIES):
        column = each.group(2).lower()
        types = [table.types[column] for table in tables if column in table.types]
        if types and all(_is_whole(each) for each in types):
            yield each.group(), each.start()


def conditions_behind_left_joins(plain: str, tables: Sequence[SqlTable]) -> Iterator[tuple[str, int]]:
    """The conditions of WHERE that are never true for a row without a partner in a LEFT JOIN, and their places."""
    for join in islice(_LEFT_JOIN.finditer(plain), MOST_QUERIES):
        end = _ENDS.search(plain, join.end(), join.end() + FURTHEST_WHERE)
        where = _WHERE.search(plain, join.end(), end.start() if end else join.end() + FURTHEST_WHERE)
        if where is None or not _is_level(plain[join.end() : where.start()]):
            continue
        behind = _BEHIND_WHERE.search(plain, where.end(), where.end() + LONGEST_CONDITION)
        conditions = plain[where.end() : behind.start() if behind else where.end() + LONGEST_CONDITION]
        if _ALLOWS_NULL.search(conditions):
            continue
        name = join.group(2) or bare_name(join.group(1))
        for condition in _AND.split(conditions):
            compared = _COMPARED.match(condition)
            if compared and compared.group(1).lower() == name.lower():
                yield condition.strip(), where.start()


def _is_level(text: str) -> bool:
    """Whether no bracket is closed that was opened before the text, so that it is of one query."""
    depth = 0
    for each in text:
        depth += (each == "(") - (each == ")")
        if depth < 0:
            return False
    return depth == 0


def _is_whole(declared: str) -> bool:
    return declared in ("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT")
