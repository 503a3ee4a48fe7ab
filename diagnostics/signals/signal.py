"""Types of measurements: Signal, NotMeasured with its reason, SignalDefinition. Signals measure; rules judge."""

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

    key        `<signal file>` or `<signal file>.<what>`, e.g. `load_balance` or `back_pressure.origin`
    facts      name (with its unit: `_ms`, `_bytes`, `_ratio`, `_per_s`) -> value; an unknown value is absent
    window     first and last epoch ms of the evidence, None when it has no time
    citations  at most MOST_CITATIONS, the most important first; citation_count is their number before that limit
    """

    key: str
    subject: Subject
    facts: Mapping[str, FactValue]
    citations: tuple[Citation, ...] = ()
    citation_count: int = 0
    window: tuple[int, int] | None = None

    def as_json(self) -> dict[str, Any]:
        """A mapping of JSON values, the inverse of `from_json`; a fact that is not a finite number is left out."""
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
        """The signal that `as_json` wrote; unknown entries are ignored."""
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
    """A measurement that the evidence does not allow, and the kind of evidence that would allow it.

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
    level    kind of subject, so that a rule cannot mix levels
    facts    every fact it can give: name -> meaning, with unit
    measure  from the evidence tables to signals, one per subject
    """

    key: str
    level: Level
    facts: Mapping[str, str]
    measure: Callable[[Evidence], Measured] = field(repr=False)


def known_facts(facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """The facts with a known value: an unknown fact is absent, never zero."""
    return {name: value for name, value in facts.items() if value is not None}
