"""Tasks with two inputs of which one holds the watermark."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.evidence import Evidence
from diagnostics.signals import held_inputs
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only, signals_of_key

MAXIMUM = float(2**63)


def evidence_of(dimension: float | None, emitted: int = 0, joined: str = "TemporalJoin[6]") -> Evidence:
    """Two sources and a join: the watermark of the orders advances, that of the dimension is always the same."""
    rows: list[dict[str, Any]] = []
    for second in range(0, 121, 10):
        orders = float(START + second * 1000)
        own = min(orders, dimension) if dimension is not None else None
        for name, metric, value in (
            ("Source: orders[1]", "currentOutputWatermark", orders),
            ("Source: orders[1]", "numRecordsOut", 100.0 * second),
            ("Source: rates[3]", "currentOutputWatermark", dimension),
            ("Source: rates[3]", "numRecordsOut", 40.0),
            (joined, "currentInputWatermark", own),
            (joined, "numRecordsIn", 100.0 * second),
            (joined, "numRecordsOut", float(emitted * second)),
        ):
            about = {"job_id": JOB, "vertex": name, "operator": name, "subtask": 0}
            rows.append({**about, "metric": metric, "ts_ms": START + second * 1000, "value": value})
    return hand_made(metric_sample=rows)


def test_an_input_without_a_watermark_holds_the_join() -> None:
    facts = only(held_inputs.measure(evidence_of(None)), "held_inputs").facts
    assert (facts["holder"], facts["other"]) == ("Source: rates[3]", "Source: orders[1]")
    assert (facts["holder_has_watermark"], facts["holder_records"]) == (False, 0)
    assert (facts["records_in"], facts["records_out"], facts["by_event_time"]) == (12_000, 0, True)


def test_an_input_that_stands_still_holds_the_join_by_how_far_it_is_behind() -> None:
    facts = only(held_inputs.measure(evidence_of(START - 600_000.0)), "held_inputs").facts
    assert (facts["still_ms"], facts["spread_ms"]) == (120_000, 720_000)


def test_an_input_that_ended_holds_nothing() -> None:
    assert not signals_of_key(held_inputs.measure(evidence_of(MAXIMUM)), "held_inputs")


def test_what_the_join_emits_is_counted() -> None:
    facts = only(held_inputs.measure(evidence_of(None, emitted=50, joined="enrich")), "held_inputs").facts
    assert facts["records_out"] == 6_000
    assert "by_event_time" not in facts


@pytest.mark.parametrize("side", [1, 2])
def test_the_sides_of_a_task_tell_it_without_its_sources(side: int) -> None:
    rows: list[dict[str, Any]] = []
    for second in range(0, 121, 10):
        for number in (1, 2):
            value = None if number == side else float(START + second * 1000)
            about = {
                "job_id": JOB,
                "vertex": "enrich",
                "operator": "enrich",
                "subtask": 0,
                "ts_ms": START + second * 1000,
            }
            rows.append({**about, "metric": f"currentInput{number}Watermark", "value": value})
            rows.append({**about, "metric": "currentInputWatermark", "value": None})
    assert only(held_inputs.measure(hand_made(metric_sample=rows)), "held_inputs").facts["holder"] == f"input {side}"


def test_without_metrics_nothing_is_measured() -> None:
    assert needs(held_inputs.measure(hand_made())) == {"held_inputs": "metric-scrapes"}
