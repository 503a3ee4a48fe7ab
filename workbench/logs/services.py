"""Pins, annotates and unpins log records."""

from __future__ import annotations

import numpy as np
from django.db import transaction

from diagnostics.log_book.columns import LEVELS
from workbench.accounts.models import User
from workbench.cases.services import case_lock
from workbench.languages.sentences import say
from workbench.logs.models import PinnedRecord
from workbench.logs.selectors import CaseLog
from workbench.untrusted.storable import storable

MOST_PINS = 500
MOST_NOTE = 5_000
"""Limits of pins and their notes. Our choice: nobody reads more."""


class CannotPin(Exception):
    """A record cannot be pinned; the text is for the user."""


@transaction.atomic
def record_pin(*, log: CaseLog, user: User, path: str, line: int, note: str = "") -> PinnedRecord:
    """Pins the record that contains a line, or changes the note of its pin. Raises CannotPin."""
    if len(note) > MOST_NOTE:
        raise CannotPin(say("A note has at most {most:,} characters.", most=MOST_NOTE))
    case, book = log.case, log.book
    file_id = book.file_id(path)
    position = None if file_id is None else book.position_of(file_id, line)
    if position is None or path != storable(path):
        raise CannotPin(say("There is no log record at line {line} of {path}.", line=line, path=path))
    row = book.rows(np.array([position], np.int32), ["ts_ms", "level", "message", "line"])[0]
    case_lock(case)
    known = log.pins.filter(path=path, line=row["line"]).first()
    if known is None and case.pinned_records.count() >= MOST_PINS:
        raise CannotPin(say("A case has at most {most} pinned records.", most=MOST_PINS))
    pinned = known or PinnedRecord(case=case, snapshot=log.snapshot, path=path, line=row["line"], by=user)
    pinned.ts_ms, pinned.note = row["ts_ms"], storable(note.strip())
    pinned.level = LEVELS[row["level"]] if row["level"] is not None else ""
    pinned.text = storable((row["message"] or "")[:500])
    pinned.save()
    return pinned


def record_unpin(*, log: CaseLog, path: str, line: int) -> bool:
    """Removes the pin. Gives whether there was one."""
    deleted, _ = log.pins.filter(path=path, line=line).delete()
    return bool(deleted)
