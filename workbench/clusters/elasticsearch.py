"""Elasticsearch and OpenSearch: documents of logs by a Lucene query, sorted by `@timestamp`.

The search travels in the parameter `source` of a GET request, since nothing else than GET is ever sent. Sources:
Elasticsearch documentation, "Search API", query parameters `source` and `source_content_type`; "Sort search results",
`numeric_type`; "Query string query". OpenSearch has all of them, as Elasticsearch 7.10 has.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote, urlencode

from diagnostics.collect_flink import Unanswered
from diagnostics.log_scan.json_lines import entry_text
from workbench.clusters.log_store import (
    LONGEST_SELECTOR,
    LogLine,
    LogStore,
    LogWindow,
    Page,
    SelectorRefused,
    process_name,
)
from workbench.languages.sentences import say

PAGE_LINES = 2_000
"""Documents of one answer, which has at most 64 MB. The default of `index.max_result_window` is 10,000."""
TIME_FIELD = "@timestamp"
"""As Filebeat, Elastic Agent, Logstash, Fluent Bit (`Logstash_Format`) and every data stream name it."""
SEARCH_SECONDS = 10
EVERY_INDEX = "*"
INDEX = re.compile(r"[A-Za-z0-9*.][A-Za-z0-9*._-]*(?:,[A-Za-z0-9*.][A-Za-z0-9*._-]*)*")
POD = ("kubernetes.pod.name", "kubernetes.pod_name", "host.name", "host.hostname", "host", "hostname")
CONTAINER = ("kubernetes.container.name", "kubernetes.container_name", "log.file.path", "container.name")
"""Fields of a process, as Filebeat (ECS), Elastic Agent and Fluent Bit write them."""


def index_read(typed: str) -> str:
    """Names and patterns of indices, separated by commas. Raises SelectorRefused."""
    plain = re.sub(r"\s+", "", typed) or EVERY_INDEX
    if len(plain) > LONGEST_SELECTOR or not INDEX.fullmatch(plain):
        raise SelectorRefused(say("Indices are names or patterns such as filebeat-*,logs-flink-*."))
    return plain


def _path(window: LogWindow, newest: int) -> str:
    span = {"gte": ELASTICSEARCH.moment(window.begin), "lte": newest, "format": "epoch_millis"}
    chosen: list[dict[str, Any]] = [{"range": {TIME_FIELD: span}}]
    if window.selector:
        chosen.append({"query_string": {"query": window.selector, "allow_leading_wildcard": False}})
    search = {
        "size": PAGE_LINES,
        "timeout": f"{SEARCH_SECONDS}s",
        "track_total_hits": False,
        "sort": [{TIME_FIELD: {"order": "desc", "numeric_type": "date"}}],
        "query": {"bool": {"filter": chosen}},
    }
    asked = {
        "source": json.dumps(search, separators=(",", ":")),
        "source_content_type": "application/json",
        "ignore_unavailable": "true",
    }
    return f"/{quote(window.index or EVERY_INDEX, safe='*,')}/_search?{urlencode(asked)}"


def _read(answer: Any) -> Page:
    hits = answer.get("hits") if isinstance(answer, dict) else None
    entries = hits.get("hits") if isinstance(hits, dict) else None
    if not isinstance(answer, dict) or not isinstance(entries, list):
        raise Unanswered(say("what answers there is no search API of Elasticsearch or OpenSearch"))
    warnings = []
    shards = answer.get("_shards")
    if isinstance(shards, dict) and shards.get("failed"):
        warnings.append(say("lines of {count} shards that failed", count=shards["failed"]))
    if answer.get("timed_out") is True:
        warnings.append(say("lines that the search did not reach within {seconds} s", seconds=SEARCH_SECONDS))
    return Page([line for hit in entries if (line := _line(hit)) is not None], len(entries), warnings)


def _line(hit: Any) -> LogLine | None:
    """The entry of a hit; None for a document that is no log record."""
    if not isinstance(hit, dict) or not isinstance(hit.get("_source"), dict):
        return None
    moments, source = hit.get("sort"), hit["_source"]
    at = moments[0] if isinstance(moments, list) and moments else None
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < 10**14:
        return None
    fields = {name: _field(source, name) for name in (*POD, *CONTAINER)}
    text = entry_text(source) or ""
    return LogLine(at, process_name(fields, POD, CONTAINER), text, (hit.get("_index"), str(hit.get("_id"))))


def _field(source: dict[str, Any], name: str) -> Any:
    """A field by its dotted name, with dots in the key or nested objects."""
    if name in source:
        return source[name]
    value: Any = source
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _selector(typed: str) -> str:
    """A query in Lucene's syntax; empty for all documents. Raises SelectorRefused."""
    plain = " ".join(typed.split())
    if len(plain) > LONGEST_SELECTOR or not plain.isprintable():
        raise SelectorRefused(say("A query has at most {most} letters.", most=LONGEST_SELECTOR))
    if "/" in re.sub(r'"[^"]*"', "", plain):
        raise SelectorRefused(say("Regular expressions (between slashes) are not sent: they load every shard."))
    return plain


ELASTICSEARCH = LogStore(page_lines=PAGE_LINES, per_second=1_000, path=_path, read=_read, selector=_selector)
