"""From stored signals to the document, in milliseconds and without Spark, for new and old cases alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.diagnosis.document import build_document
from diagnostics.diagnosis.verdict import diagnose
from diagnostics.evidence.subject import Level
from diagnostics.language import ENGLISH, reading_in
from diagnostics.rules.rule import Ruleset
from diagnostics.signals.signal import NotMeasured, Signal


def stored_signals(
    signals: Sequence[Signal], not_measured: Sequence[NotMeasured], levels: Mapping[str, Level]
) -> list[dict[str, Any]]:
    """Signals and unmeasured values as JSON values, each signal with its level."""
    stored: list[dict[str, Any]] = [{"level": levels[each.key], **each.as_json()} for each in signals]
    return stored + [each.as_json() for each in not_measured]


def judge(
    stored: Sequence[Mapping[str, Any]],
    inputs: Sequence[Mapping[str, Any]],
    ruleset: Ruleset,
    timing: Mapping[str, int] | None = None,
    language: str = ENGLISH,
) -> dict[str, Any]:
    """The document that the rules derive from stored signals, in a language: English is stored, others are read."""
    signals = [Signal.from_json(each) for each in stored if "facts" in each]
    not_measured = [NotMeasured(each["key"], each["needs"], each["reason"]) for each in stored if "needs" in each]
    levels: dict[str, Level] = {each["key"]: each["level"] for each in stored if "facts" in each}
    with reading_in(language):
        diagnosis = diagnose(signals, not_measured, levels, ruleset)
        return build_document(diagnosis, inputs, timing or {"queued_ms": 0, "spark_ms": 0, "total_ms": 0})
