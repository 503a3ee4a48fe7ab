"""Values of Flink options as numbers: durations in milliseconds, memory sizes in bytes, booleans."""

from __future__ import annotations

from collections.abc import Mapping

DURATION_MS: Mapping[str, float] = {
    **dict.fromkeys(("d", "day", "days"), 86_400_000.0),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000.0),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1000.0),
    **dict.fromkeys(("ms", "milli", "millis", "millisecond", "milliseconds", ""), 1.0),
    **dict.fromkeys(("us", "micro", "micros", "microsecond", "microseconds", "µs"), 0.001),
    **dict.fromkeys(("ns", "nano", "nanos", "nanosecond", "nanoseconds"), 0.000001),
}
"""Unit labels of a duration; a bare number is milliseconds. Source: Flink's documentation of option types."""

SIZE_BYTES: Mapping[str, float] = {
    **dict.fromkeys(("", "b", "bytes"), 1.0),
    **dict.fromkeys(("k", "kb", "kibibytes"), 1024.0),
    **dict.fromkeys(("m", "mb", "mebibytes"), 1024.0**2),
    **dict.fromkeys(("g", "gb", "gibibytes"), 1024.0**3),
    **dict.fromkeys(("t", "tb", "tebibytes"), 1024.0**4),
}
"""Unit labels of a memory size, binary in Flink. Source: Flink's documentation of option types."""

ISO_8601_MS: Mapping[str, float] = {"D": 86_400_000.0, "H": 3_600_000.0, "M": 60_000.0, "S": 1000.0}
UNLIMITED_MS = 2.0**62
"""From here on a duration means `never`: Flink prints Long.MAX_VALUE for disabled periodic checkpoints."""
END_OF_INPUT = 9e18
"""From here on a watermark is no time but Flink's MAX_WATERMARK (Long.MAX_VALUE): an input that ended emits it, and it
holds nothing back."""
DISABLED = "disabled"
"""The interval of checkpoints of a job for which Flink answers that they are not enabled."""
LONGEST_VALUE = 64
"""Characters of a value that may be a number; longer ones are not parsed. Our choice."""


def duration_ms(text: str | None) -> float | None:
    """`30s`, `10 min`, `30000` or `PT30S` in milliseconds; None for anything else and for `never`."""
    value = _duration(text)
    return None if value is None or value >= UNLIMITED_MS else value


def is_never(text: str | None) -> bool:
    """Whether a duration means `never`."""
    return (_duration(text) or 0.0) >= UNLIMITED_MS


def _duration(text: str | None) -> float | None:
    value = _split(text, DURATION_MS)
    return _iso_8601_ms(text) if value is None else value


def size_bytes(text: str | None) -> float | None:
    """`4mb`, `1 g` or `4096` in bytes; None for anything else."""
    return _split(text, SIZE_BYTES)


def number(text: str | None) -> float | None:
    """A plain number; None for anything else."""
    return _split(text, {"": 1.0})


def truth(text: str | None) -> bool | None:
    """`true` or `false` in any case; None for anything else."""
    return {"true": True, "false": False}.get((text or "").strip().lower())


def _split(text: str | None, units: Mapping[str, float]) -> float | None:
    stripped = (text or "").strip().lower()
    if not stripped or len(stripped) > LONGEST_VALUE:
        return None
    digits = 0
    while digits < len(stripped) and (
        stripped[digits].isascii() and (stripped[digits].isdigit() or stripped[digits] == ".")
    ):
        digits += 1
    factor = units.get(stripped[digits:].strip())
    try:
        return float(stripped[:digits]) * factor if factor is not None else None
    except ValueError:
        return None


def _iso_8601_ms(text: str | None) -> float | None:
    """`PT1H30M`, `P1D` in milliseconds, as configuration objects print durations."""
    stripped = (text or "").strip().upper()
    if not stripped.startswith("P") or len(stripped) > LONGEST_VALUE:
        return None
    value, number_text = 0.0, ""
    for letter in stripped[1:].replace("T", ""):
        if letter.isdigit() or letter == ".":
            number_text += letter
        elif letter in ISO_8601_MS and number_text:
            try:
                value += float(number_text) * ISO_8601_MS[letter]
            except ValueError:
                return None
            number_text = ""
        else:
            return None
    return value if not number_text and len(stripped) > 1 else None
