"""Filters of the audit log, and its rows for a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_date

from workbench.audit.models import AuditEntry
from workbench.audit.words import actions_called
from workbench.untrusted.csv_cell import harmless_cell

COLUMNS = ("at", "name", "via", "address", "action", "target", "status", "details")
FILTERS = ("who", "what", "first", "last")
ROWS_AT_ONCE = 500


def entries_matching(asked: Mapping[str, str]) -> QuerySet[AuditEntry]:
    """The entries: `who` is a name, `what` a part of an action, of its words, or of an address; `first` and
    `last` are days, UTC."""
    entries = AuditEntry.objects.all()
    if who := asked.get("who", "").replace("\x00", "").strip():
        entries = entries.filter(name__iexact=who[:150])
    if what := asked.get("what", "").replace("\x00", "").strip():
        what = what[:100]
        named = Q(action__icontains=what) | Q(action__in=actions_called(what))
        entries = entries.filter(named | Q(target__icontains=what))
    if first := _day(asked.get("first", "")):
        entries = entries.filter(at__gte=first)
    if last := _day(asked.get("last", "")):
        entries = entries.filter(at__lt=last + timedelta(days=1))
    return entries


def _day(text: str) -> datetime | None:
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day and day.year < 9999 else None


def rows_as_csv(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    """The entries as CSV, one line at a time, the oldest first."""
    yield _line(COLUMNS)
    for values in _rows(entries):
        yield _line([harmless_cell(_text(value)) for value in values.values()])


def rows_as_json_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    """The entries as one JSON object in each line, the oldest first."""
    for values in _rows(entries):
        yield json.dumps(values, ensure_ascii=False) + "\n"


def _rows(entries: QuerySet[AuditEntry]) -> Iterator[dict[str, object]]:
    for values in entries.order_by("pk").values(*COLUMNS).iterator(ROWS_AT_ONCE):
        yield values | {"at": values["at"].isoformat()}


def _line(cells: object) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()


def _text(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
