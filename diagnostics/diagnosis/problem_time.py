"""The time at which a diagnosed problem was last observed, from the times in the evidence."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any


def problem_seen_at(document: Mapping[str, Any]) -> dt.datetime | None:
    """The time of the newest citation of a root cause; None when the evidence has no times.

    Evidence that begins later as a whole was collected later, too.
    """
    return max((*_cited(document), *_first_of_inputs(document)), default=None)


def _cited(document: Mapping[str, Any]) -> Iterator[dt.datetime]:
    for finding in document["findings"]:
        if finding["role"] == "root_cause":
            yield from (moment for each in finding["evidence"] if (moment := _moment(each.get("ts"))))


def _first_of_inputs(document: Mapping[str, Any]) -> Iterator[dt.datetime]:
    first = [moment for each in document["inputs"] if (moment := _moment(each.get("first_ts")))]
    if first:
        yield min(first)


def _moment(text: str | None) -> dt.datetime | None:
    if not text:
        return None
    moment = dt.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
