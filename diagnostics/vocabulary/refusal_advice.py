"""What to do about a refusal of a certain system, where its message has no repair of its own.

`refusal_advice.yaml`: how a system refuses (a key of `outside_refusals.yaml`) -> system -> what to do. Its first
sentence is what to do first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations


@cache
def refusal_advice() -> Mapping[tuple[str, str], str]:
    """(how a system refuses, system) -> advice. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "refusal_advice.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "refusal_advice.yaml").content
    return {
        (how, system): with_translations(entry["advice"].strip(), entry, "advice")
        for how, by_system in content.items()
        for system, entry in by_system.items()
    }
