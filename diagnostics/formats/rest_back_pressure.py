"""Flink REST `/jobs/<id>/vertices/<id>/backpressure`: back-pressured, busy and idle ratios of the subtasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head
from diagnostics.notation.json_document import Outline, outline
from diagnostics.notation.rest_document import (
    CERTAIN,
    RestDocument,
    items,
    moment,
    number,
    rest_reader,
    rest_shape,
    small,
    text,
)
from diagnostics.notation.rest_subtask import task_key

LEVELS = ("ok", "low", "high")
LEVEL_NAMES = ("backpressureLevel", "backpressure-level")
"""Names of the level: the first since 1.16, the second in all versions."""

RATIO_NAMES = ("ratio", "backpressure-ratio", "backPressuredRatio")


def _recognise(head: Head) -> float:
    """A head without samples counts too: then the answer is only `{"status": "deprecated"}`."""
    seen = outline(head)
    is_bare = seen is not None and seen.keys.get("") == frozenset({"status"}) and '"deprecated"' in head.text
    return CERTAIN if is_bare else rest_shape(_fits)(head)


def _fits(seen: Outline) -> bool:
    if seen.is_array:
        return _has_level(seen, "*") and seen.has("*", "subtask")
    of_subtasks = _has_level(seen, "subtasks/*") or seen.has("subtasks/*", "subtask", "ratio")
    return of_subtasks or _has_level(seen, "")


def _has_level(seen: Outline, path: str) -> bool:
    return any(seen.has(path, name) for name in LEVEL_NAMES)


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = {"subtasks": document.value} if isinstance(document.value, list) else document.value
    ts_ms = moment(answer.get("end-timestamp")) or document.snapshot_ms
    named = {"ts_ms": ts_ms, "job_id": document.path.job_id, "vertex_id": task_key(answer, document)}
    above = () if isinstance(document.value, list) else ("subtasks",)
    rows = [{**named, **_measured(each), **document.at(*above, *place)} for place, each in _attempts(answer)]
    level = _level(answer)
    if rows or level:
        ratios = [row["back_pressured_ratio"] for row in rows if row["back_pressured_ratio"] is not None]
        rows.append({**named, "level": level, "back_pressured_ratio": max(ratios, default=None), **document.at()})
    yield Rows("back_pressure", rows)
    stale = text(answer.get("status")) == "deprecated"
    warning = say("Flink had no fresh sample of the back pressure (status deprecated): ask again after some seconds")
    yield Coverage(records=len(rows), warnings=(warning,) if stale else (), first_ts_ms=ts_ms, last_ts_ms=ts_ms)


def _attempts(answer: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    for place, subtask in enumerate(items(answer.get("subtasks"))):
        yield (place,), subtask
        for other, attempt in enumerate(items(subtask.get("other-concurrent-attempts"))):
            yield (place, "other-concurrent-attempts", other), attempt


def _measured(subtask: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "subtask": small(subtask.get("subtask")),
        "attempt": small(subtask.get("attempt-number")),
        "level": _level(subtask),
        "back_pressured_ratio": _ratio(subtask, *RATIO_NAMES),
        "busy_ratio": _ratio(subtask, "busyRatio", "busy-ratio"),
        "idle_ratio": _ratio(subtask, "idleRatio", "idle-ratio"),
    }


def _level(answer: Mapping[str, Any]) -> str | None:
    for name in LEVEL_NAMES:
        level = (text(answer.get(name)) or "").lower()
        if level in LEVELS:
            return level
    return None


def _ratio(subtask: Mapping[str, Any], *names: str) -> float | None:
    for name in names:
        ratio = number(subtask.get(name))
        if ratio is not None and ratio >= 0:
            return ratio
    return None


FORMAT = Format(
    id="flink-rest-back-pressure",
    title=to_say("Flink REST: back pressure of a task"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/monitoring/back_pressure/",
    tables=("back_pressure",),
    recognise=_recognise,
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_vertices_401ce4df3bc435e1a06b783bc1174815_backpressure-1.json",
            text='{"status":"ok","backpressureLevel":"low","end-timestamp":1795222151050,"subtasks":['
            '{"subtask":0,"backpressureLevel":"low","ratio":0.105,"idleRatio":0.0,"busyRatio":"NaN",'
            '"backpressure-level":"low"},{"subtask":1,"backpressureLevel":"ok","ratio":0.082,"idleRatio":0.0,'
            '"busyRatio":"NaN","backpressure-level":"ok"}],"backpressure-level":"low"}',
            rows={
                "back_pressure": [
                    {
                        "ts_ms": 1795222151050,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "401ce4df3bc435e1a06b783bc1174815",
                        "subtask": 0,
                        "level": "low",
                        "back_pressured_ratio": 0.105,
                        "busy_ratio": None,
                        "idle_ratio": 0.0,
                        "line": 1,
                        "pointer": "/subtasks/0",
                    },
                    {"subtask": 1, "level": "ok", "back_pressured_ratio": 0.082},
                    {"subtask": None, "level": "low", "back_pressured_ratio": 0.105, "pointer": ""},
                ]
            },
        ),
        Sample(name="rest/backpressure.json", text='{"status":"deprecated"}', rows={}),
        Sample(
            name="levels.json",
            text='{"vertex":"Sink: JDBC","status":"ok","backpressure-level":"ok"}',
            rows={"back_pressure": [{"vertex_id": "Sink: JDBC", "subtask": None, "level": "ok"}]},
        ),
        Sample(
            name="backpressure.json",
            text='{"status":"ok","backpressure-level":"HIGH","end-timestamp":1514779500000,'
            '"subtasks":[{"subtask":3,"backpressure-level":"HIGH","ratio":0.93}]}',
            rows={
                "back_pressure": [
                    {"vertex_id": "(backpressure.json)", "subtask": 3, "level": "high", "back_pressured_ratio": 0.93},
                    {"subtask": None, "level": "high"},
                ]
            },
        ),
    ),
)
