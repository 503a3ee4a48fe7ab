"""Answers of Grafana's data sources as data frames: what "Query inspector" and "Inspect: JSON" show of a panel.

A frame has fields of one length: times, and numbers with the labels of their series. Where a query aggregates over
everything but the labels that identify a series, the name of its metric is in the query alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.json_series import DatedValue, JsonSeries
from diagnostics.notation.prometheus_series import SeriesKey, series_key, series_of
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape

FRAMES = ("schema", "data")
_METRIC = re.compile(r"(?<![\w:])flink_[A-Za-z0-9_:]{1,250}")
_PLAIN = re.compile(r"(?:(?:sum|avg|max|min)(?:\s{0,9}(?:by|without)\s{0,9}\([\w\s,]{0,300}\))?|[\s(){}])")
"""Parts of a query that leave the values of single series as they are."""
_SELECTOR = re.compile(r"\{[^{}]{0,2000}\}")
_TELLING = ("subtask_index", "tm_id", "job_name", "job_id")
"""A series without its name has one of these labels, so that nothing was summed over."""


def _fits(seen: Outline) -> bool:
    if seen.is_array:
        return seen.has("*", *FRAMES) and seen.has("*/schema", "fields")
    return any("frames" in keys and _is_result(path) for path, keys in seen.keys.items())


def _is_result(path: str) -> bool:
    parts = path.removeprefix("response/").split("/")
    return len(parts) == 2 and parts[0] == "results"


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    series, answer = JsonSeries(), document.value
    place: tuple[str, ...] = ()
    if isinstance(answer, list):
        for number, frame in enumerate(answer):
            _take(series, fields(frame), {}, f"/{number}")
    else:
        place = ("response", "results") if "response" in answer else ("results",)
        asked = _queries(fields(fields(fields(answer.get("request")).get("data"))))
        results = fields(answer["response"])["results"] if "response" in answer else answer["results"]
        for ref, result in fields(results).items():
            for number, frame in enumerate(items(fields(result).get("frames"))):
                _take(series, fields(frame), asked, f"/{'/'.join(place)}/{ref}/frames/{number}")
    yield from series.read(document.at(*place)["line"])


def _queries(request: Mapping[str, Any]) -> Mapping[str, str]:
    """Reference of a query -> its expression."""
    listed = [fields(each) for each in items(request.get("queries"))]
    return {str(each.get("refId")): str(each["expr"]) for each in listed if isinstance(each.get("expr"), str)}


def _take(series: JsonSeries, frame: Mapping[str, Any], asked: Mapping[str, str], pointer: str) -> None:
    schema, columns = fields(frame.get("schema")), items(fields(frame.get("data")).get("values"))
    described = [fields(each) for each in items(schema.get("fields"))]
    executed = fields(schema.get("meta")).get("executedQueryString")
    query = asked.get(str(schema.get("refId"))) or _expression(executed if isinstance(executed, str) else "")
    times = next((place for place, each in enumerate(described) if each.get("type") == "time"), None)
    for place, each in enumerate(described):
        if each.get("type") == "number" and place < len(columns):
            moments = items(columns[times]) if times is not None and times < len(columns) else []
            series.add(_key(each, query), _values(moments, items(columns[place]), f"{pointer}/data/values/{place}"))


def _values(moments: list[Any], values: list[Any], pointer: str) -> Iterator[DatedValue]:
    for number, value in enumerate(values):
        yield moments[number] if number < len(moments) else None, value, f"{pointer}/{number}"


def _expression(executed: str) -> str:
    """The expression of Grafana's `Expr: …` line followed by `Step: …`."""
    return executed.partition("\nStep:")[0].removeprefix("Expr:").strip()


def _key(described: Mapping[str, Any], query: str) -> SeriesKey | None:
    labels = {name: value for name, value in fields(described.get("labels")).items() if isinstance(value, str)}
    shown = fields(described.get("config")).get("displayNameFromDS") or described.get("name")
    name, printed = series_of(shown) if isinstance(shown, str) and "{" in shown else ("", {})
    labels = {**printed, **labels}
    name = labels.get("__name__") or name or _only_metric(query, labels)
    return series_key(name, labels)


def _only_metric(query: str, labels: Mapping[str, str]) -> str:
    """The metric of a query that has one and changes no value of a series; empty for any other."""
    names = set(_METRIC.findall(query))
    rest = _PLAIN.sub("", _METRIC.sub("", _SELECTOR.sub("", query)))
    return names.pop() if len(names) == 1 and not rest and any(each in labels for each in _TELLING) else ""


FORMAT = Format(
    id="grafana-frames",
    title=to_say("Grafana query result (data frames)"),
    documentation="https://grafana.com/developers/dataplane/contract-spec/",
    tables=("metric_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="query-inspector.json",
            text='{"request":{"url":"api/ds/query","data":{"queries":[{"refId":"B","expr":"max by (task_name,'
            ' subtask_index) (flink_taskmanager_job_task_busyTimeMsPerSecond{job_name=\\"orders\\"})"}]}},'
            '"response":{"results":{"A":{"status":200,"frames":[{"schema":{"refId":"A","fields":['
            '{"name":"Time","type":"time"},{"name":"Value","type":"number","labels":{"__name__":'
            '"flink_taskmanager_job_task_numRecordsInPerSecond","job_name":"orders","subtask_index":"2",'
            '"task_name":"Window"}}]},"data":{"values":[[1795222800000,1795222815000],[120.5,null]]}}]},'
            '"B":{"status":200,"frames":[{"schema":{"refId":"B","fields":[{"name":"Time","type":"time"},'
            '{"name":"Value","type":"number","labels":{"subtask_index":"2","task_name":"Window"}}]},'
            '"data":{"values":[[1795222800000],[998]]}}]}}}}',
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "numRecordsInPerSecond",
                        "scope": "task",
                        "job_name": "orders",
                        "vertex": "Window",
                        "subtask": 2,
                        "value": 120.5,
                        "pointer": "/response/results/A/frames/0/data/values/1/0",
                    },
                    {"metric": "busyTimeMsPerSecond", "subtask": 2, "value": 998.0},
                ]
            },
        ),
        Sample(
            name="Busy time-data-as-json.json",
            text='[{"schema":{"refId":"A","fields":[{"name":"Time","type":"time"},{"name":"flink_jobmanager_job_'
            'numRestarts{job_name=\\"orders\\"}","type":"number","labels":{"job_name":"orders"},"config":{'
            '"displayNameFromDS":"flink_jobmanager_job_numRestarts{job_name=\\"orders\\"}"}}]},'
            '"data":{"values":[[1795222800000],[3]]}}]',
            rows={"metric_sample": [{"metric": "numRestarts", "scope": "job", "job_name": "orders", "value": 3.0}]},
        ),
    ),
)
