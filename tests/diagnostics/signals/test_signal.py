"""A signal as JSON: a round trip keeps it, and non-finite numbers are unknown."""

from __future__ import annotations

import json
import math

import pytest

from diagnostics.citation import Citation
from diagnostics.evidence.subject import Subject
from diagnostics.signals.signal import Signal


def signal(value: float) -> Signal:
    cited = Citation(file_id=0, line=7, kind="metric", text="busy", value=value)
    facts = {"share_ratio": value, "each_ms": [1.0, value], "subtasks": 4}
    return Signal("load_balance.subtasks", Subject(job="a"), facts, (cited,), 1, (0, 1))


def test_a_signal_comes_back_as_it_was() -> None:
    assert Signal.from_json(json.loads(json.dumps(signal(0.5).as_json()))) == signal(0.5)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_fact_that_overflowed_is_not_known(value: float) -> None:
    stored = json.loads(json.dumps(signal(value).as_json(), allow_nan=False))
    assert stored["facts"] == {"subtasks": 4}
    assert stored["citations"][0]["value"] is None
