"""Output of `kafka-consumer-groups --describe`, once or repeatedly: positions and lag of consumer groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.rest_document import text
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
MOST_ROWS = 300_000
"""Positions kept of one file. Our choice: a hundred readings of a topic with three thousand partitions."""

_TITLE = re.compile(
    r"(?m)^(?:GROUP\s{1,300})?TOPIC\s{1,300}PARTITION\s{1,20}(?:LEADER-EPOCH\s{1,20})?CURRENT-OFFSET\s{1,30}LOG-END-OFFSET\s{1,30}LAG\b"
)
_GROUP = re.compile(r"(?:Warning: )?Consumer group '([^']{1,300})' (?:has no active members|is rebalancing)")
_NONE = ("-", "unknown")


def _recognise(head: Head) -> float:
    return 0.95 if _TITLE.search(head.text) else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    """Rows of the tables; a group named above a table without a group column applies to its rows."""
    columns: Sequence[str] = ()
    group: str | None = None
    ts_ms: int | None = None
    for at, whole_line in numbered_lines(part, MOST_LINE):
        line = whole_line.lstrip()
        moment, named = header_time(line), _GROUP.match(line)
        if moment is not None:
            ts_ms = moment
            tally.take_time(moment)
        elif named:
            group = named[1]
        elif _TITLE.match(line):
            columns = line.split()
        elif row := _position(columns, line.split()):
            tally.records += 1
            yield {"consumer_group": text(group)} | row | {"ts_ms": ts_ms, "line": at, "last_line": at}
        elif line:
            tally.odd(at, line)


def _position(columns: Sequence[str], words: Sequence[str]) -> dict[str, Any] | None:
    """Position of one partition; None for other lines."""
    row = dict(zip(columns, words, strict=False))
    partition = row.get("PARTITION", "")
    if "LAG" not in row or not partition.isdecimal() or len(partition) > 9:
        return None
    host = row.get("HOST", "-").lstrip("/")
    named = {"consumer_group": text(row["GROUP"])} if "GROUP" in row else {}
    return {
        **named,
        "topic": text(row["TOPIC"]),
        "partition": int(partition),
        "committed_offset": _offset(row["CURRENT-OFFSET"]),
        "end_offset": _offset(row["LOG-END-OFFSET"]),
        "lag": _offset(row["LAG"]),
        "host": None if host in _NONE else text(host),
    }


def _offset(printed: str) -> int | None:
    return int(printed) if printed.isdecimal() and len(printed) <= 18 else None


FORMAT = Format(
    id="kafka-consumer-groups",
    title=to_say("Kafka consumer groups (kafka-consumer-groups --describe)"),
    documentation="https://kafka.apache.org/documentation/#basic_ops_consumer_group",
    tables=("consumer_position",),
    recognise=_recognise,
    read=row_reader("consumer_position", _rows, most=MOST_ROWS),
    samples=(
        Sample(
            name="kafka/groups.txt",
            text="2026-11-21T01:00:00Z\n"
            "\n"
            "GROUP   TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG    CONSUMER-ID  HOST       CLIENT-ID\n"
            "orders  orders  0          1000            41000           40000  consumer-1   /10.0.0.5  consumer-1\n"
            "orders  orders  1          -               5               -      -            -          -\n",
            rows={
                "consumer_position": [
                    {
                        "ts_ms": 1795222800000,
                        "consumer_group": "orders",
                        "topic": "orders",
                        "partition": 0,
                        "committed_offset": 1000,
                        "end_offset": 41000,
                        "lag": 40000,
                        "host": "10.0.0.5",
                        "line": 4,
                    },
                    {"partition": 1, "committed_offset": None, "end_offset": 5, "lag": None, "host": None, "line": 5},
                ]
            },
        ),
        Sample(
            name="kafka/group-before-2.0.txt",
            text="Consumer group 'bill job' has no active members.\n\n"
            "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
            "bills 3         7              9              2   -           -    -\n",
            rows={"consumer_position": [{"ts_ms": None, "consumer_group": "bill job", "partition": 3, "lag": 2}]},
        ),
    ),
)
