"""Flink's metrics from JMX in Jolokia's answers: reads of one bean or of a pattern, single or in an array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline, pointer
from diagnostics.notation.prometheus_series import SeriesSamples, reported_key
from diagnostics.notation.reporter_name import JMX_DOMAIN, from_jmx
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape
from diagnostics.notation.tally import Tally

MOST_SAMPLES = 1_000_000

Place = tuple[str | int, ...]


def _fits(seen: Outline) -> bool:
    return any(
        seen.has(f"{at}request".strip("/"), "type", "mbean") and seen.has(at.strip("/"), "value", "status")
        for at in ("", "*/")
    )


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    samples, tally = SeriesSamples(), Tally()
    pointers: list[str] = []
    beans = foreign = 0
    answers: list[tuple[Place, Any]] = (
        [((), document.value)] if isinstance(document.value, Mapping) else list(_placed(items(document.value)))
    )
    for place, answer in answers:
        told = fields(answer)
        seconds = told.get("timestamp")
        ts_ms = round(seconds * 1000) if isinstance(seconds, int | float) and 0 < seconds < 1e11 else 0
        for where, bean, attributes in _beans(fields(told.get("request")), told.get("value")):
            beans += 1
            foreign += not bean.startswith(JMX_DOMAIN)
            for attribute, value in attributes.items():
                key = reported_key(from_jmx(bean, attribute))
                if key is None or len(pointers) >= MOST_SAMPLES or not isinstance(value, int | float | str):
                    continue
                samples.add(samples.add_series(key), ts_ms, _number(value))
                pointers.append(pointer(*place, *where, attribute))
                tally.take_time(ts_ms or None)
    if pointers:
        yield Rows("metric_sample", batch=samples.batch(pa.array(pointers), document.at(*answers[0][0])["line"]))
    tally.records = len(pointers)
    if foreign:
        tally.warn(
            say("{foreign} of {beans} beans are not Flink's metrics and were left out", foreign=foreign, beans=beans)
        )
    yield tally.coverage()


def _placed(answers: list[Any]) -> Iterator[tuple[Place, Any]]:
    for position, answer in enumerate(answers):
        yield (position,), answer


def _beans(request: Mapping[str, Any], value: Any) -> Iterator[tuple[Place, str, Mapping[str, Any]]]:
    """(place, name, attributes) of each bean of an answer; a meter is read by its rate, not by its count."""
    asked = str(request.get("mbean") or "")
    if "*" in asked and isinstance(value, Mapping):
        for bean, attributes in value.items():
            yield ("value", bean), bean, _without_count(fields(attributes))
    elif isinstance(value, Mapping):
        yield ("value",), asked, _without_count(value)
    elif isinstance(request.get("attribute"), str):
        yield (), asked, {request["attribute"]: value}


def _without_count(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    is_counter = set(attributes) <= {"Count"}
    return {name: value for name, value in attributes.items() if name != "Count" or is_counter}


def _number(value: float | str) -> float:
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


FORMAT = Format(
    id="jmx-beans",
    title=to_say("Flink's metrics in JMX (Jolokia)"),
    documentation="https://jolokia.org/reference/html/manual/jolokia_protocol.html",
    tables=("metric_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="metrics/jolokia.json",
            text='{"request":{"mbean":"org.apache.flink.taskmanager.job.task.*:*","type":"read"},"value":{'
            '"org.apache.flink.taskmanager.job.task.buffers.inPoolUsage:host=vm,job_name=orders,subtask_index=2,'
            'task_name=Window,tm_id=tm-1":{"Value":0.5},'
            '"org.apache.flink.taskmanager.job.task.numRecordsInPerSecond:job_name=orders,subtask_index=2,'
            'task_name=Window":{"Count":9,"Rate":4.5},'
            '"org.apache.flink.taskmanager.job.task.numRecordsIn:subtask_index=0":{"Count":9},'
            '"org.apache.flink.taskmanager.job.task.mailboxLatencyMs:subtask_index=0":{"Count":9,"Mean":2,"Median":1.5,'
            '"99thPercentile":7}},"timestamp":1795222800,"status":200}',
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "buffers.inPoolUsage",
                        "scope": "task",
                        "vertex": "Window",
                        "subtask": 2,
                        "task_manager": "tm-1",
                        "host": "vm",
                        "value": 0.5,
                    },
                    {"metric": "numRecordsInPerSecond", "value": 4.5},
                    {"metric": "numRecordsIn", "value": 9.0, "subtask": 0},
                    {"metric": "mailboxLatencyMs", "quantile": 0.5, "value": 1.5},
                    {"metric": "mailboxLatencyMs", "quantile": 0.99, "value": 7.0},
                ]
            },
        ),
        Sample(
            name="metrics/jolokia-each.json",
            text='[{"request":{"mbean":"org.apache.flink.jobmanager.job.numRestarts:job_name=orders","attribute":"Value",'
            '"type":"read"},"value":3,"timestamp":1795222800,"status":200}]',
            rows={"metric_sample": [{"metric": "numRestarts", "scope": "job", "job_name": "orders", "value": 3.0}]},
        ),
    ),
)
