"""Settings with which jobs, processes and clients fail, by texts of their exceptions, from `setting_faults.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from diagnostics.notation.constant_text import EntryTexts
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.class_owners import is_conflict
from diagnostics.vocabulary.message_remedies import REMEMBERED, SETTING, STATEMENT, shown_by_message
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class SettingFault:
    """One entry: what is wrong as a clause, the texts that show it, and what to set.

    patterns  shapes of texts that name an option
    frames    beginnings of frames in which settings are read: what they throw shows it, too
    by_message  whether an entry of `message_remedies` that shows a setting shows it
    innermost   whether the texts only count in the innermost exception: its cause is not known otherwise
    no_statement  whether it blames no statement: its texts do not count where the entry of `message_remedies` shows one
    checks    frames of connectors in which options are checked; they count where the innermost exception is one of
              `thrown`
    """

    what: str
    texts: tuple[str, ...]
    remedy: str
    patterns: re.Pattern[str] | None = None
    frames: tuple[str, ...] = ()
    checks: re.Pattern[str] | None = None
    thrown: tuple[str, ...] = ()
    by_message: bool = False
    innermost: bool = False
    no_statement: bool = False

    def is_shown_in(self, text: str, frames: Sequence[str]) -> bool:
        """Whether an exception chain, thrown in these frames, shows it without one of its texts.

        What a message looks like gives way to the entry that knows it and blames a statement.
        """
        shown = shown_by_message(text, frames)
        shaped = self.patterns is not None and shown != STATEMENT and self.patterns.search(text) is not None
        return shaped or (self.by_message and shown == SETTING)

    def is_thrown_in(self, frames: Sequence[str], exception: str) -> bool:
        """Whether one of its frames threw the innermost exception, which is no conflict of class versions."""
        if self.frames and not is_conflict(exception, "") and any(each.startswith(self.frames) for each in frames):
            return True
        checks = self.checks
        return checks is not None and exception.startswith(self.thrown) and any(checks.match(each) for each in frames)


@cache
def setting_faults() -> tuple[SettingFault, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("setting_faults.yaml")
    return tuple(_fault(what, entry) for what, entry in content.items())


def _fault(what: str, entry: Mapping[str, Any]) -> SettingFault:
    return SettingFault(
        what=with_translations(what, entry, "what"),
        texts=tuple(entry.get("texts", ())),
        remedy=with_translations(entry["remedy"].strip(), entry, "remedy"),
        patterns=_any_of(entry.get("patterns", ())),
        frames=tuple(entry.get("frames", ())),
        checks=_any_of(entry.get("checks", ())),
        thrown=tuple(entry.get("thrown", ())),
        by_message=bool(entry.get("message_remedies")),
        innermost=entry.get("innermost") is True,
        no_statement=entry.get("no_statement") is True,
    )


def _any_of(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{each})" for each in patterns)) if patterns else None


@lru_cache(maxsize=REMEMBERED)
def setting_fault_of(text: str, frames: tuple[str, ...] = (), exception: str = "") -> SettingFault | None:
    """The first entry that fits an exception chain, the frames in which it was thrown, and the innermost class."""
    known = _texts().entries_in(text)
    if any(setting_faults()[place].innermost for place in known):
        last = _texts().entries_in(text[max(text.rfind(f"\n{exception}: "), 0) :])
        known = {place for place in known if place in last or not setting_faults()[place].innermost}
    if any(setting_faults()[place].no_statement for place in known) and shown_by_message(text, frames) == STATEMENT:
        known = {place for place in known if not setting_faults()[place].no_statement}
    fitting = known | _thrown_in(frames, exception)
    faults = enumerate(setting_faults())
    return next((each for place, each in faults if place in fitting or each.is_shown_in(text, frames)), None)


@cache
def _texts() -> EntryTexts:
    return EntryTexts(each.texts for each in setting_faults())


@lru_cache(maxsize=REMEMBERED)
def _thrown_in(frames: tuple[str, ...], exception: str) -> frozenset[int]:
    """The places of the entries that frames and the innermost class show, which differ less than messages."""
    return frozenset(place for place, each in enumerate(setting_faults()) if each.is_thrown_in(frames, exception))
