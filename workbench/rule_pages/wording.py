"""Conditions, statements and confidence steps of a rule in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diagnostics.diagnosis.fact_label import fact_explanation, fact_label
from diagnostics.language import in_reader_language
from diagnostics.rules.condition import Compare, Condition, Group, IsMeasured, opposite
from diagnostics.rules.rule import Rule
from diagnostics.vocabulary.sources import cited_sources
from diagnostics.wording import phrase
from diagnostics.wording.bound import bound_words
from diagnostics.wording.placeholder import PLACEHOLDER
from workbench.languages.sentences import say, say_later

GROUP_WORDS = {
    "all": say_later("all of these"),
    "any": say_later("at least one of these"),
    "none": say_later("none of these"),
}
SUBJECTS = {
    "subject.job": say_later("job"),
    "subject.vertex": say_later("task"),
    "subject.task_manager": say_later("TaskManager"),
}
"""What a finding is about, by the reference in its sentence."""


@dataclass(frozen=True, slots=True)
class ConditionWords:
    """A condition in words: a group with its parts, or one comparison with what bounds it.

    words    of the group ("all of these"), or the bound of a comparison ("at least 50 %")
    fact     the reference `<signal key>.<fact>`, empty for a group
    meaning  what the signal documents about the values, beyond the fact's label
    """

    words: str
    fact: str = ""
    meaning: str = ""
    source: str = ""
    parts: tuple[ConditionWords, ...] = ()

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        if self.fact:
            return f"{fact_label(self.fact)} {self.words}"
        return say("{words}: {parts}", words=self.words, parts=say("; ").join(part.sentence for part in self.parts))


def trigger_words(condition: Condition) -> ConditionWords:
    """The conditions that must hold."""
    if isinstance(condition, Group):
        parts = tuple(map(trigger_words, condition.items))
        single = len(parts) == 1 and condition.mode != "none"
        return parts[0] if single else ConditionWords(GROUP_WORDS[condition.mode], parts=parts)
    if isinstance(condition, IsMeasured):
        return _comparison(condition.fact, say("is measured") if condition.measured else say("is not measured"))
    words = bound_words(condition.fact, condition.op, condition.value)
    return _comparison(condition.fact, words, condition.source or "")


def clearing_words(condition: Condition) -> ConditionWords:
    """The conditions under which the rule is judged not to hold."""
    if isinstance(condition, Group):
        if condition.mode == "none":
            return trigger_words(Group("any", condition.items))
        parts = tuple(map(clearing_words, condition.items))
        other = "any" if condition.mode == "all" else "all"
        return parts[0] if len(parts) == 1 else ConditionWords(GROUP_WORDS[other], parts=parts)
    if isinstance(condition, IsMeasured):
        return trigger_words(IsMeasured(condition.fact, not condition.measured))
    return trigger_words(Compare(condition.fact, *opposite(condition.op, condition.value)))


def _comparison(fact: str, words: str, source: str = "") -> ConditionWords:
    return ConditionWords(words, fact, fact_explanation(fact), source)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the confidence: amount, reason and condition."""

    delta: float
    because: str
    when: ConditionWords | None


def confidence_steps(rule: Rule) -> list[Step]:
    """The base first, then the adjustments."""
    steps = [Step(rule.base, say("the trigger holds"), None)]
    return steps + [
        Step(each.delta, in_reader_language(each.because), trigger_words(each.when)) for each in rule.adjustments
    ]


def pieces(template: str) -> Iterator[tuple[str, bool]]:
    """The text of a statement in pieces; True marks the name of a measured value."""
    template, place = phrase.CHOICE.sub(lambda found: found.group(2), in_reader_language(template)), 0
    for found in PLACEHOLDER.finditer(template):
        if found.start() > place:
            yield template[place : found.start()], False
        name = found.group(1)
        yield SUBJECTS.get(name) or fact_label(name.removeprefix("subject.")), True
        place = found.end()
    if place < len(template):
        yield template[place:], False


def sources(rule: Rule) -> list[str]:
    """The sources of its bounds and its documents, each page once."""
    texts = [*(each for part in rule.conditions() for each in _sources(part)), *rule.docs]
    return list({cited_sources(text).text: text for text in reversed(texts)}.values())[::-1]


def _sources(condition: Condition) -> Sequence[str]:
    if isinstance(condition, Group):
        return [source for item in condition.items for source in _sources(item)]
    return [condition.source] if isinstance(condition, Compare) and condition.source else []
