"""Corrections of a file's clock: the time zone of times without one, and a shift."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from diagnostics.errors import UnreadableInput
from diagnostics.language import say
from diagnostics.notation.flink_values import DURATION_MS

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SHIFT_MS = 366 * 86_400_000
"""Maximum shift: a year, as a wrong date causes. Our choice, as in the log explorer."""

_OFFSET = re.compile(r"([+-]?)(\d{1,2}):(\d\d)(?::(\d\d))?$")
_AMOUNT = re.compile(r"([+-]?\d{1,9}(?:\.\d{1,3})?) ?(ms|s|min|h|d)$")


@dataclass(frozen=True, slots=True)
class FileClock:
    """Converts a file's times to times of the case. `checked` parses what a user typed.

    zone      IANA name; times read as UTC are local times there. None: times are correct
    shift_ms  milliseconds added afterwards
    """

    zone: str | None = None
    shift_ms: int = 0

    @classmethod
    def checked(cls, zone: str, shift: str) -> FileClock:
        """Raises UnreadableInput for an unknown zone, or a shift that is not a duration or above a year."""
        named = zone.strip()
        if named and named not in _zones():
            raise UnreadableInput(
                say("{named!r} is no time zone; they are called for example Europe/Berlin or UTC", named=named[:60])
            )
        return cls(named or None, shift_of(shift))

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> FileClock:
        """The clock that `as_json` wrote."""
        return cls(stored["zone"], stored["shift_ms"])

    def as_json(self) -> dict[str, Any]:
        """A mapping of JSON values."""
        return {"zone": self.zone, "shift_ms": self.shift_ms}

    def moved(self, times: pa.Array) -> pa.Array:
        """The corrected times of a column, epoch ms; unknown ones stay unknown. An ambiguous hour is its first
        occurrence.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.zone is not None:
            local = times.cast(pa.timestamp("ms"))
            there = pc.assume_timezone(local, self.zone, ambiguous="earliest", nonexistent="earliest")
            times = there.cast(pa.timestamp("ms", "UTC")).cast(pa.int64())
        return pc.add(times, self.shift_ms) if self.shift_ms else times

    def moved_ms(self, ts_ms: int | None) -> int | None:
        """One corrected time, epoch ms; None stays None."""
        import pyarrow as pa

        if ts_ms is None:
            return None
        moved: int = self.moved(pa.array([ts_ms], pa.int64()))[0].as_py()
        return moved


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def shift_of(typed: str) -> int:
    """`+02:00`, `-90 s`, `350 ms` in milliseconds; 0 for nothing. Raises UnreadableInput."""
    plain = typed.strip().replace("\N{MINUS SIGN}", "-")
    if not plain:
        return 0
    offset, amount = _OFFSET.match(plain), _AMOUNT.match(plain)
    if offset:
        sign, hours, minutes, seconds = offset.groups()
        shift = ((int(hours) * 60 + int(minutes)) * 60 + int(seconds or 0)) * 1000 * (-1 if sign == "-" else 1)
    elif amount:
        shift = round(float(amount[1]) * DURATION_MS[amount[2]])
    else:
        raise UnreadableInput(
            say("{typed!r} is no time to add; write for example +02:00, -90 s or 350 ms", typed=typed[:60])
        )
    if abs(shift) > MOST_SHIFT_MS:
        raise UnreadableInput(say("a clock can be moved by a year at the most"))
    return shift


def shift_text(shift_ms: float) -> str:
    """A shift as typed: `+2 h`, `-90 s`, `+350 ms`."""
    units = ("d", "h", "min", "s") if shift_ms else ("ms",)
    unit = next((each for each in units if shift_ms % DURATION_MS[each] == 0), "ms")
    return f"{'+' if shift_ms >= 0 else '-'}{abs(shift_ms) / DURATION_MS[unit]:.15g} {unit}"
