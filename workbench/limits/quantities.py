"""Converts limits to text and back without rounding."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from workbench.languages.sentences import say
from workbench.limits.catalogue import Unit

BINARY = {"bytes": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
_BY_WORD = {name.lower(): factor for name, factor in BINARY.items()} | {
    "": 1,
    "b": 1,
    "byte": 1,
    "k": 1024,
    "m": 1024**2,
    "g": 1024**3,
    "t": 1024**4,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "tb": 1000**4,
}
LONGEST = 40


def quantity_text(value: int, unit: Unit) -> str:
    """`2 GiB`, `5,000`, `200 times`: the largest unit in which the value is whole."""
    if unit is Unit.BYTES:
        name = next(name for name, factor in reversed(BINARY.items()) if value % factor == 0)
        return f"{value // BINARY[name]:,} {name}"
    return say("{value:,} times", value=value) if unit is Unit.RATIO else f"{value:,}"


def read(text: str, unit: Unit) -> int:
    """The number in a user's text. Raises ValueError with a sentence for them."""
    plain = text.strip().replace(",", "").replace("\u00a0", " ")[: LONGEST + 1]
    digits = plain.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 倍")
    word = plain[len(digits) :].strip().lower()
    factors = _BY_WORD if unit is Unit.BYTES else {"": 1, "times": 1, "倍": 1} if unit is Unit.RATIO else {"": 1}
    example = {Unit.BYTES: say("500 MiB or 2 GiB"), Unit.COUNT: "5000", Unit.RATIO: "200"}[unit]
    try:
        value = Decimal(digits) * factors[word]
    except (InvalidOperation, KeyError):
        raise ValueError(say("Write it as {example}.", example=example)) from None
    if len(plain) > LONGEST or not value.is_finite() or value != value.to_integral_value() or value >= 2**63:
        raise ValueError(say("Write it as {example}.", example=example))
    return int(value)
