"""The report of the workbench on its queries to a Prometheus server or a log store, with what it did not get."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, items, rest_reader, rest_shape, small, text

LONGEST = 200
SERVERS = ("prometheus", "log_store")
"""Keys of the address of what was queried."""


def _fits(seen: Outline) -> bool:
    return any(seen.has("", "collector", server, "started", "ended", "skipped") for server in SERVERS)


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    for key in SERVERS:
        if server := text(answer.get(key), LONGEST):
            row = {"ts_ms": document.snapshot_ms, "scope": "collector", "key": key, "value": server}
            yield Rows("config_option", [{**row, **document.at(key)}])
    skipped = [reason for each in items(answer["skipped"]) if (reason := text(each, LONGEST))]
    yield Coverage(
        records=small(answer.get("requests")) or 0,
        warnings=tuple(say("not collected: {value}", value=reason) for reason in skipped),
    )


FORMAT = Format(
    id="metrics-report",
    title=to_say("Report on queried metrics or logs"),
    documentation="https://prometheus.io/docs/prometheus/latest/querying/api/",
    tables=("config_option",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="prometheus/collected.json",
            text='{"collector": "prometheus 1", "prometheus": "http://prometheus:9090", "selector": "", '
            '"job": "Orders", "started": "2026-11-22T02:23:11.105+00:00", '
            '"ended": "2026-11-22T08:23:11.105+00:00", "step_s": 54, '
            '"requests": 31, "bytes": 301544, "skipped": ["flink_jobmanager_numRestarts: HTTP 503: busy"]}',
            rows={
                "config_option": [
                    {
                        "scope": "collector",
                        "key": "prometheus",
                        "value": "http://prometheus:9090",
                        "pointer": "/prometheus",
                    }
                ]
            },
        ),
        Sample(
            name="log-store/collected.json",
            text='{"collector": "log store 1", "log_store": "http://loki:3100", "selector": "app=\\"flink\\"", '
            '"started": "2026-11-22T02:23:11.105+00:00", "ended": "2026-11-22T03:23:11.105+00:00", "lines": 4213, '
            '"requests": 1, "bytes": 301544, "skipped": ["lines before 2026-11-22 02:40:00 UTC"]}',
            rows={
                "config_option": [
                    {"scope": "collector", "key": "log_store", "value": "http://loki:3100", "pointer": "/log_store"}
                ]
            },
        ),
    ),
)
