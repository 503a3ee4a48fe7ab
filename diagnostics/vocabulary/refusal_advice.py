"""What to do about a refusal of a certain system, where its message has no repair of its own.

`refusal_advice.yaml` has for each advice

ways     the ways in which a system refuses, keys of `outside_refusals.yaml`
systems  the systems that it is for
advice   what to do; its first sentence is what to do first
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations


@cache
def refusal_advice() -> Mapping[tuple[str, str], str]:
    """(way of refusing, system) -> advice. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("refusal_advice.yaml")
    return {
        (way, system): with_translations(entry["advice"].strip(), entry, "advice")
        for entry in content.values()
        for way in entry["ways"]
        for system in entry["systems"]
    }
