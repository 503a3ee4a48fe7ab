"""The kinds of events of an incident that a log record may report, from `incident_kinds.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from diagnostics.errors import InvalidRule
from diagnostics.notation.record_conditions import (
    HAS_EXCEPTION,
    Marks,
    RecordCondition,
    Records,
    SearchedTexts,
    equals,
    has_event,
    in_any_text,
    in_message,
    is_known,
    message_starts,
)
from diagnostics.vocabulary.catalogue_file import catalogue_document
from diagnostics.yaml_document import Place, YamlDocument

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "incident_kinds.yaml"

MOST_KINDS = 63
"""Kinds of a record are bits of one integer."""

OF_TEXTS: Mapping[str, Callable[..., RecordCondition]] = {
    "in_message": in_message,
    "message_starts": message_starts,
    "in_any_text": in_any_text,
    "event": has_event,
}


def parse_kinds(document: YamlDocument) -> Mapping[str, RecordCondition]:
    """Kind -> condition of the records that report it, in the order of the document.

    Raises  InvalidRule naming the line of an invalid condition.
    """
    if len(document.content) > MOST_KINDS:
        raise InvalidRule([f"{document.source}: {len(document.content)} kinds, at most {MOST_KINDS} are possible"])
    return {kind: _condition(document, entry, (kind,)) for kind, entry in document.content.items()}


def _condition(document: YamlDocument, entry: Any, place: Place) -> RecordCondition:
    if not isinstance(entry, dict) or len(entry) != 1:
        raise InvalidRule([document.fault(place, "a condition is one entry, such as `in_message: [text]`")])
    ((name, value),) = entry.items()
    within = (*place, name)
    if name in ("all", "any") and isinstance(value, list) and value:
        parts = [_condition(document, part, (*within, number)) for number, part in enumerate(value)]
        return reduce(and_ if name == "all" else or_, parts)
    if name == "not":
        return ~_condition(document, value, within)
    if name in OF_TEXTS and _are_texts(value):
        return OF_TEXTS[name](*value)
    if name == "equals" and isinstance(value, dict) and len(value) == 1 and _are_texts(*value.values()):
        ((column, values),) = value.items()
        return equals(column, *values)
    if name == "known" and isinstance(value, str):
        return is_known(value)
    if name == "exception" and value is True:
        return HAS_EXCEPTION
    raise InvalidRule([document.fault(within, f"`{name}` is no condition, or has not what it needs")])


def _are_texts(values: Sequence[Any]) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(value, str) and value for value in values)


def _shipped() -> Mapping[str, RecordCondition]:
    return parse_kinds(catalogue_document(FILE))


KINDS: Mapping[str, RecordCondition] = _shipped()
"""Kind of event -> condition of the records that report it."""

MARKS = reduce(Marks.__or__, (kind.marks for kind in KINDS.values() if kind.marks is not None))
MARKED_TEXTS, MARKED_EVENTS = (tuple(sorted(marks)) for marks in (MARKS.texts, MARKS.events))
"""Each record that has a kind has one of these texts or events, or prints an exception."""


@cache
def _searched_texts() -> SearchedTexts:
    return SearchedTexts(text for kind in KINDS.values() for text in kind.texts)


def kinds_of(records: pa.RecordBatch | pa.Table) -> pa.Array:
    """The kinds of each record, separated by spaces; null for the many without one.

    records  rows of `log_record`, at least the columns that conditions read
    """
    import numpy as np
    import pyarrow as pa

    searched = Records(records, _searched_texts())
    bits = np.zeros(searched.count, np.int64)
    for place, kind in enumerate(KINDS.values()):
        bits |= kind.holds(searched).astype(np.int64) << place
    different, places = np.unique(bits, return_inverse=True)
    return pa.array([_names(each) for each in different.tolist()], pa.string()).take(pa.array(places))


def _names(bits: int) -> str | None:
    """The kinds whose bits are set."""
    return " ".join(kind for place, kind in enumerate(KINDS) if bits >> place & 1) or None
