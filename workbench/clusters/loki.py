"""Loki: log lines by LogQL stream selectors.

Source: Grafana Loki documentation, "Loki HTTP API", query logs within a range of time
(https://grafana.com/docs/loki/latest/reference/loki-http-api/), and "Limits config", `max_entries_limit_per_query`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from diagnostics.collect_flink import Unanswered
from workbench.clusters import prometheus
from workbench.clusters.log_store import LogLine, LogStore, LogWindow, Page, SelectorRefused, process_name
from workbench.languages.sentences import say

PAGE_LINES = 5_000
"""Loki's default of `max_entries_limit_per_query`."""
POD = ("pod", "pod_name", "k8s_pod_name", "instance", "host", "hostname", "node_name")
CONTAINER = ("container", "container_name", "k8s_container_name", "filename")
"""Labels of a process, as Alloy, Promtail and Fluent Bit write them."""


def _path(window: LogWindow, newest: int) -> str:
    asked = {
        "query": f"{{{window.selector}}}",
        "start": LOKI.moment(window.begin),
        "end": newest + 1,  # exclusive
        "limit": PAGE_LINES,
        "direction": "backward",
    }
    return f"/loki/api/v1/query_range?{urlencode(asked)}"


def _read(answer: Any) -> Page:
    data = answer.get("data") if isinstance(answer, dict) else None
    streams = data.get("result") if isinstance(data, dict) else None
    if not isinstance(streams, list) or not isinstance(data, dict) or data.get("resultType") != "streams":
        raise Unanswered(say("what answers there is no Loki API"))
    lines = [line for place, stream in enumerate(streams) for line in _lines(stream, place)]
    return Page(sorted(lines, key=lambda line: -line.at), len(lines))


def _lines(stream: Any, place: int) -> list[LogLine]:
    labels = stream.get("stream") if isinstance(stream, dict) else None
    values = stream.get("values") if isinstance(stream, dict) else None
    if not isinstance(labels, dict) or not isinstance(values, list):
        return []
    process = process_name(labels, POD, CONTAINER)
    origin = tuple(sorted((str(name), str(value)) for name, value in labels.items()))
    return [
        LogLine(int(value[0]), process, value[1], (origin, value[0], value[1]))
        for value in values
        if isinstance(value, list) and len(value) >= 2 and _is_moment(value[0]) and isinstance(value[1], str)
    ]


def _is_moment(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20


def _selector(typed: str) -> str:
    """Matchers of streams; Loki wants one at least. Raises SelectorRefused."""
    try:
        matchers = prometheus.selector_read(typed)
    except prometheus.SelectorRefused as error:
        raise SelectorRefused(str(error)) from None
    if not matchers:
        raise SelectorRefused(say('Loki needs a matcher of the cluster\'s streams: namespace="payments".'))
    return matchers


LOKI = LogStore(page_lines=PAGE_LINES, per_second=1_000_000_000, path=_path, read=_read, selector=_selector)
