"""The time that a script prints above the output of a command: `date -Is`, `date -u +%FT%TZ`, epoch seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

MOST_LENGTH = 40

_EPOCH = re.compile(r"^(\d{10})(?:\.\d{1,9})?$|^(\d{13})$")


def header_time(line: str) -> int | None:
    """Epoch ms of a line with only a time, else None; without a zone it is read as UTC."""
    text = line.strip().lstrip("#= ").rstrip("= ")
    if not text or len(text) > MOST_LENGTH:
        return None
    epoch = _EPOCH.match(text)
    if epoch:
        return int(epoch[2]) if epoch[2] else int(float(text) * 1000)
    if not text[:4].isdigit():
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
