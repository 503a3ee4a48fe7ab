"""The type of a what-if calculator: a formula over values of the evidence, its steps in words, and when it does not
apply.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.language import say, to_say
from diagnostics.wording import phrase

Unit = Literal["duration", "bytes", "rate", "byte_rate", "share", "count"]
Advice = Literal["do", "do not", "depends", "not known"]

FORGETS = "at most once"
"""What `delivery_guarantee.source` is for a source that cannot be read again."""
MOST = 1e15
"""The largest accepted value. Our choice: a petabyte, or 30,000 years in milliseconds."""


def makes_own_records(lookup: Lookup) -> bool:
    """Whether the sources make their records themselves and keep no position: nothing is lost that exists elsewhere."""
    return lookup("delivery_guarantee.source") == FORGETS and lookup("job_code.makes_records") is True


@dataclass(frozen=True, slots=True)
class Input:
    """One value that a calculator needs.

    facts    facts it is read from; the first measured one counts
    assumed  default when nothing is measured, with `because`; None: the user must set it
    low      the slider's ends, in the unit (ms, bytes, 1/s, bytes/s, 0 to 1, a number)
    choice   it is a setting to try out, not a measured value
    least    a smaller measured value is that of something else, and does not count
    """

    name: str
    label: str
    unit: Unit
    facts: tuple[str, ...] = ()
    assumed: float | None = None
    because: str = ""
    low: float = 0.0
    high: float = 100.0
    choice: bool = False
    least: float | None = None


INCOMING_RATE = Input(
    "rate",
    to_say("Records that come in, at least"),
    "rate",
    ("record_rate.highest_per_s", "throughput.before_per_s"),
    high=1e6,
)
"""The rate that a task has to keep up with, records per second: what reached it, or else what the sources emitted.
While tasks upstream are held back, more may be offered."""

OFFERED_RATE = replace(INCOMING_RATE, facts=("record_rate.offered_per_s", *INCOMING_RATE.facts), choice=True)
"""The same with what the sources emitted before this task held them back: what it read since is not what came."""


@dataclass(frozen=True, slots=True)
class Line:
    """One step of the calculation: `label: arithmetic = result`."""

    label: str
    arithmetic: str
    result: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a calculation.

    refusals  reasons not to do it here, as sentences; the calculation is shown anyway
    results   the numbers, for a later comparison with measurements
    formula   how they are calculated, where not by the calculator's formula; empty where nothing is to be calculated
    """

    advice: Advice
    headline: str
    lines: Sequence[Line] = ()
    refusals: Sequence[str] = ()
    results: Mapping[str, float] = field(default_factory=dict)
    formula: str | None = None


@dataclass(frozen=True, slots=True)
class InCase:
    """What a calculator shows of itself in a case that lacks a part of what it calculates else.

    question     in place of the calculator's; None for that
    unused       the names of the inputs that the result does not depend on, and that are not asked for
    assumptions  in place of the calculator's; None for these
    """

    question: str | None = None
    unused: Collection[str] = ()
    assumptions: Sequence[str] | None = None


def _whole(_: Lookup) -> InCase:
    return InCase()


def _none(_: Lookup) -> Collection[str]:
    return ()


def _every_case(_: Lookup) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Calculator:
    """A calculator.

    compute      from the values of the inputs and the other facts to the outcome
    unneeded     the names of the inputs on which the outcome of this case does not depend: they may be missing
    symptoms     the classes for which it is suggested first
    in_case      what of it the case shows
    concerns     whether the case has what it calculates; with a class of `symptoms` it is shown anyway
    docs         ids of its sources
    """

    id: str
    title: str
    question: str
    formula: str
    inputs: tuple[Input, ...]
    assumptions: tuple[str, ...]
    compute: Callable[[Mapping[str, float], Lookup], Outcome]
    symptoms: tuple[str, ...] = ()
    docs: tuple[str, ...] = ()
    unneeded: Callable[[Lookup], Collection[str]] = _none
    concerns: Callable[[Lookup], bool] = _every_case
    in_case: Callable[[Lookup], InCase] = _whole

    def read(self, lookup: Lookup) -> Calculator:
        """The calculator as a case shows it, with its texts in the reader's language."""
        case = self.in_case(lookup)
        return replace(
            self,
            title=say(self.title),
            question=say(self.question) if case.question is None else case.question,
            formula=say(self.formula),
            inputs=tuple(
                replace(each, label=say(each.label), because=say(each.because))
                for each in self.inputs
                if each.name not in case.unused
            ),
            assumptions=tuple(map(say, self.assumptions) if case.assumptions is None else case.assumptions),
        )


@dataclass(frozen=True, slots=True)
class InputValue:
    """The value of an input and its origin; `source` is measured, assumed, set or missing."""

    input: Input
    value: float | None
    source: Literal["measured", "assumed", "set", "missing"]
    fact: str | None = None

    @property
    def shown(self) -> str:
        """The value in its unit."""
        return say("not known") if self.value is None else in_unit(self.value, self.input.unit)


def input_values(calculator: Calculator, lookup: Lookup, chosen: Mapping[str, float]) -> list[InputValue]:
    """Each input with its value: the user's, else the measured one, else the default."""
    return [_input_value(each, lookup, chosen.get(each.name)) for each in calculator.inputs]


def _input_value(wanted: Input, lookup: Lookup, chosen: float | None) -> InputValue:
    if chosen is not None and abs(chosen) <= MOST:
        return InputValue(wanted, chosen, "set")
    for fact in wanted.facts:
        value = number_of(lookup, fact)
        if value is not None and abs(value) <= MOST and (wanted.least is None or value >= wanted.least):
            return InputValue(wanted, value, "measured", fact)
    if wanted.assumed is not None:
        return InputValue(wanted, wanted.assumed, "assumed")
    return InputValue(wanted, None, "missing")


def calculate(calculator: Calculator, values: Sequence[InputValue], lookup: Lookup) -> Outcome:
    """The outcome; when an input is missing, which one."""
    unneeded = calculator.unneeded(lookup)
    lacking = [each for each in values if each.value is None and each.input.name not in unneeded]
    missing = [say("“{label}”", label=each.input.label) for each in lacking]
    if missing:
        inputs = phrase.FORMATS["list"](missing)
        return Outcome(
            "not known",
            say(
                "Not measured here, and nothing is assumed: {inputs}. Set what is missing to see the result.",
                inputs=inputs,
            ),
        )
    return calculator.compute({each.input.name: each.value for each in values if each.value is not None}, lookup)


def in_unit(value: float, unit: Unit) -> str:
    """A value with its unit, as the steps print it."""
    forms: Mapping[Unit, Callable[[float], str]] = {
        "duration": phrase.duration,
        "bytes": phrase.size,
        "byte_rate": lambda rate: f"{phrase.size(rate)}/s",
        "rate": lambda rate: f"{phrase.number(rate)}/s",
        "share": phrase.percent,
        "count": phrase.number,
    }
    return forms[unit](value)
