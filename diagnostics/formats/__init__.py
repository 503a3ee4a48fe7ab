"""File formats, one per file. A file in this folder is registered by its `FORMAT`; nothing imports a format by name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.errors import UnknownFormat
from diagnostics.formats.format import Format
from diagnostics.language import listed, say, to_say
from diagnostics.notation.file_range import Head
from diagnostics.registry import registered

LEAST_CONFIDENCE = 0.3
"""Below this a file is kept as an attachment and not analysed. Our choice."""


def _formats() -> dict[str, Format]:
    found = [value for _, value in registered(sys.modules[__name__], "FORMAT")]
    return {each.id: each for each in sorted(found, key=lambda each: each.id)}


FORMATS: Mapping[str, Format] = _formats()
"""Every format by id."""

_BY_CERTAINTY = sorted(FORMATS.values(), key=lambda each: (-each.certainty, each.id))


@dataclass(frozen=True, slots=True)
class Recognition:
    """The format of a file and the confidence (0..1); `format_id` is None for a file that no format recognises."""

    format_id: str | None
    title: str
    confidence: float


def recognise(head: Head, *, binary: bool = False) -> Recognition:
    """The format with the highest confidence, among binary or among text formats; ties go to the smaller id."""
    confidence, best = 0.0, None
    for format_ in _BY_CERTAINTY:
        if format_.certainty < confidence:
            break
        if format_.binary is binary:
            claim = format_.recognise(head)
            if claim > confidence or (best is not None and claim == confidence and format_.id < best.id):
                confidence, best = claim, format_
    if best is None or confidence < LEAST_CONFIDENCE:
        return Recognition(None, to_say("Not recognised: kept as an attachment"), 0.0)
    return Recognition(best.id, best.title, round(min(confidence, 1.0), 2))


def format_by_id(format_id: str) -> Format:
    """The format with that id. Raises UnknownFormat."""
    try:
        return FORMATS[format_id]
    except KeyError:
        raise UnknownFormat(
            say("there is no format {format_id!r}; known are {names}", format_id=format_id, names=listed(FORMATS))
        ) from None
