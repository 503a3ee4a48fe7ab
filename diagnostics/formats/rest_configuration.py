"""Flink REST `/jobmanager/config`, `/jobmanager/environment`, `/jobs/<id>/config`: settings and JVM flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head
from diagnostics.notation.json_document import Outline, outline
from diagnostics.notation.jvm_flag import flag_facts
from diagnostics.notation.rest_document import CERTAIN, RestDocument, fields, items, rest_reader, rest_shape, text
from diagnostics.notation.secret_option import MASK, is_secret, masked

JOB_OPTIONS = {
    "restart-strategy": "execution-config.restart-strategy",
    "job-parallelism": "parallelism.default",
    "object-reuse-mode": "pipeline.object-reuse",
    "execution-mode": "execution-config.execution-mode",
}
"""Field of `execution-config` -> Flink's key; the restart strategy is a sentence here, not an option."""

MOST_VALUE = 2000

_FLINK_KEY = re.compile(r'"(?:jobmanager|taskmanager|execution|state|rest|high-availability|parallelism)\.')


def _recognise(head: Head) -> float:
    """A list of keys and values is recognised when one of the keys is Flink's."""
    seen = outline(head)
    if seen is not None and seen.is_array:
        is_list = seen.keys.get("*") == frozenset({"key", "value"}) and not seen.several
        return CERTAIN if is_list and _FLINK_KEY.search(head.text) else 0.0
    return rest_shape(_fits)(head)


def _fits(seen: Outline) -> bool:
    return seen.has("", "jid", "execution-config") or seen.has("", "jvm", "classpath")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    if isinstance(answer, list):
        rows = list(_cluster(document, answer))
    elif "execution-config" in answer:
        rows = list(_job(document, answer))
    else:
        rows = list(_environment(document, fields(answer["jvm"])))
    yield Rows("config_option", rows)
    yield Coverage(records=len(rows), role="jobmanager" if "jvm" in answer else None)


def _cluster(document: RestDocument, options: list[Any]) -> Iterator[dict[str, Any]]:
    scope = "job" if document.path.job_id else "cluster"
    for place, option in enumerate(options):
        key = text(option["key"])
        if key:
            yield {
                "ts_ms": document.snapshot_ms,
                "scope": scope,
                "job_id": document.path.job_id,
                "key": key,
                "value": masked(key, text(option.get("value"), MOST_VALUE)),
                **document.at(place),
            }


def _job(document: RestDocument, answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    named = {"ts_ms": document.snapshot_ms, "scope": "job", "job_id": text(answer["jid"])}
    settings = fields(answer["execution-config"])
    for name, key in JOB_OPTIONS.items():
        if settings.get(name) is not None:
            yield {**named, "key": key, "value": _plain(settings[name]), **document.at("execution-config", name)}
    for key, value in fields(settings.get("user-config")).items():
        where = document.at("execution-config", "user-config", key)
        kept = MASK if is_secret(key) else _plain(value)
        yield {**named, "key": f"user-config.{text(key)}", "value": kept, **where}


def _environment(document: RestDocument, jvm: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    named = {
        "ts_ms": document.snapshot_ms,
        "scope": "jvm",
        "job_id": document.path.job_id,
        "process": "jobmanager",
    }
    for name in ("version", "arch"):
        if text(jvm.get(name)):
            yield {**named, "key": f"jvm.{name}", "value": text(jvm[name]), **document.at("jvm", name)}
    for place, option in enumerate(items(jvm.get("options"))):
        for key, value in flag_facts(text(option, MOST_VALUE) or ""):
            yield {**named, "key": key, "value": masked(key, value), **document.at("jvm", "options", place)}


def _plain(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool | int | float) else text(value, MOST_VALUE)


FORMAT = Format(
    id="flink-rest-configuration",
    title=to_say("Flink REST: configuration"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobmanager-config",
    tables=("config_option",),
    recognise=_recognise,
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobmanager_config.json",
            text='[{"key":"state.backend.type","value":"rocksdb"},{"key":"s3.secret-key","value":"hunter2"}]',
            rows={
                "config_option": [
                    {"scope": "cluster", "key": "state.backend.type", "value": "rocksdb", "pointer": "/0", "line": 1},
                    {"scope": "cluster", "key": "s3.secret-key", "value": "******", "pointer": "/1"},
                ]
            },
        ),
        Sample(
            name="rest/jobmanager_environment.json",
            text='{"jvm":{"version":"OpenJDK 64-Bit Server VM - Debian - 17/17.0.15+6","arch":"amd64","options":['
            '"-Xmx469762048","-XX:MaxMetaspaceSize=268435456","-XX:+UseG1GC","-Dlog.file=/opt/flink/log/jm.log"]},'
            '"classpath":["/opt/flink/lib/flink-dist-1.20.5.jar"]}',
            rows={
                "config_option": [
                    {"scope": "jvm", "process": "jobmanager", "key": "jvm.version"},
                    {"key": "jvm.arch", "value": "amd64"},
                    {"key": "heap.max", "value": "469762048", "pointer": "/jvm/options/0"},
                    {"key": "flag.MaxMetaspaceSize", "value": "268435456"},
                    {"key": "gc.collector", "value": "G1"},
                ]
            },
        ),
        Sample(
            name="rest/jobs_261dee5e2794db0ec76dd8065a64d81c_config.json",
            text='{"jid":"261dee5e2794db0ec76dd8065a64d81c","name":"page-view-count","execution-config":{'
            '"execution-mode":"PIPELINED","restart-strategy":"Cluster level default restart strategy",'
            '"job-parallelism":2,"object-reuse-mode":false,"user-config":{"db.password":"x"}}}',
            rows={
                "config_option": [
                    {
                        "scope": "job",
                        "job_id": "261dee5e2794db0ec76dd8065a64d81c",
                        "key": "execution-config.restart-strategy",
                        "value": "Cluster level default restart strategy",
                    },
                    {"key": "parallelism.default", "value": "2", "pointer": "/execution-config/job-parallelism"},
                    {"key": "pipeline.object-reuse", "value": "false"},
                    {"key": "execution-config.execution-mode", "value": "PIPELINED"},
                    {"key": "user-config.db.password", "value": "******"},
                ]
            },
        ),
    ),
)
