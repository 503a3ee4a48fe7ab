"""Rows that a loading sink takes and keeps although checkpoints complete."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.signals import held_rows
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, line_of_jobs, needs, only, signals_of_key


def measured(loaded: float, completed: float = 30.0, metric: str = "totalFlushRows") -> Evidence:
    about = {"job_id": JOB, "vertex_id": SINK, "vertex": "Sink: totals", "subtask": 0, "operator": "Sink: totals"}
    counted = {"numRecordsIn": 60_000.0, metric: loaded}
    samples = [
        {**about, "metric": name, "ts_ms": START + second * 1000, "value": value * second / 120}
        for name, value in counted.items()
        for second in range(0, 121, 10)
    ]
    samples += [
        {
            "job_id": JOB,
            "scope": "job",
            "metric": "numberOfCompletedCheckpoints",
            "ts_ms": START + second * 1000,
            "value": 4.0 + completed * second / 120,
        }
        for second in range(0, 121, 10)
    ]
    return hand_made(**line_of_jobs(), metric_sample=samples)


def test_a_sink_that_loads_nothing_has_the_act_of_its_connector() -> None:
    facts = only(held_rows.measure(measured(0.0)), "held_rows").facts
    assert (facts["taken"], facts["checkpoints"]) == (60_000, 30)
    assert "1.2.2" in str(facts["act"])


def test_a_sink_of_doris_is_known_by_its_counter() -> None:
    facts = only(held_rows.measure(measured(0.0, metric="totalFlushLoadedRows")), "held_rows").facts
    assert facts["taken"] == 60_000


def test_a_sink_that_has_loaded_some_rows_has_no_signal() -> None:
    assert not signals_of_key(held_rows.measure(measured(10_000.0)), "held_rows")


def test_metrics_without_such_a_counter_are_not_measured() -> None:
    assert needs(held_rows.measure(hand_made(**line_of_jobs()))) == {"held_rows": "vertex-metrics"}
