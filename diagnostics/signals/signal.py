"""What was measured, and what could not be measured and why. Signals measure; rules judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnostics.citation import Citation, is_known
from diagnostics.evidence.subject import FactValue, Level, Subject

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_CITATIONS = 12
"""How many citations a signal keeps; `citation_count` has the true number. Our choice: a page shows about ten."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One measurement of one subject.

    key        `<signal file>.<what>` without the facts' names, e.g. `load_balance.hot_subtask`
    facts      name (with its unit: `_ms`, `_bytes`, `_ratio`, `_per_s`) -> value; a value that is not known is absent
    window     first and last epoch ms of the evidence it rests on, None when that has no time
    citations  at most MOST_CITATIONS, the most telling first; citation_count is how many there were
    """

    key: str
    subject: Subject
    facts: Mapping[str, FactValue]
    citations: tuple[Citation, ...] = ()
    citation_count: int = 0
    window: tuple[int, int] | None = None

    def as_json(self) -> dict[str, Any]:
        """A mapping of JSON values; `from_json` is its inverse. A fact that is no finite number is not known."""
        return {
            "key": self.key,
            "subject": self.subject.as_json(),
            "facts": {name: value for name, value in self.facts.items() if is_known(value)},
            "citations": [citation.as_json() for citation in self.citations[:MOST_CITATIONS]],
            "citation_count": max(self.citation_count, len(self.citations)),
            "window": list(self.window) if self.window else None,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Signal:
        """The signal that `as_json` wrote; further entries are left alone."""
        window = stored.get("window")
        return cls(
            key=stored["key"],
            subject=Subject(**stored["subject"]),
            facts=stored["facts"],
            citations=tuple(Citation.from_json(each) for each in stored["citations"]),
            citation_count=stored["citation_count"],
            window=(window[0], window[1]) if window else None,
        )


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A measurement that the evidence does not allow, with the kind of evidence that would.

    needs   an id of `diagnostics/vocabulary/evidence_kinds.yaml`, e.g. `checkpoint-details`
    reason  one sentence
    """

    key: str
    needs: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """A mapping of JSON values."""
        return {"key": self.key, "needs": self.needs, "reason": self.reason}


Measured = Iterable[Signal | NotMeasured]


@dataclass(frozen=True, slots=True)
class SignalDefinition:
    """One entry of a signal file's `SIGNALS`.

    key      as in `Signal.key`
    level    what kind of subject it has, so that a rule cannot mix levels
    facts    every fact it can give: name -> what it means, with unit
    measure  from the evidence tables to signals, one for each subject
    """

    key: str
    level: Level
    facts: Mapping[str, str]
    measure: Callable[[Evidence], Measured] = field(repr=False)


def known_facts(facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """The facts whose value is known: an unknown one is absent, never zero."""
    return {name: value for name, value in facts.items() if value is not None}
