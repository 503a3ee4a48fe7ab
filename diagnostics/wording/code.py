"""Commands, settings and lines of code with measured values, for a user to copy."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping

from diagnostics.evidence.subject import FactValue, Lookup
from diagnostics.notation.source_text import SOURCE_FORMS
from diagnostics.wording.phrase import FORMATS, NOTHING, fill_places, plain


def _code_number(value: FactValue) -> str:
    """A number for every language and shell: no separators, no unit."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return plain(value)
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}" if abs(value) < 100_000 else f"{value:.0f}"


def _code_duration(value: FactValue) -> str:
    """Milliseconds for Flink's options: an integer and a unit (`TimeUtils.parseDuration`)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return plain(value)
    ms = math.ceil(value)
    unit, name = next((each for each in DURATION_UNITS if ms and ms % each[0] == 0), (1, "ms"))
    return f"{ms // unit} {name}"


def _code_memory(value: FactValue) -> str:
    """Bytes for Flink's options: an integer and a unit (`MemorySize.parse`)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return plain(value)
    size_bytes = math.ceil(value)
    unit, name = next((each for each in MEMORY_UNITS if size_bytes and size_bytes % each[0] == 0), (1, "b"))
    return f"{size_bytes // unit}{name}"


DURATION_UNITS = ((3_600_000, "h"), (60_000, "min"), (1000, "s"))
MEMORY_UNITS = ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k"))
"""Units of Flink's options, the largest first."""

CODE_FORMATS: Mapping[str, Callable[[FactValue], str]] = {
    **dict.fromkeys(("plain", "number", "count", "ratio", "percent", "rate", "often"), _code_number),
    "bytes": _code_memory,
    "memory": _code_memory,
    "duration": _code_duration,
}
"""Formats of a number in a command, a setting or a line of code."""


def fill_code(template: str, lookup: Lookup, unknown: Mapping[str, str] = NOTHING) -> str:
    """A command, a setting or a line of code with its values, for a user to copy.

    Values come from untrusted evidence. A number is printed without separators; a duration or a size as an integer with
    a unit of Flink's options. A text is inserted only when the shell does not interpret it (`shlex.quote` leaves it
    unchanged) and it is no option; it is then harmless within quotes, in YAML, Java and SQL too. With the format `code`
    names of a program with `[]` and `()` are inserted as well, with `source` calls of a source, and with `type` its
    types. Other values are shown as `<name>`.

    unknown  reference -> replacement for `<name>`
    """

    def shown(reference: str, form: str) -> str | None:
        value = lookup(reference)
        said = _in_code(value, form) if is_harmless_in_code(value, form) else None
        return unknown.get(reference) if said is None else said

    return fill_places(template, lookup, shown)


def is_harmless_in_code(value: FactValue, form: str = "plain") -> bool:
    """Whether the value has no special meaning in a command or in code."""
    if form in SOURCE_FORMS and isinstance(value, str) and SOURCE_FORMS[form].fullmatch(value):
        return True
    if isinstance(value, str):
        return shlex.quote(value) == value and not value.startswith("-")
    return all(map(is_harmless_in_code, value)) if isinstance(value, list) else True


def _in_code(value: FactValue, form: str) -> str | None:
    if value is None:
        return None
    return CODE_FORMATS[form](value) if form in CODE_FORMATS else FORMATS[form](value)
