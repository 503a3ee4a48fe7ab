"""Tests of rules: signals on which a rule must hold, or must not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, get_args

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.match import Matches, match
from diagnostics.errors import InvalidRule
from diagnostics.evidence.subject import Subject
from diagnostics.language import say, to_say
from diagnostics.rules.rule import LONGEST_RULE, Rule, Ruleset
from diagnostics.rules.shipped import shipped_rule_names, shipped_rules
from diagnostics.signals.signal import Signal, SignalDefinition
from diagnostics.symptoms import FOLDER
from diagnostics.yaml_document import Place, YamlDocument, read_yaml

Kind = Literal["fires", "silent"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MOST_SIGNALS = 200
"""Signals in one sample. Our choice: the longest shipped sample has a dozen."""

SUBJECT_PARTS = {field.name for field in fields(Subject)}
NO_PART = to_say("{name} is no part of a subject")
NO_FACT = to_say("the signal has no fact {name}")


@dataclass(frozen=True, slots=True)
class Sample:
    """The signals of one test. Construct with `from_yaml`, which collects all errors."""

    index: SignalIndex

    @classmethod
    def from_yaml(cls, text: str, source: str, vocabulary: Mapping[str, SignalDefinition]) -> Sample:
        """The sample in a YAML text. Raises InvalidRule with every error and its line."""
        return _SampleReader(read_yaml(text, source, LONGEST_RULE), vocabulary).sample()

    def judged_by(self, rule: Rule) -> Matches:
        """The rule's result on the signals."""
        return match(self.index, Ruleset.of([rule]))

    def passes(self, rule: Rule, kind: Kind) -> bool:
        """Whether the rule holds on a sample that must fire, or does not hold on one that must be silent."""
        return bool(self.judged_by(rule).findings) == (kind == "fires")


class _SampleReader:
    def __init__(self, document: YamlDocument, vocabulary: Mapping[str, SignalDefinition]) -> None:
        self._document = document
        self._vocabulary = vocabulary
        self._errors: list[str] = []

    def sample(self) -> Sample:
        entries = self._document.content.get("signals")
        for unknown in sorted(set(self._document.content) - {"signals"}):
            self._report((unknown,), say("unknown entry {name}", name=repr(unknown)))
        if not isinstance(entries, list) or not 1 <= len(entries) <= MOST_SIGNALS:
            self._report(("signals",), say("`signals` is a list of 1 to {most} signals", most=MOST_SIGNALS))
            raise InvalidRule(self._errors)
        signals = list(self._signals(entries))
        if self._errors:
            raise InvalidRule(self._errors)
        return Sample(SignalIndex(signals, {each.key: self._vocabulary[each.key].level for each in signals}))

    def _report(self, place: Place, text: str) -> None:
        self._errors.append(self._document.fault(place, text))

    def _signals(self, entries: list[Any]) -> Iterator[Signal]:
        for position, entry in enumerate(entries):
            place: Place = ("signals", position)
            if not isinstance(entry, dict) or not {"key", "facts"} <= set(entry) <= {"key", "subject", "facts"}:
                self._report(place, say("a signal has key, subject and facts"))
                continue
            definition = self._vocabulary.get(str(entry["key"]))
            if definition is None:
                self._report((*place, "key"), say("unknown signal {name}", name=repr(entry["key"])))
                continue
            subject = self._mapping(entry.get("subject", {}), (*place, "subject"), SUBJECT_PARTS, NO_PART)
            facts = self._mapping(entry["facts"], (*place, "facts"), set(definition.facts), NO_FACT)
            if not self._errors:
                yield Signal(definition.key, Subject(**subject), facts)

    def _mapping(self, entry: Any, place: Place, known: set[str], unknown: str) -> dict[str, Any]:
        if not isinstance(entry, dict):
            self._report(place, say("a mapping is expected"))
            return {}
        for name, value in entry.items():
            if name not in known:
                self._report((*place, name), say(unknown, name=repr(name)))
            elif not _is_plain(value):
                fault = say("a number, a word, true, false or a list of them is expected")
                self._report((*place, name), fault)
        return entry


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, (str, int, float)) for item in value)
    return isinstance(value, (str, int, float))


@cache
def shipped_samples() -> Mapping[str, Mapping[Kind, str]]:
    """The YAML texts of both samples of every shipped rule, by the rule's id."""
    texts: dict[str, dict[Kind, str]] = {}
    for rule in shipped_rules():
        folder = FOLDER / rule.symptom_class / "rules"
        found = {kind: folder / f"{shipped_rule_names()[rule.id]}.{kind}.yaml" for kind in KINDS}
        texts[rule.id] = {kind: each.read_text("utf-8") for kind, each in found.items() if each.is_file()}
    return texts
