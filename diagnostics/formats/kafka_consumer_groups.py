"""What `kafka-consumer-groups --describe` prints, once or again and again: where groups stand and how far behind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import Span
from diagnostics.notation.rest_document import text

MOST_LINE = 4_000
MOST_ROWS = 300_000
"""Positions of one file that are kept. Our choice: a hundred looks at a topic of three thousand partitions."""
ROWS_AT_ONCE = 5_000
SHOWN = 3

_TITLE = re.compile(
    r"(?m)^(?:GROUP\s{1,300})?TOPIC\s{1,300}PARTITION\s{1,20}(?:LEADER-EPOCH\s{1,20})?CURRENT-OFFSET\s{1,30}LOG-END-OFFSET\s{1,30}LAG\b"
)
_GROUP = re.compile(r"(?:Warning: )?Consumer group '([^']{1,300})' (?:has no active members|is rebalancing)")
_NONE = ("-", "unknown")


def _recognise(head: Head) -> float:
    return 0.95 if _TITLE.search(head.text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """A group named above a table without the column is that of its rows."""
    rows: list[dict[str, Any]] = []
    examples: list[tuple[int, str]] = []
    columns: Sequence[str] = ()
    group: str | None = None
    ts_ms: int | None = None
    kept = odd = 0
    span = Span()
    with open_range(part) as opened:
        for at, raw in enumerate(opened, 1):
            line = raw[:MOST_LINE].decode("utf-8", "replace").strip()
            moment, named = header_time(line), _GROUP.match(line)
            if moment is not None:
                ts_ms = moment
                span.take(moment)
            elif named:
                group = named[1]
            elif _TITLE.match(line):
                columns = line.split()
            elif line:
                row = _position(columns, line.split())
                if row is None:
                    odd += 1
                    examples += [(at, line[:200])] if len(examples) < SHOWN else []
                    continue
                rows.append({"consumer_group": text(group)} | row | {"ts_ms": ts_ms, "line": at, "last_line": at})
            if len(rows) >= ROWS_AT_ONCE:
                yield Rows("consumer_position", rows)
                kept += len(rows)
                rows = []
            if kept >= MOST_ROWS:
                break
    yield Rows("consumer_position", rows)
    yield Coverage(
        records=kept + len(rows),
        not_understood=odd,
        samples=tuple(examples),
        warnings=(f"only the first {kept:,} positions are kept",) if kept >= MOST_ROWS else (),
        first_ts_ms=span.first_ms,
        last_ts_ms=span.last_ms,
    )


def _position(columns: Sequence[str], words: Sequence[str]) -> dict[str, Any] | None:
    """One partition; None for a line that is none."""
    told = dict(zip(columns, words, strict=False))
    partition = told.get("PARTITION", "")
    if "LAG" not in told or not partition.isdecimal() or len(partition) > 9:
        return None
    host = told.get("HOST", "-").lstrip("/")
    named = {"consumer_group": text(told["GROUP"])} if "GROUP" in told else {}
    return {
        **named,
        "topic": text(told["TOPIC"]),
        "partition": int(partition),
        "committed_offset": _offset(told["CURRENT-OFFSET"]),
        "end_offset": _offset(told["LOG-END-OFFSET"]),
        "lag": _offset(told["LAG"]),
        "host": None if host in _NONE else text(host),
    }


def _offset(printed: str) -> int | None:
    return int(printed) if printed.isdecimal() and len(printed) <= 18 else None


FORMAT = Format(
    id="kafka-consumer-groups",
    title="Kafka consumer groups (kafka-consumer-groups --describe)",
    documentation="https://kafka.apache.org/documentation/#basic_ops_consumer_group",
    tables=("consumer_position",),
    recognise=_recognise,
    read=_read,
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
