"""A finding: a rule that holds for one subject, with its evidence and its role in the incident."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from diagnostics.citation import Citation
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import Rule, Severity

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
    """When a finding began, epoch ms; None where that is not known. At the start, it may be older than the evidence."""

    ts_ms: int | None = None
    at_start: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that holds.

    job         the job it belongs to, None when the evidence names none
    confidence  0.05 to 0.98; `reasons` adds up to it
    claim       the rule's own sentence; remarks are the further ones
    facts       the measured values the rule names, by fact name
    checks      measured value against bound, for each comparison of the rule
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
    claim: str
    remarks: tuple[str, ...]
    facts: Mapping[str, FactValue]
    checks: tuple[Check, ...]
    citations: tuple[Citation, ...]
    role: Role = "contributing"
    cause: Finding | None = None
    gain: Gain | None = None
    began: Began = Began()

    @property
    def symptom_class(self) -> str:
        """The symptom class of its rule."""
        return self.rule.symptom_class

    @property
    def statement(self) -> str:
        """The claim with all remarks."""
        return " ".join((self.claim, *self.remarks))
