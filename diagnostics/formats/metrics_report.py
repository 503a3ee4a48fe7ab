"""The report that the workbench writes when it asked a Prometheus server: metrics that were left out and why."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, items, rest_reader, rest_shape, small, text

LONGEST = 200


def _fits(seen: Outline) -> bool:
    return seen.has("", "collector", "prometheus", "step_s", "skipped")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    server = text(answer["prometheus"], LONGEST)
    if server:
        row = {"ts_ms": document.snapshot_ms, "scope": "collector", "key": "prometheus", "value": server}
        yield Rows("config_option", [{**row, **document.at("prometheus")}])
    skipped = [reason for each in items(answer["skipped"]) if (reason := text(each, LONGEST))]
    yield Coverage(
        records=small(answer.get("requests")) or 0,
        warnings=tuple(f"not collected: {reason}" for reason in skipped),
    )


FORMAT = Format(
    id="metrics-report",
    title="Report on queried metrics",
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
    ),
)
