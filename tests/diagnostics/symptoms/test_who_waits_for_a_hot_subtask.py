"""A hot subtask is called the bottleneck only where it may be: not where it is hardly busy beside tasks that wait."""

from __future__ import annotations

import pytest

from diagnostics.evidence.subject import FactValue
from tests.diagnostics.symptoms.judged import judged

SKEW: dict[str, FactValue] = {
    "direction": "in",
    "parallelism": 4,
    "hot_subtask": 0,
    "hot_share_ratio": 0.9,
    "hot_records": 90_000,
    "total_records": 100_000,
    "skew_ratio": 3.6,
    "upstream_vertex": "source",
    "upstream_back_pressured_ratio": 1.0,
}
FULL_INPUT: dict[str, FactValue] = {"hot_input_ratio": 1.0, "others_input_max_ratio": 0.0, "back_pressured_ratio": 0.0}


@pytest.mark.parametrize(
    ("facts", "said", "confidence"),
    [
        ({"hot_busy_ratio": 1.0, "others_busy_max_ratio": 0.1}, "100 % of the time in the upper quartile", 0.85),
        (FULL_INPUT, "source waits for it: score is the bottleneck.", 0.8),
        ({**FULL_INPUT, "back_pressured_ratio": 1.0}, None, 0.6),
        ({"hot_busy_ratio": 0.02, "others_busy_max_ratio": 0.01}, None, 0.55),
    ],
)
def test_the_bottleneck_is_named_where_the_hot_subtask_may_be_it(
    facts: dict[str, FactValue], said: str | None, confidence: float
) -> None:
    findings = judged(load_balance={**SKEW, **facts})["findings"]
    finding = next(each for each in findings if each["rule"]["id"] == "skew.hot-subtask")
    assert finding["confidence"] == pytest.approx(confidence)
    assert (said in finding["statement"]) if said else ("bottleneck" not in finding["statement"])
