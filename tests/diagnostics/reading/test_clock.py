"""The clock of a file: zones with daylight saving time, shifts as typed, and invalid ones."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diagnostics.errors import UnreadableInput
from diagnostics.reading.clock import FileClock, shift_of, shift_text

JANUARY, JULY = 1_767_225_600_000, 1_782_864_000_000
"""2026-01-01 and 2026-07-01, 00:00 UTC."""
HOUR = 3_600_000


def test_local_times_of_a_zone_become_utc_with_its_summer_time() -> None:
    times = pa.array([JANUARY, None, JULY], pa.int64())
    moved = FileClock("Europe/Berlin").moved(times).to_pylist()
    assert moved == [JANUARY - HOUR, None, JULY - 2 * HOUR]


def test_a_shift_is_added_behind_the_zone() -> None:
    assert FileClock("Asia/Shanghai", 500).moved_ms(JANUARY) == JANUARY - 8 * HOUR + 500
    assert FileClock(None, -90_000).moved_ms(JANUARY) == JANUARY - 90_000
    assert FileClock("UTC", 1).moved_ms(None) is None


def test_an_hour_that_a_zone_has_twice_or_never_does_not_stop_the_reading() -> None:
    twice, never = 1_792_893_600_000, 1_774_753_200_000  # 2026-10-25 02:00 and 2026-03-29 03:00, in Berlin
    assert None not in FileClock("Europe/Berlin").moved(pa.array([twice, never - HOUR // 2], pa.int64())).to_pylist()


@pytest.mark.parametrize(
    ("typed", "shift_ms"),
    [
        ("", 0),
        ("+02:00", 2 * HOUR),
        ("-00:00:30", -30_000),
        ("-90 s", -90_000),
        ("350ms", 350),
        ("\u22121.5 h", -5_400_000),
    ],
)
def test_a_shift_is_read_as_people_type_it(typed: str, shift_ms: int) -> None:
    assert shift_of(typed) == shift_ms


@pytest.mark.parametrize(("zone", "shift"), [("Mars/Olympus", ""), ("", "later"), ("", "900 d"), ("../etc", "")])
def test_what_is_no_zone_or_no_shift_is_refused(zone: str, shift: str) -> None:
    with pytest.raises(UnreadableInput):
        FileClock.checked(zone, shift)


@pytest.mark.parametrize("shift_ms", [2 * HOUR, -90_000, 350, 86_400_000, -60_000])
def test_a_printed_shift_can_be_typed_again(shift_ms: int) -> None:
    assert shift_of(shift_text(shift_ms)) == shift_ms


def test_no_shift_is_one_of_no_milliseconds() -> None:
    assert shift_text(0) == "+0 ms"
