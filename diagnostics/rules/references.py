"""The facts that a rule names: whether a signal measures them, where the rule can see it, and with a fitting format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import get_args

from diagnostics.evidence.subject import Level
from diagnostics.language import listed, say
from diagnostics.rules.condition import Compare, IsMeasured
from diagnostics.signals.signal import SignalDefinition
from diagnostics.wording import phrase
from diagnostics.wording.unit import bound_mismatch, format_mismatch
from diagnostics.yaml_document import Place

SUBJECT_PARTS = ("job", "vertex", "vertex_id", "subtask", "task_manager", "host")
COARSER: Mapping[Level, tuple[Level, ...]] = {
    "case": ("case",),
    "job": ("job", "case"),
    "vertex": ("vertex", "job", "case"),
    "subtask": ("subtask", "vertex", "job", "case"),
    "task_manager": ("task_manager", "job", "case"),
}
"""The levels whose facts a rule of a level can read."""


@dataclass(frozen=True, slots=True)
class References:
    """Checks the references of one rule.

    level       of the rule
    vocabulary  the signals by key; None where they are not checked
    report      called with the place of a mistake and what it is
    """

    level: Level
    vocabulary: Mapping[str, SignalDefinition] | None
    report: Callable[[Place, str], None]

    def check(self, reference: str, place: Place) -> None:
        """Reports a reference to what no signal measures, or to what the rule cannot see."""
        key, _, fact = reference.rpartition(".")
        if key == "subject":
            if fact not in SUBJECT_PARTS:
                known = listed(SUBJECT_PARTS)
                fault = say("unknown part {name} of the subject; known are {known}", name=repr(reference), known=known)
                self.report(place, fault)
            return
        if self.vocabulary is None or reference == "job.name":
            return
        definition = self.vocabulary.get(key)
        if definition is None:
            self.report(place, say("unknown signal {name} in {reference}", name=repr(key), reference=repr(reference)))
        elif fact not in definition.facts:
            known = listed(sorted(definition.facts))
            fault = say(
                "signal {name} has no fact {fact}; it has {known}", name=repr(key), fact=repr(fact), known=known
            )
            self.report(place, fault)
        elif definition.level not in COARSER.get(self.level, get_args(Level)):
            self.report(
                place,
                say(
                    "{reference} is measured by {level}; rules of level {other} cannot see it",
                    reference=repr(reference),
                    level=definition.level,
                    other=self.level,
                ),
            )

    def check_leaf(self, leaf: Compare | IsMeasured, place: Place) -> None:
        """The same for a comparison, whose bound has the unit of the fact."""
        self.check(leaf.fact, place)
        key, _, fact = leaf.fact.rpartition(".")
        definition = self.vocabulary.get(key) if self.vocabulary else None
        if definition and isinstance(leaf, Compare):
            mismatch = bound_mismatch(leaf.fact, leaf.op, leaf.value, definition.facts.get(fact, ""))
            if mismatch:
                self.report((*place, "value"), mismatch)

    def check_placeholder(self, reference: str, form: str, place: Place) -> None:
        """The same for a placeholder of a text, whose format fits the unit of the fact."""
        self.check(reference, place)
        if form not in phrase.FORMATS:
            known = listed(phrase.FORMATS)
            self.report(place, say("unknown format {name}; known are {known}", name=repr(form), known=known))
        elif self.vocabulary is not None and (mismatch := format_mismatch(reference, form)):
            self.report(place, mismatch)
