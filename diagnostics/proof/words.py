"""Values and differences of a comparison in words."""

from __future__ import annotations

from diagnostics.proof.quantity import Effect, Unit
from diagnostics.wording import phrase

MINUS = "\N{MINUS SIGN}"

FORMS = {"duration": "duration", "percent": "percent", "number": "number", "bytes": "bytes", "rate": "rate"}

TIMES = 1.5
MANY = 10
"""From the first factor on the difference is printed as a factor too, from the second one without decimals. Our
choice.
"""

WAYS = {
    "duration": ("longer", "shorter"),
    "bytes": ("larger", "smaller"),
    "percent": ("larger", "smaller"),
    "number": ("more", "fewer"),
    "rate": ("more", "fewer"),
    "per hour": ("more", "fewer"),
}
"""Words for larger and smaller, by unit."""


def value_in_words(value: float, unit: Unit) -> str:
    """A value with its unit."""
    if unit == "per hour":
        return f"{phrase.number(round(value, 1))} per hour"
    return phrase.FORMATS[FORMS[unit]](value)


def change_in_words(effect: Effect) -> str:
    """The difference in points or in the unit; beyond the noise in percent and as a factor, too.

    For example `-10.4 s (-72 %, 3.6 times shorter)`.
    """
    if effect.before is None or effect.after is None:
        return ""
    before, after, unit = effect.before.value, effect.after.value, effect.quantity.unit
    size = _signed(after - before, unit)
    if before <= 0 or after < 0 or effect.judgement in ("unchanged", "cannot tell"):
        return size
    parts = [f"{MINUS if after < before else '+'}{abs(after - before) / before * 100:,.0f} %"]
    factor = max(before, after) / min(before, after) if min(before, after) > 0 else 0.0
    if factor >= TIMES:
        way = WAYS[unit][0 if after > before else 1]
        parts.append(f"{phrase.number(round(factor, 1 if factor < MANY else 0))} times {way}")
    return f"{size} ({', '.join(parts)})"


def range_in_words(low: float, high: float, unit: Unit) -> str:
    """Both ends, with the unit once where it is the same."""
    first, last = value_in_words(low, unit), value_in_words(high, unit)
    for ending in (" per hour", " %", "/s"):
        if first.endswith(ending) and last.endswith(ending):
            first = first.removesuffix(ending)
    return f"{first} to {last}"


def _signed(change: float, unit: Unit) -> str:
    points = unit == "percent"
    size = f"{phrase.number(round(abs(change) * 100, 1))} points" if points else value_in_words(abs(change), unit)
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'+' if change > 0 else MINUS}{size}"
