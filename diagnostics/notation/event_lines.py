"""Events of a file that holds one in each line, whatever the line looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from diagnostics.format import Coverage, Range, Rows, open_range
from diagnostics.notation.event_field import BATCH_EVENTS, EventFields, Events

MOST_LINE = 1_048_576
"""Bytes of a line that may be an event. Our choice: longer than any record that a broker takes by default."""
LINES_LOOKED_AT = 20
"""Lines by which a file is recognised and its fields are told apart. Our choice."""

MOST_SAMPLES = 3


def read_event_lines(
    part: Range,
    fields: EventFields | None,
    event_of: Callable[[bytes], Mapping[str, Any] | None],
    *,
    names_first: bool = False,
) -> Iterator[Rows | Coverage]:
    """The events of a range and what was not understood of it.

    fields       which field of an event is what; None: no line is an event
    event_of     the event of a line, None when it is none
    names_first  whether the first line of the file names the fields
    """
    events = Events()
    records = odd = 0
    examples: list[tuple[int, str]] = []
    place = part.start
    with open_range(part) as opened:
        for number, line in enumerate(opened, 1):
            if place >= part.end:
                break
            is_names = names_first and place == 0
            place += len(line)
            if is_names:
                continue
            event = event_of(line) if fields is not None else None
            if event is not None and fields is not None:
                events.add(event, fields, number)
                if len(events.lines) >= BATCH_EVENTS:
                    records += len(events.lines)
                    yield Rows("event", batch=events.batch())
                    events = Events()
            elif line.strip():
                odd += 1
                if len(examples) < MOST_SAMPLES:
                    examples.append((number, line[:200].decode("utf-8", "replace").strip()))
    if events.lines:
        records += len(events.lines)
        yield Rows("event", batch=events.batch())
    yield Coverage(records=records, not_understood=odd, samples=tuple(examples))
