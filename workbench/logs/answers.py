"""The JSON that the log page is made of. Every answer is bounded: well below a megabyte, whatever the log holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from django.urls import reverse

from diagnostics.log_book.columns import LEVELS
from diagnostics.log_book.counting import histogram
from diagnostics.log_book.finding import neighbours, step
from diagnostics.log_book.fold import folded
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import Term, parse_search, quoted
from diagnostics.log_book.view import Positions, View
from workbench.languages.sentences import say
from workbench.logs.asked import Asked
from workbench.logs.models import PinnedRecord, record_address
from workbench.logs.selectors import CaseLog, file_of, lines_address

MOST_ROWS = 300
"""Records of one answer; a screen shows a tenth of it."""
LONGEST_MESSAGE = 600
"""Characters of a message in the list, where a line has room for a third of it."""
MOST_CONTEXT = 50

LISTED = (
    *("ts_ms", "goes_back", "level", "logger", "thread", "message", "file_id", "line", "last_line"),
    *("root_cause_class", "root_cause_message", "pattern"),
)
FULL = (
    *(*LISTED, "order_ms", "continuation", "event", "job_id", "task", "subtask", "attempt", "checkpoint_id"),
    *("task_manager", "exception_class"),
)


def overview_answer(book: LogBook, asked: Asked, view: View, at: tuple[str, int] | None) -> dict[str, Any]:
    """Number of records by time and level, and the target of the address."""
    span = asked.span or book.span_of(view)
    first = step(book, view, -1, book.conditions(parse_search("level:error+")), 1)
    faulty = view.slice(first, 1) if first is not None else view.slice(0, 0)
    kept = {name: book.contents[name] for name in ("records", "left_out", "undated")}
    return {
        "total": view.total,
        "kept": kept,
        "span": span,
        "terms": [_term(each, book) for each in asked.search.terms],
        "histogram": histogram(book, view, span),
        "first_error": [{"place": first, "ts": row["order_ms"]} for row in book.rows(faulty, ["order_ms"])],
        "at": place_answer(book, view, at) if at else None,
    }


def place_answer(book: LogBook, view: View, at: tuple[str, int]) -> dict[str, Any] | None:
    """The place in the view of the record that contains a line; `listed` is false when only a neighbour is in the
    view.
    """
    file_id = book.file_id(at[0])
    position = None if file_id is None else book.position_of(file_id, at[1])
    if position is None:
        return None
    place = view.nearest(position)
    shown = view.slice(place, 1)
    return {"position": position, "place": place, "listed": bool(len(shown)) and int(shown[0]) == position}


def _term(term: Term, book: LogBook) -> dict[str, Any]:
    """A term as a chip: a pattern is shown by its text."""
    label = term.source
    if term.field == "pattern":
        known = {each["id"]: each["text"] for each in book.contents["patterns"]}
        label = say(" or ").join(known.get(value, say("pattern {id}", id=value)) for value in term.values)
    return {"source": term.source, "label": label, "excluded": term.excluded, "field": term.field}


def records_answer(log: CaseLog, asked: Asked, view: View, start: int, count: int) -> dict[str, Any]:
    """Some rows of the list."""
    start = min(max(start, 0), view.total)
    positions = view.slice(start, min(count, MOST_ROWS))
    rows = rows_answer(log, asked, positions)
    if view.repeats is not None:
        for row, repeats in zip(rows, view.repeats[start : start + len(rows)].tolist(), strict=True):
            row["repeats"] = repeats
    return {"start": start, "total": view.total, "rows": rows}


def rows_answer(log: CaseLog, asked: Asked, positions: Sequence[int] | Positions) -> list[dict[str, Any]]:
    """The records as the list shows them."""
    book = log.book
    shifts = asked.shifts(book)
    pinned = set(log.pins.values_list("path", "line"))
    read = book.rows(np.asarray(positions, np.int32), LISTED)
    return [
        _row(row, int(position), book, pinned, shifts)
        for row, position in zip(read, np.asarray(positions), strict=True)
    ]


def _row(
    row: Mapping[str, Any], position: int, book: LogBook, pinned: set[tuple[str, int]], shifts: Mapping[int, int]
) -> dict[str, Any]:
    file = book.contents["files"][row["file_id"]]
    message = row["message"] or ""
    shift = shifts.get(row["file_id"], 0)
    cause = [part for part in (row["root_cause_class"], row["root_cause_message"]) if part]
    return {
        "position": position,
        "ts": None if row["ts_ms"] is None else row["ts_ms"] + shift,
        "moved_ms": shift,
        "back": bool(row["goes_back"]),
        "level": _level(row["level"]),
        "logger": row["logger"],
        "thread": row["thread"],
        "file": file["name"],
        "host": file["host"],
        "role": file["role"],
        "line": row["line"],
        "more": (row["last_line"] or row["line"]) - row["line"],
        "message": message[:LONGEST_MESSAGE],
        "cause": ": ".join(cause)[:300],
        "pinned": (file["name"], row["line"]) in pinned,
    }


def _level(number: int | None) -> str | None:
    return None if number is None else LEVELS[number]


def record_answer(log: CaseLog, asked: Asked, position: int, around: int) -> dict[str, Any]:
    """Everything about one record: its folded trace, its fields, what it is part of, its neighbours, its addresses."""
    book = log.book
    full = book.rows(np.array([position], np.int32), FULL)[0]
    file = book.contents["files"][full["file_id"]]
    pin = log.pins.filter(path=file["name"], line=full["line"]).first()
    stored = file_of(log, file["name"])
    return {
        "row": rows_answer(log, asked, [position])[0],
        "message": full["message"],
        "folds": [asdict(each) for each in folded(full["continuation"])],
        "continuation": full["continuation"],
        "last_line": full["last_line"],
        "fields": fields_of(full, book),
        "operations": operations_of(full),
        "context": {
            name: rows_answer(log, asked, neighbours(book, position, around, same_file=name == "file"))
            for name in ("file", "all")
        },
        "address": record_address(log.case.pk, log.snapshot, file["name"], full["line"]),
        "pin": pin_answer(pin) if pin else None,
        "lines_url": lines_address(log, file["name"], full["line"], full["last_line"]),
        "download_url": reverse("uploads:download", args=[stored.pk]) if stored else None,
    }


def fields_of(full: Mapping[str, Any], book: LogBook) -> list[dict[str, Any]]:
    """The record's fields in the order people look for them, each with the term that finds its like."""
    file = book.contents["files"][full["file_id"]]
    pattern = book.contents["patterns"][full["pattern"]]
    texts = {
        "logger": full["logger"],
        "thread": full["thread"],
        "task": full["task"],
        "taskmanager": full["task_manager"],
        "job": full["job_id"],
        "exception": full["exception_class"],
        "cause": full["root_cause_class"],
        "event": full["event"],
        "role": file["role"],
        "host": file["host"],
        "file": file["name"],
    }
    numbers = {"subtask": full["subtask"], "attempt": full["attempt"], "checkpoint": full["checkpoint_id"]}
    level = _level(full["level"])
    fields = [("level", level, f"level:{level}")] if level else []
    fields += [(name, str(value), f"{name}={value}") for name, value in numbers.items() if value is not None]
    fields += [(name, value, f"{name}={quoted(value)}") for name, value in texts.items() if value]
    fields.append(("pattern", pattern["text"], f"pattern:{pattern['id']}"))
    return [{"name": name, "value": value, "term": term} for name, value, term in fields]


def operations_of(full: Mapping[str, Any]) -> list[dict[str, str]]:
    """The operations that the record is a step of, narrowest first; `term` searches the records of one."""
    operations: list[dict[str, str]] = []
    if full["checkpoint_id"] is not None:
        number = full["checkpoint_id"]
        operations.append(
            {"kind": "checkpoint", "label": say("checkpoint {number}", number=number), "term": f"checkpoint={number}"}
        )
    if full["task"]:
        task = f"task={quoted(full['task'])}"
        name = full["task"] if len(full["task"]) <= 60 else f"{full['task'][:57]}…"
        if full["subtask"] is not None:
            task += f" subtask={full['subtask']}"
            name = say("{task}, subtask {subtask}", task=name, subtask=full["subtask"])
        if full["attempt"] is not None:
            attempt = f"{task} attempt={full['attempt']}"
            operations.append(
                {
                    "kind": "attempt",
                    "label": say("{task}, attempt {attempt}", task=name, attempt=full["attempt"]),
                    "term": attempt,
                }
            )
        operations.append({"kind": "task", "label": name, "term": task})
    if full["task_manager"]:
        term = f"taskmanager={quoted(full['task_manager'])}"
        operations.append(
            {"kind": "taskmanager", "label": say("TaskManager {id}", id=full["task_manager"]), "term": term}
        )
    if full["job_id"]:
        operations.append({"kind": "job", "label": say("job {id}", id=full["job_id"]), "term": f"job={full['job_id']}"})
    return operations


def pin_answer(pin: PinnedRecord) -> dict[str, Any]:
    """A pinned record as the page lists it."""
    return {
        "file": pin.path,
        "line": pin.line,
        "ts": pin.ts_ms,
        "level": pin.level or None,
        "message": pin.text,
        "note": pin.note,
        "by": pin.by.get_username(),
        "url": pin.get_absolute_url(),
    }
