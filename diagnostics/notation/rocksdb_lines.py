"""Times of the lines of a RocksDB log, by column: `2026/11/21-01:53:41.042445 7f8e139ff6c0 message`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Flags = npt.NDArray[np.bool_]
    Times = npt.NDArray[np.int64]

STAMP = r"[0-9]{4}/[0-9]{2}/[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}"
_HEAD = rf"^{STAMP} [0-9a-f]{{1,16}} [\t-\r\x1c-\x20]*[^\t-\r\x1c-\x20]"
_MINUTE, _SECONDS, _STAMP = len("2026/11/21-01:53"), len("2026/11/21-01:53:"), len("2026/11/21-01:53:41.042445")


def stamped_lines(lines: pa.LargeBinaryArray) -> tuple[Flags, Flags, Times]:
    """Which lines begin with a time and a thread, which of these times are in the calendar, and the times.

    Times are epoch ms as if they were UTC, 0 where there is none.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    is_stamped = pc.match_substring_regex(lines, _HEAD)
    stamped = is_stamped.to_numpy(zero_copy_only=False)
    stamps = pc.binary_slice(lines.filter(is_stamped), 0, _STAMP)
    minutes = pc.binary_slice(stamps, 0, _MINUTE).dictionary_encode()
    begins = [_minute_s(minute.decode()) for minute in minutes.dictionary.to_pylist()]
    begin_s = np.array([-1 if begin is None else begin for begin in begins], np.int64)[minutes.indices.to_numpy()]
    seconds = pc.cast(pc.cast(pc.binary_slice(stamps, _SECONDS, _STAMP), pa.string()), pa.float64()).to_numpy()
    dated, times = stamped.copy(), np.zeros(len(lines), np.int64)
    dated[stamped] = (begin_s != -1) & (seconds < 60)
    times[stamped] = np.rint((begin_s * 1_000_000 + np.rint(seconds * 1e6)) / 1e6 * 1000)
    return stamped, dated, np.where(dated, times, 0)


def stamp_ms(stamp: str) -> int | None:
    """Epoch ms of one time as if it were UTC; None when it is not in the calendar."""
    try:
        moment = datetime.strptime(stamp, "%Y/%m/%d-%H:%M:%S.%f").replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp() * 1000)


def _minute_s(minute: str) -> int | None:
    """Epoch seconds of the beginning of a minute."""
    begin = stamp_ms(f"{minute}:00.000000")
    return None if begin is None else begin // 1000
