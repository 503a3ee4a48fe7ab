"""Reads the mapping of a source of any JSON: a line `field: /pointer` for each field of an alert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import listed
from workbench.languages.sentences import say, say_later

FIELDS = {
    "alerts": say_later("list of alerts in the body; without it the body is one alert"),
    "identity": say_later("what stays the same for an alert while it fires and when it is resolved"),
    "name": say_later("name of the alert"),
    "state": say_later("state of the alert"),
    "resolved": say_later("words of the state that mean resolved, separated by commas; not a pointer"),
    "labels": say_later("object of labels"),
    "summary": say_later("a sentence about it"),
    "url": say_later("page of the alert"),
    "starts_at": say_later("since when it fires: ISO 8601 or milliseconds"),
    "ends_at": say_later("when it was resolved"),
}
"""Fields of a mapping with descriptions. All but `alerts` and `resolved` are pointers within one alert."""
NEEDED = ("identity", "name")

LONGEST_POINTER = 300
EXAMPLE = "identity: /id\nname: /title\nstate: /status\nlabels: /tags\nstarts_at: /since"


class MappingRefused(Exception):
    """An invalid line of the mapping; the text names it."""


def mapping_read(written: str) -> dict[str, str]:
    """The mapping. Raises MappingRefused."""
    mapping: dict[str, str] = {}
    for number, line in enumerate(written.splitlines(), 1):
        if not line.strip():
            continue
        field, colon, pointer = (part.strip() for part in line.partition(":"))
        if not colon or field not in FIELDS:
            raise MappingRefused(
                say(
                    "Line {number} is not `field: /pointer` with one of {fields}.",
                    number=number,
                    fields=listed(FIELDS),
                )
            )
        if len(pointer) > LONGEST_POINTER or (field != "resolved" and not pointer.startswith("/")):
            raise MappingRefused(
                say(
                    "Line {number}: a JSON pointer begins with / and has at most {most} letters.",
                    number=number,
                    most=LONGEST_POINTER,
                )
            )
        mapping[field] = pointer
    if missing := [field for field in NEEDED if field not in mapping]:
        raise MappingRefused(say("{missing} must be mapped.", missing=" and ".join(missing)))
    return mapping


def mapping_written(mapping: Mapping[str, str]) -> str:
    """The mapping as text for editing."""
    return "\n".join(f"{field}: {pointer}" for field, pointer in mapping.items())


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer; None when there is none."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            document = document.get(name)
        elif isinstance(document, list) and name.isdecimal() and len(name) < 6 and int(name) < len(document):
            document = document[int(name)]
        else:
            return None
    return document
