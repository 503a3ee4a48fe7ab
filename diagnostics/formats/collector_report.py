"""The report that `collect_flink.py` writes about its own run: requests made, requests failed and why."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, items, rest_reader, rest_shape, small, text

MOST_TOLD = 200


def _fits(seen: Outline) -> bool:
    return seen.has("", "collector", "rest", "snapshots", "skipped")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    asked = text(answer["rest"], MOST_TOLD)
    if asked:
        row = {"ts_ms": document.snapshot_ms, "scope": "collector", "key": "rest", "value": asked}
        yield Rows("config_option", [{**row, **document.at("rest")}])
    skipped = [told for each in items(answer["skipped"]) if (told := text(each, MOST_TOLD))]
    yield Coverage(
        records=small(answer.get("requests")) or 0,
        warnings=tuple(say("not collected: {value}", value=told) for told in skipped),
    )


FORMAT = Format(
    id="collector-report",
    title=to_say("Report of collect_flink.py"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/",
    tables=("config_option",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="collected.json",
            text='{"collector": "collect_flink 1", "rest": "http://jobmanager:8081", '
            '"started": "2026-11-22T02:23:11.105+00:00", "ended": "2026-11-22T02:24:13.904+00:00", '
            '"snapshots": 4, "requests": 143, "bytes": 301544, '
            '"skipped": ["/jobmanager/environment: HTTP 404: Not found"]}',
            rows={
                "config_option": [
                    {"scope": "collector", "key": "rest", "value": "http://jobmanager:8081", "pointer": "/rest"}
                ]
            },
        ),
    ),
)
