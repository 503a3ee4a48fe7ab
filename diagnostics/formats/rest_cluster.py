"""Flink REST `/overview` and `/config`: the cluster's version and its numbers of TaskManagers, slots and jobs."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, number, rest_reader, rest_shape, text

METRICS = {
    "taskmanagers": "numRegisteredTaskManagers",
    "slots-total": "taskSlotsTotal",
    "slots-available": "taskSlotsAvailable",
    "jobs-running": "numRunningJobs",
}
"""Fields of `/overview` -> the equivalent JobManager metrics."""

FACTS = {"flink-version": "flink.version", "flink-commit": "flink.commit", "flink-revision": "flink.commit"}


def _fits(seen: Outline) -> bool:
    return (
        seen.has("", "slots-total")
        or seen.has("", "slots-available")
        or seen.has("", "refresh-interval", "flink-version")
    )


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    samples = [
        {
            "ts_ms": document.snapshot_ms,
            "metric": metric,
            "scope": "jobmanager",
            "value": number(answer[name]),
            **document.at(name),
        }
        for name, metric in METRICS.items()
        if name in answer
    ]
    facts = [
        {
            "ts_ms": document.snapshot_ms,
            "scope": "environment",
            "key": key,
            "value": text(answer[name]),
            **document.at(name),
        }
        for name, key in FACTS.items()
        if text(answer.get(name))
    ]
    yield Rows("metric_sample", samples)
    yield Rows("config_option", facts)
    yield Coverage(records=1, flink_version=text(answer.get("flink-version")))


FORMAT = Format(
    id="flink-rest-cluster",
    title=to_say("Flink REST: cluster overview"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#overview-1",
    tables=("metric_sample", "config_option"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/overview.json",
            text='{"taskmanagers":1,"slots-total":2,"slots-available":0,"jobs-running":1,"jobs-finished":0,'
            '"jobs-cancelled":0,"jobs-failed":0,"flink-version":"1.20.5","flink-commit":"0980485"}',
            rows={
                "metric_sample": [
                    {"metric": "numRegisteredTaskManagers", "scope": "jobmanager", "value": 1.0, "line": 1},
                    {"metric": "taskSlotsTotal", "value": 2.0, "pointer": "/slots-total"},
                    {"metric": "taskSlotsAvailable", "value": 0.0},
                    {"metric": "numRunningJobs", "value": 1.0},
                ],
                "config_option": [
                    {"scope": "environment", "key": "flink.version", "value": "1.20.5", "pointer": "/flink-version"},
                    {"scope": "environment", "key": "flink.commit", "value": "0980485"},
                ],
            },
        ),
    ),
)
