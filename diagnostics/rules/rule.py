"""A rule: a validated value made from a mapping. Signals measure, rules judge; every bound is data in a rule."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args

from diagnostics.errors import InvalidRule
from diagnostics.evidence.subject import Level
from diagnostics.language import Text, listed, say
from diagnostics.rules.condition import Condition, ConditionParser
from diagnostics.rules.contradiction import contradiction
from diagnostics.rules.references import References
from diagnostics.signals.signal import SignalDefinition
from diagnostics.symptoms import Dimension
from diagnostics.wording import phrase
from diagnostics.wording.placeholder import PLACEHOLDER
from diagnostics.wording.translated import translated
from diagnostics.yaml_document import Place, YamlDocument, read_yaml, translated_names

Severity = Literal["critical", "warning", "info"]
Status = Literal["experimental", "stable", "deprecated"]
"""Maturity of a rule, which judges in any case. The default is stable."""

LONGEST_RULE = 20_000
"""Characters. Our choice: three times the longest shipped rule, and parsed in less than a second."""

IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
SYMPTOM_CLASS = re.compile(r"[a-z][a-z0-9_]{0,49}")
FLINK_WINDOW = re.compile(r"(>=|<=|<|>)\d+\.\d+(,(>=|<=|<|>)\d+\.\d+)?")


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A change of the rule's confidence: a condition, a signed amount, and the reason in words."""

    when: Condition
    delta: float
    because: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A further sentence, included when its condition holds and its facts are known.

    eases  of a step: it helps against a consequence until its cause is repaired, and so is said beside the cause too
    """

    when: Condition | None
    say: str
    eases: bool = False


@dataclass(frozen=True, slots=True)
class Repair:
    """Upper bound of what a repair of the cause gives back: a fact between 0 and 1, and its quantity in words."""

    share: str
    of: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Construct with `from_mapping` or `from_yaml`, which collect all errors.

    follows       symptom classes: a cause that explains one of them explains this rule's finding too
    precedes      ids of rules of its own class: their findings follow from this rule's
    first         what to do first: the first sentence whose condition holds and whose facts are known
    dimension     the part of the health score that it lowers, where that is not the one of its class
    onset         fact that says when it began; else the first signal of its condition that knows
    advice        whether it proposes a change and reports no trouble
    false_alarms  sentences: known situations in which it holds although nothing is wrong
    """

    id: str
    version: int
    status: Status
    symptom_class: str
    level: Level
    title: str
    severity: Severity
    severity_when: tuple[tuple[Condition, Severity], ...]
    when: Condition
    base: float
    adjustments: tuple[Adjustment, ...]
    explains: tuple[str, ...]
    vetoes: tuple[str, ...]
    statement: str
    also: tuple[Remark, ...]
    facts: tuple[str, ...]
    runbook: str | None
    flink: str | None
    docs: tuple[str, ...]
    false_alarms: tuple[str, ...]
    repair: Repair | None = None
    dimension: Dimension | None = None
    onset: str | None = None
    advice: bool = False
    follows: tuple[str, ...] = ()
    precedes: tuple[str, ...] = ()
    first: tuple[Remark, ...] = ()

    @classmethod
    def from_yaml(cls, text: str, source: str, vocabulary: Mapping[str, SignalDefinition] | None = None) -> Rule:
        """The rule in a YAML text. Raises InvalidRule with every error and its line."""
        return _RuleReader(read_yaml(text, source, LONGEST_RULE), vocabulary).rule()

    @classmethod
    def from_mapping(
        cls, mapping: Mapping[str, Any], source: str, vocabulary: Mapping[str, SignalDefinition] | None = None
    ) -> Rule:
        """The rule in a mapping. Raises InvalidRule with every error."""
        return _RuleReader(YamlDocument(source, mapping, {}), vocabulary).rule()

    def conditions(self) -> Iterator[Condition]:
        """Every condition in it: its own, and those of adjustments, severities and remarks."""
        yield self.when
        yield from (condition for condition, _ in self.severity_when)
        yield from (adjustment.when for adjustment in self.adjustments)
        yield from (remark.when for remark in (*self.also, *self.first) if remark.when)

    def asked_facts(self) -> Iterator[str]:
        """Every fact that its condition and its adjustments read."""
        yield from self.when.facts()
        for adjustment in self.adjustments:
            yield from adjustment.when.facts()

    def signal_keys(self) -> frozenset[str]:
        """The signals that its condition needs."""
        return frozenset(fact.rpartition(".")[0] for fact in self.when.facts())


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of one analysis.

    version  stored with the analysis' findings
    keys     `signal_keys` of each rule, in the same order, computed once for many cases
    """

    rules: tuple[Rule, ...]
    version: str
    keys: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> Ruleset:
        """The rules in id order; the version is the hash of their ids and versions."""
        ordered = tuple(sorted(rules, key=lambda rule: rule.id))
        stamp = json.dumps([[rule.id, rule.version] for rule in ordered])
        keys = tuple(rule.signal_keys() for rule in ordered)
        return cls(ordered, hashlib.sha256(stamp.encode()).hexdigest()[:12], keys)


class _RuleReader:
    """Parses one rule and collects its errors."""

    known = frozenset({"confidence", *(field.name for field in fields(Rule))} - {"base", "adjustments"})
    known |= translated_names(("title", "statement", "false_alarms"))

    def __init__(self, document: YamlDocument, vocabulary: Mapping[str, SignalDefinition] | None) -> None:
        self._document = document
        self._errors: list[tuple[int, str]] = []
        self._level = cast(Level, self._one_of("level", get_args(Level)))
        self._references = References(self._level, vocabulary, self._report)
        self._conditions = ConditionParser(self._report, self._references.check_leaf)

    def rule(self) -> Rule:
        content = self._document.content
        for unknown in sorted(set(content) - self.known):
            self._report((unknown,), say("unknown entry {name}", name=repr(unknown)))
        confidence = content.get("confidence")
        confidence = confidence if isinstance(confidence, dict) else {}
        for unknown in sorted(set(confidence) - {"base", "supports", "doubts"}):
            self._report(("confidence", unknown), say("unknown entry {name}", name=repr(unknown)))
        when = self._conditions.parse(content.get("when"), ("when",))
        rule = Rule(
            id=self._text("id", IDENTIFIER),
            version=self._version(),
            status=cast(Status, self._one_of("status", get_args(Status), "stable")),
            symptom_class=self._text("symptom_class", SYMPTOM_CLASS),
            level=self._level,
            title=self._text("title"),
            severity=cast(Severity, self._one_of("severity", get_args(Severity))),
            severity_when=tuple(self._severity_when()),
            when=cast(Condition, when),
            base=self._share(confidence.get("base"), ("confidence", "base")),
            adjustments=(
                *self._adjustments(confidence, "supports", "add", 1),
                *self._adjustments(confidence, "doubts", "subtract", -1),
            ),
            explains=self._words("explains"),
            vetoes=self._words("vetoes"),
            statement=self._text("statement"),
            also=tuple(self._remarks("also")),
            facts=self._words("facts"),
            runbook=self._optional("runbook", IDENTIFIER),
            flink=self._optional("flink", FLINK_WINDOW),
            docs=self._words("docs"),
            false_alarms=self._words("false_alarms"),
            repair=self._repair(),
            dimension=self._dimension(),
            onset=self._onset(),
            advice=self._flag(self._document.content, "advice", ("advice",)),
            follows=self._words("follows"),
            precedes=self._words("precedes"),
            first=tuple(self._remarks("first")),
        )
        self._check_references(rule)
        if self._errors:
            raise InvalidRule([text for _, text in sorted(self._errors, key=lambda error: error[0])])
        return rule

    def _report(self, place: Place, text: str) -> None:
        self._errors.append((self._document.line(place), self._document.fault(place, text)))

    def _text(self, field: str, pattern: re.Pattern[str] | None = None) -> str:
        value = self._document.content.get(field)
        if not isinstance(value, str) or not value.strip():
            self._report((field,), say("`{field}` is missing", field=field))
            return ""
        if pattern and not pattern.fullmatch(value):
            form = pattern.pattern
            fault = say("`{field}` {value} does not have the form {form}", field=field, value=repr(value), form=form)
            self._report((field,), fault)
        return self._translated(value.strip(), self._document.content, field, (field,))

    def _translated(
        self, english: str, entry: Mapping[str, Any], name: str, place: Place, index: int | None = None
    ) -> str:
        return translated(english, entry, name, lambda fault: self._report(place, fault), index)

    def _optional(self, field: str, pattern: re.Pattern[str]) -> str | None:
        return self._text(field, pattern) if self._document.content.get(field) is not None else None

    def _one_of(self, field: str, choices: tuple[str, ...], default: str | None = None) -> str:
        value = self._document.content.get(field, default)
        if value not in choices:
            known = listed(choices)
            fault = say("`{field}` is one of {choices}, not {value}", field=field, choices=known, value=repr(value))
            self._report((field,), fault)
        return str(value)

    def _dimension(self) -> Dimension | None:
        if self._document.content.get("dimension") is None:
            return None
        return cast(Dimension, self._one_of("dimension", get_args(Dimension)))

    def _version(self) -> int:
        value = self._document.content.get("version")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self._report(("version",), say("`version` is a whole number from 1"))
            return 1
        return value

    def _share(self, value: Any, place: Place) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
            self._report(place, say("a number above 0 and up to 1 is expected"))
            return 0.0
        return float(value)

    def _words(self, field: str) -> tuple[str, ...]:
        value = self._document.content.get(field, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._report((field,), say("`{field}` is a list of words", field=field))
            return ()
        return tuple(
            self._translated(item, self._document.content, field, (field, index), index)
            for index, item in enumerate(value)
        )

    def _mappings(self, entries: Any, place: Place, needed: set[str], known: set[str]) -> Iterator[tuple[Place, Any]]:
        if not isinstance(entries, list):
            self._report(place, say("a list is expected"))
            return
        for index, entry in enumerate(entries):
            here = (*place, index)
            if not isinstance(entry, dict) or not needed <= set(entry) <= known:
                self._report(here, say("an entry has {names}", names=listed(sorted(known))))
                continue
            yield here, entry

    def _severity_when(self) -> Iterator[tuple[Condition, Severity]]:
        entries = self._document.content.get("severity_when", [])
        for place, entry in self._mappings(entries, ("severity_when",), {"when", "severity"}, {"when", "severity"}):
            condition = self._conditions.parse(entry["when"], (*place, "when"))
            if entry["severity"] not in get_args(Severity):
                choices = listed(get_args(Severity))
                self._report((*place, "severity"), say("one of {choices} is expected", choices=choices))
            elif condition:
                yield condition, entry["severity"]

    def _adjustments(self, confidence: dict[str, Any], field: str, amount: str, sign: int) -> Iterator[Adjustment]:
        needed, known = {"when", amount, "because"}, {"when", amount} | translated_names(("because",))
        for place, entry in self._mappings(confidence.get(field, []), ("confidence", field), needed, known):
            condition = self._conditions.parse(entry["when"], (*place, "when"))
            delta = self._share(entry[amount], (*place, amount))
            if condition:
                because = self._translated(str(entry["because"]), entry, "because", (*place, "because"))
                yield Adjustment(condition, sign * delta, because)

    def _remarks(self, field: str) -> Iterator[Remark]:
        known = {"when"} | translated_names(("say",)) | ({"eases"} if field == "first" else set())
        for place, entry in self._mappings(self._document.content.get(field, []), (field,), {"say"}, known):
            condition = self._conditions.parse(entry["when"], (*place, "when")) if "when" in entry else None
            said = self._translated(str(entry["say"]), entry, "say", (*place, "say"))
            yield Remark(condition, said, self._flag(entry, "eases", (*place, "eases")))

    def _onset(self) -> str | None:
        entry = self._document.content.get("onset")
        if entry is None:
            return None
        if not isinstance(entry, str) or not entry.endswith("_ms"):
            self._report(("onset",), say("`onset` is a fact that is a time, epoch ms"))
            return None
        self._references.check(entry, ("onset",))
        return entry

    def _flag(self, entry: Mapping[str, Any], field: str, place: Place) -> bool:
        value = entry.get(field, False)
        if not isinstance(value, bool):
            self._report(place, say("`{field}` is true or false", field=field))
            return False
        return value

    def _repair(self) -> Repair | None:
        entry = self._document.content.get("repair")
        if entry is None:
            return None
        if (
            not isinstance(entry, dict)
            or not {"share", "of"} <= set(entry) <= {"share"} | translated_names(("of",))
            or not all(isinstance(each, str) for each in entry.values())
        ):
            self._report(("repair",), say("`repair` has `share`, a fact, and `of`, words"))
            return None
        self._references.check(entry["share"], ("repair", "share"))
        return Repair(entry["share"], self._translated(entry["of"], entry, "of", ("repair", "of")))

    def _check_references(self, rule: Rule) -> None:
        templates: list[tuple[Place, str]] = [(("statement",), rule.statement)]
        for field, remarks in (("also", rule.also), ("first", rule.first)):
            templates += [((field, index, "say"), remark.say) for index, remark in enumerate(remarks)]
        templates += [
            (place, said) for place, text in templates if isinstance(text, Text) for said in text.translations.values()
        ]
        for place, template in templates:
            for reference, form in phrase.placeholders(template):
                self._references.check_placeholder(reference, form, place)
            rest = PLACEHOLDER.sub("", template)
            if "{" in rest or "}" in rest:
                self._report(place, say("a brace that is no placeholder {signal.fact|format}"))
        for index, reference in enumerate(rule.facts):
            self._references.check(reference, ("facts", index))
        clash = contradiction(rule.when) if rule.when else ""
        if clash:
            self._report(("when",), say("it can never hold: {reason}", reason=clash))
