"""Settings with which jobs, processes and clients fail, by texts of their exceptions, from `setting_faults.yaml`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

REMEMBERED = 1_024
"""Exception chains whose answer is kept. Our choice: a job that restarts fails thousands of times with a few of them,
and three signals ask about each.
"""


@dataclass(frozen=True, slots=True)
class SettingFault:
    """One entry: what is wrong as a clause, the texts that show it, and what to set.

    frames  beginnings of frames of Flink that read settings: what they throw shows it, too
    """

    what: str
    texts: tuple[str, ...]
    remedy: str
    frames: tuple[str, ...] = ()

    def fits(self, text: str, frames: Sequence[str]) -> bool:
        """Whether an exception chain contains one of its texts, or was thrown in one of its frames."""
        if any(map(text.__contains__, self.texts)):
            return True
        return bool(self.frames) and any(each.startswith(self.frames) for each in frames)


@cache
def setting_faults() -> tuple[SettingFault, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "setting_faults.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "setting_faults.yaml").content
    return tuple(
        SettingFault(
            with_translations(what, entry, "what"),
            tuple(entry.get("texts", ())),
            with_translations(entry["remedy"].strip(), entry, "remedy"),
            tuple(entry.get("frames", ())),
        )
        for what, entry in content.items()
    )


@lru_cache(maxsize=REMEMBERED)
def setting_fault_of(text: str, frames: tuple[str, ...] = ()) -> SettingFault | None:
    """The first entry that fits an exception chain and the frames in which it was thrown; None without one."""
    return next((each for each in setting_faults() if each.fits(text, frames)), None)
