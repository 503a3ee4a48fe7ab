"""Settings with which jobs, processes and clients fail, by texts of their exceptions, from `setting_faults.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml


@dataclass(frozen=True, slots=True)
class SettingFault:
    """One entry: what is wrong as a clause, the texts that show it, and what to set."""

    what: str
    texts: tuple[str, ...]
    remedy: str


@cache
def setting_faults() -> tuple[SettingFault, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "setting_faults.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "setting_faults.yaml").content
    return tuple(SettingFault(what, tuple(entry["texts"]), entry["remedy"].strip()) for what, entry in content.items())


def setting_fault_of(text: str) -> SettingFault | None:
    """The first entry with a text that is in this one; None without one."""
    return next((each for each in setting_faults() if any(part in text for part in each.texts)), None)
