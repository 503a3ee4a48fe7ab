"""Answers of a Prometheus server's `/api/v1/query_range` and `/api/v1/query` for Flink's series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.errors import UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.number_columns import floats
from diagnostics.notation.prometheus_series import SeriesSamples, series_key
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape, text
from diagnostics.notation.tally import Tally

if TYPE_CHECKING:
    import numpy.typing as npt

INSPECTED = ("response",)
"""Where Grafana's query inspector shows the answer. Source: Grafana before 8.3, which asks Prometheus by its proxy."""
LATEST_S = 1e12
"""Larger numbers are not times in seconds. Our choice: the year 33658."""


def _fits(seen: Outline) -> bool:
    answered = seen.has("", "status", "data") and seen.has("data", "resultType", "result")
    inspected = seen.has("response", "status", "data") and seen.has("response/data", "resultType", "result")
    return answered or inspected or seen.has("", "status", "errorType", "error")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer, above = (document.value, ()) if "status" in document.value else (document.value["response"], INSPECTED)
    if answer["status"] != "success":
        raise UnreadableInput(say("Prometheus answered with an error: {error}", error=text(answer.get("error"))))
    samples, tally, pointers, foreign = SeriesSamples(), Tally(), list[pa.Array](), 0
    results, pointer = (
        items(fields(answer["data"])["result"]),
        "".join(f"/{each}" for each in (*above, "data", "result")),
    )
    for place, result in enumerate(results):
        labels = {label: value for label, value in fields(result.get("metric")).items() if isinstance(value, str)}
        key = series_key(labels.get("__name__", ""), labels)
        if key is None:
            foreign += 1
            continue
        number = samples.add_series(key)
        pointers.append(_add(samples, number, items(result.get("values")), f"{pointer}/{place}/values/"))
        if "value" in result:
            _add(samples, number, [result["value"]], "")
            pointers.append(pa.array([f"{pointer}/{place}/value"]))
    if samples.times:
        line = document.at(*above, "data", "result")["line"]
        yield Rows("metric_sample", batch=samples.batch(pa.concat_arrays(pointers), line))
    if foreign:
        tally.warn(
            say(
                "{foreign} of {listed} series have no name of a Flink metric and were left out",
                foreign=foreign,
                listed=len(results),
            )
        )
    tally.records = len(samples.times)
    times = np.frombuffer(samples.times, np.int64)
    for end in pc.min_max(pa.array(times, mask=times == 0)).as_py().values():
        tally.take_time(end)
    yield tally.coverage()


def _add(samples: SeriesSamples, number: int, pairs: Sequence[Any], above: str) -> pa.Array:
    """Add the pairs of a series as samples; gives the pointer to each, `above` with its place."""
    times, values = zip(*pairs, strict=True) if pairs else ((), ())
    samples.extend(np.full(len(times), number), _epochs_ms(times), _numbers(values), np.zeros(len(times), np.int64))
    return pc.binary_join_element_wise(above, pc.cast(pa.array(np.arange(len(times))), pa.string()), "")


def _epochs_ms(times: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Epoch ms, 0 for what is no time in epoch seconds."""
    if not {*map(type, times)} <= {int, float} or max(map(abs, times), default=0) >= LATEST_S:
        times = [time if isinstance(time, int | float) and abs(time) < LATEST_S else 0 for time in times]
    seconds = np.array(times, np.float64)
    moments: npt.NDArray[np.int64] = np.rint(np.maximum(seconds, 0) * 1000).astype(np.int64)
    return moments


def _numbers(values: Sequence[Any]) -> npt.NDArray[np.float64]:
    """The values, which are texts; NaN for what is no number."""
    try:
        return floats(pa.array(values, pa.string()))[1]
    except (pa.ArrowException, UnicodeEncodeError):
        return np.array([_number(value) for value in values])


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


FORMAT = Format(
    id="prometheus-query",
    title=to_say("Prometheus query result"),
    documentation="https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries",
    tables=("metric_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="metrics/prometheus/busy.json",
            text='{"status":"success","data":{"resultType":"matrix","result":[{"metric":{'
            '"__name__":"flink_taskmanager_job_task_busyTimeMsPerSecond","host":"localhost","instance":"127.0.0.1:18061",'
            '"job":"flink-taskmanager-0","job_id":"62c0ae9f2958cc5d669a5f9058cc4097","job_name":"profiles",'
            '"subtask_index":"0","task_id":"0fcda262ddc259703435ec6b5d9af99f","task_name":"aggregate",'
            '"tm_id":"localhost:18040_ef0dc3"},"values":[[1795222048.675,"1000"],[1795222053.675,"NaN"]]}]}}',
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222048675,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "0fcda262ddc259703435ec6b5d9af99f",
                        "vertex": "aggregate",
                        "subtask": 0,
                        "task_manager": "localhost:18040-ef0dc3",
                        "labels": None,
                        "value": 1000.0,
                        "line": 1,
                        "pointer": "/data/result/0/values/0",
                    },
                    {"ts_ms": 1795222053675, "value": None, "pointer": "/data/result/0/values/1"},
                ]
            },
        ),
        Sample(
            name="query-inspector.json",
            text='{"request":{"url":"api/datasources/proxy/1/api/v1/query_range?query=x"},"response":{"status":"success",'
            '"data":{"resultType":"matrix","result":[{"metric":{"__name__":"flink_jobmanager_job_numRestarts",'
            '"job_name":"orders"},"values":[[1795222800,"3"]]}]}}}',
            rows={
                "metric_sample": [
                    {"metric": "numRestarts", "value": 3.0, "pointer": "/response/data/result/0/values/0"}
                ]
            },
        ),
    ),
)
