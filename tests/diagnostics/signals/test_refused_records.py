"""Records that a sink counts as not taken."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.signals import refused_records
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, line_of_jobs, needs, only, signals_of_key


def measured(name: str, errors: float, sent: float, connector: str | None = None) -> Evidence:
    rows = line_of_jobs()
    rows["vertex"] = [{**each, "name": name} if each["vertex_id"] == SINK else each for each in rows["vertex"]]
    about = {"job_id": JOB, "vertex_id": SINK, "vertex": name, "subtask": 0, "operator": name}
    counted = {"numRecordsSendErrors": errors, "numRecordsOutErrors": errors, "numRecordsSend": sent}
    rows["metric_sample"] = [
        {**about, "metric": metric, "ts_ms": START + second * 1000, "value": growth * second}
        for metric, growth in counted.items()
        for second in range(0, 121, 10)
    ]
    if connector:
        rows["code_call"] = [{"kind": "table", "name": f"alerts {connector}"}]
    return hand_made(**rows)


def test_the_growth_and_the_share_of_errors_are_measured() -> None:
    facts = only(refused_records.measure(measured("out: Writer", 5.0, 100.0)), "refused_records").facts
    assert (facts["records"], facts["grown"], facts["sent_ratio"]) == (600, 600, 0.05)
    assert facts["lost"] is False


def test_a_sink_that_sends_nothing_again_loses_them() -> None:
    facts = only(
        refused_records.measure(measured("alerts[3]: Writer", 1.0, 100.0, "http-sink")), "refused_records"
    ).facts
    assert facts["lost"] is True
    assert "does not send a failed request again" in str(facts["act"])


def test_a_sink_without_errors_has_no_signal() -> None:
    assert not signals_of_key(refused_records.measure(measured("out: Writer", 0.0, 100.0)), "refused_records")


def test_metrics_without_such_a_counter_are_not_measured() -> None:
    assert needs(refused_records.measure(hand_made(**line_of_jobs()))) == {"refused_records": "vertex-metrics"}
