"""A finding: a rule that holds for one subject, with its evidence and its role in the incident."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from diagnostics.citation import Citation
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.language import in_reader_language, joined_sentences
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import Rule, Severity
from diagnostics.wording.phrase import Sentence, sentence_text

Role = Literal["root_cause", "contributing", "consequence"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of the confidence: signed amount and reason."""

    delta: float
    because: str


@dataclass(frozen=True, slots=True)
class Gain:
    """Upper bound of the gain from repairing a cause: a share 0..1, and its quantity."""

    share: float
    of: str


@dataclass(frozen=True, slots=True)
class Began:
    """When a finding began, epoch ms; None where that is not known. At the start, it may be older than the evidence.

    ended_ms        when it was over; None where it goes on or where the evidence does not show
    job_started_ms  when the job was started, where that was just before the start of the evidence: it is no older
    """

    ts_ms: int | None = None
    at_start: bool = False
    ended_ms: int | None = None
    job_started_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that holds.

    job         the job it belongs to, None when the evidence names none
    confidence  0.05 to 0.98; `reasons` adds up to it
    sentences   the rule's own claim first, then that it is over, where it is, then its remarks
    first_step  what to do first, when the rule states it
    step_eases  whether that helps until the cause is repaired, so that it is said beside the cause too
    facts       the measured values the rule names, by fact name
    checks      measured value against bound: first the `deciding` comparisons, which make the rule hold, then those
                that support it, then those that exclude another explanation
    role, cause filled by `diagnostics.diagnosis.causes`; cause is the finding that explains this one
    began       the onset of the measure that the rule rests on
    gain        what repairing it gives back, when the rule defines it and it was measured
    """

    rule: Rule
    subject: Subject
    job: str | None
    confidence: float
    reasons: tuple[Reason, ...]
    severity: Severity
    sentences: tuple[Sentence, ...]
    facts: Mapping[str, FactValue]
    checks: tuple[Check, ...]
    citations: tuple[Citation, ...]
    role: Role = "contributing"
    cause: Finding | None = None
    gain: Gain | None = None
    began: Began = Began()
    first_step: str | None = None
    step_eases: bool = False
    deciding: int = 0

    @property
    def symptom_class(self) -> str:
        """The symptom class of its rule."""
        return self.rule.symptom_class

    @property
    def title(self) -> str:
        """The title of its rule."""
        return in_reader_language(self.rule.title)

    @property
    def claim(self) -> str:
        """The rule's own sentence."""
        return sentence_text(self.sentences[0])

    @property
    def over(self) -> str:
        """The sentence that it is over; empty where it is not, or where that is not known."""
        return sentence_text(self.sentences[1]) if self.began.ended_ms is not None else ""

    @property
    def statement(self) -> str:
        """The claim with all remarks."""
        return joined_sentences(map(sentence_text, self.sentences))
