"""Samples of a job's input as delimited text with field names in the first line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.csv_line import csv_fields
from diagnostics.notation.event_field import EventFields, event_fields
from diagnostics.notation.event_lines import LINES_LOOKED_AT, MOST_LINE, read_event_lines
from diagnostics.notation.file_range import Head, Range, open_text

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COLUMNS = 500
SEPARATORS = "\t;,|"
UNSURE_KEYS = frozenset(("id", "key"))
"""Column names that many tables have; these need an arrival time beside them to count as events."""


def _recognise(head: Head) -> float:
    lines = head.text.lstrip("\ufeff").split("\n", LINES_LOOKED_AT + 1)
    filled = [line for line in (lines if head.complete else lines[:-1]) if line.strip()][: LINES_LOOKED_AT + 1]
    layout = _Layout.of(filled[0]) if len(filled) > 1 and len(filled[0]) <= MOST_LINE else None
    if layout is None:
        return 0.0
    events = [event for line in filled[1:] if (event := layout.event(line)) is not None]
    fields = [event_fields(event) for event in events]
    usable = [each for each in fields if each is not None]
    if len(events) < 0.9 * len(filled[1:]) or not usable or len(usable) < 0.9 * len(events):
        return 0.0
    if usable[0].arrival:
        return 0.8
    return 0.5 if usable[0].key.lower() not in UNSURE_KEYS else 0.0


class _Layout:
    """Separator and column names."""

    def __init__(self, separator: str, names: Sequence[str]) -> None:
        self._separator, self._names = separator, names

    @classmethod
    def of(cls, line: str) -> _Layout | None:
        """The layout of the first line; None when it holds no names."""
        separator = max(SEPARATORS, key=line.count)
        names = [name.strip() for name in csv_fields(line, separator)]
        plausible = 2 <= len(names) <= MOST_COLUMNS and len(set(names)) == len(names)
        return (
            cls(separator, names)
            if plausible and all(name[:1].isalpha() or name[:1] == "_" for name in names)
            else None
        )

    def event(self, line: str) -> dict[str, Any] | None:
        """Values of a line by name; None when their number differs from the names."""
        values = csv_fields(line, self._separator)
        if len(values) != len(self._names):
            return None
        return {name: _value(value.strip()) for name, value in zip(self._names, values, strict=True)}

    def columns(self, block: bytes, fields: EventFields) -> pa.Table | None:
        """The columns of events in many lines; None when a column must be read line by line."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        separator = self._separator.encode()
        if separator + b" " in block or b" " + separator in block:
            return None  # spaces around values do not belong to them
        texts = [name for name in (fields.key, fields.partition) if name]
        times = [name for name in (fields.event_time, fields.arrival) if name]
        convert = arrow_csv.ConvertOptions(
            include_columns=[*texts, *times],
            column_types=dict.fromkeys(texts, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
        )
        whole = arrow_csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=list(self._names))
        parse = arrow_csv.ParseOptions(delimiter=self._separator, ignore_empty_lines=False)
        try:
            found = arrow_csv.read_csv(pa.BufferReader(block), whole, parse, convert)
        except pa.ArrowException:
            return None
        # A column of numbers and texts would be read as texts, losing the numbers.
        odd = any(pa.types.is_string(found.schema.field(name).type) for name in times)
        return None if odd else found


def _value(text: str) -> Any:
    """Whole numbers and fractions as numbers, because times are; an empty value is None."""
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 18 and (text[0] != "0" or text == "0"):
        return int(text)
    try:
        return float(text) if text[:1].isdigit() and "." in text else text
    except ValueError:
        return text


def _read(part: Range) -> Iterator[Rows | Coverage]:
    layout, fields = _layout_of_file(part)

    def event(line: bytes) -> dict[str, Any] | None:
        return layout.event(line.decode("utf-8", "replace")) if layout is not None and len(line) <= MOST_LINE else None

    def columns(block: bytes) -> pa.Table | None:
        return layout.columns(block, fields) if layout is not None and fields is not None else None

    return read_event_lines(part, fields, event, columns, names_first=True)


def _layout_of_file(part: Range) -> tuple[_Layout | None, EventFields | None]:
    """The layout and event fields from the first lines of the whole file, so that all its ranges agree."""
    with open_text(part) as opened:
        layout = _Layout.of(opened.readline(MOST_LINE))
        for _ in range(LINES_LOOKED_AT if layout else 0):
            event = layout.event(opened.readline(MOST_LINE)) if layout else None
            fields = event_fields(event, part.context.get("event_fields")) if event else None
            if fields:
                return layout, fields
    return layout, None


FORMAT = Format(
    id="event-csv",
    title=to_say("Event sample (CSV)"),
    documentation="https://www.rfc-editor.org/rfc/rfc4180",
    tables=("event",),
    recognise=_recognise,
    read=_read,
    splittable=True,
    samples=(
        Sample(
            name="events/readings.csv",
            text="device_id,event_time,ingest_time,partition,note\n"
            'sensor-0068,1795224420970,1795224422471,0,"a, b"\n'
            "sensor-0162,1795224422098,1795224422512,1,\n",
            rows={
                "event": [
                    {
                        "key": "sensor-0068",
                        "event_ms": 1795224420970,
                        "arrival_ms": 1795224422471,
                        "partition": "0",
                        "line": 2,
                        "last_line": 2,
                    },
                    {"key": "sensor-0162", "event_ms": 1795224422098, "partition": "1", "line": 3},
                ]
            },
        ),
        Sample(
            name="orders.tsv",
            text="customer_id\tcreated_at\tamount\n007\t2026-11-21T01:26:59.250Z\t4\n8\t2026-11-21T01:27:00Z\t5\n",
            rows={
                "event": [
                    {"key": "007", "event_ms": 1795224419250, "arrival_ms": None},
                    {"key": "8", "event_ms": 1795224420000},
                ]
            },
        ),
    ),
)
