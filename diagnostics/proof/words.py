"""Values and differences of a comparison in words."""

from __future__ import annotations

from diagnostics.language import say, to_say
from diagnostics.proof.quantity import Effect, Unit
from diagnostics.wording import phrase

MINUS = "\N{MINUS SIGN}"

FORMS = {"duration": "duration", "percent": "percent", "number": "number", "bytes": "bytes", "rate": "rate"}

PER_HOUR = to_say("{number} per hour")

TIMES = 1.5
MANY = 10
"""From the first factor on the difference is printed as a factor too, from the second one without decimals. Our
choice.
"""

WAYS = {
    "duration": (to_say("{factor} times longer"), to_say("{factor} times shorter")),
    "bytes": (to_say("{factor} times larger"), to_say("{factor} times smaller")),
    "percent": (to_say("{factor} times larger"), to_say("{factor} times smaller")),
    "number": (to_say("{factor} times more"), to_say("{factor} times fewer")),
    "rate": (to_say("{factor} times more"), to_say("{factor} times fewer")),
    "per hour": (to_say("{factor} times more"), to_say("{factor} times fewer")),
}
"""What a factor is called when the value grew and when it fell, by unit."""


def value_in_words(value: float, unit: Unit) -> str:
    """A value with its unit."""
    if unit == "per hour":
        return say(PER_HOUR, number=phrase.number(round(value, 1)))
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
        parts.append(say(way, factor=phrase.number(round(factor, 1 if factor < MANY else 0))))
    return phrase.in_brackets(size, say(", ").join(parts))


def range_in_words(low: float, high: float, unit: Unit) -> str:
    """Both ends, with the unit once where it is the same."""
    first, last = value_in_words(low, unit), value_in_words(high, unit)
    for ending in (say(PER_HOUR, number=""), " %", "/s"):
        if first.endswith(ending) and last.endswith(ending):
            first = first.removesuffix(ending)
    return say("{first} to {last}", first=first, last=last)


def _signed(change: float, unit: Unit) -> str:
    if unit == "percent":
        size = say("{number} points", number=phrase.number(round(abs(change) * 100, 1)))
    else:
        size = value_in_words(abs(change), unit)
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'+' if change > 0 else MINUS}{size}"
