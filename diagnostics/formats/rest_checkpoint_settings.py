"""Flink REST `/jobs/<id>/checkpoints/config`: the checkpoint settings in effect for a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, fields, rest_reader, rest_shape, text

OPTIONS = {
    "mode": "execution.checkpointing.mode",
    "interval": "execution.checkpointing.interval",
    "timeout": "execution.checkpointing.timeout",
    "min_pause": "execution.checkpointing.min-pause",
    "max_concurrent": "execution.checkpointing.max-concurrent-checkpoints",
    "unaligned_checkpoints": "execution.checkpointing.unaligned.enabled",
    "aligned_checkpoint_timeout": "execution.checkpointing.aligned-checkpoint-timeout",
    "tolerable_failed_checkpoints": "execution.checkpointing.tolerable-failed-checkpoints",
    "checkpoints_after_tasks_finish": "execution.checkpointing.checkpoints-after-tasks-finish",
    "state_backend": "state.backend.type",
    "checkpoint_storage": "execution.checkpointing.storage",
    "state_changelog_enabled": "state.changelog.enabled",
    "changelog_storage": "state.changelog.storage",
    "changelog_periodic_materialization_interval": "state.changelog.periodic-materialize.interval",
}
"""Field of the answer -> Flink's key. Values stay as printed: backend and storage are class names here."""

MILLISECONDS = frozenset(
    ("interval", "timeout", "min_pause", "aligned_checkpoint_timeout", "changelog_periodic_materialization_interval")
)

NOT_KNOWN = "Unknown"
"""What a job that never started states as its backend and storage. Source: Flink's
ArchivedExecutionGraph.createSparseArchivedExecutionGraph.
"""

RETENTION = "execution.checkpointing.externalized-checkpoint-retention"


def _fits(seen: Outline) -> bool:
    return seen.has("", "mode", "interval", "timeout", "min_pause")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    named = {"ts_ms": document.snapshot_ms, "scope": "job", "job_id": document.path.job_id}
    rows = [
        {**named, "key": key, "value": _printed(name, answer[name]), **document.at(name)}
        for name, key in OPTIONS.items()
        if answer.get(name) not in (None, NOT_KNOWN)
    ]
    retention = _retention(fields(answer.get("externalization")))
    if retention:
        rows.append({**named, "key": RETENTION, "value": retention, **document.at("externalization")})
    yield Rows("config_option", rows)
    yield Coverage(records=len(rows))


def _printed(name: str, value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value} ms" if name in MILLISECONDS else str(value)
    return text(value)


def _retention(externalization: Mapping[str, Any]) -> str | None:
    if externalization.get("enabled") is False:
        return "NO_EXTERNALIZED_CHECKPOINTS"
    deletes = externalization.get("delete_on_cancellation")
    if not isinstance(deletes, bool):
        return None
    return "DELETE_ON_CANCELLATION" if deletes else "RETAIN_ON_CANCELLATION"


FORMAT = Format(
    id="flink-rest-checkpoint-settings",
    title=to_say("Flink REST: checkpoint settings of a job"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-jobid-checkpoints-config",
    tables=("config_option",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_checkpoints_config.json",
            text='{"mode":"exactly_once","interval":10000,"timeout":30000,"min_pause":2000,"max_concurrent":1,'
            '"externalization":{"enabled":true,"delete_on_cancellation":false},'
            '"state_backend":"EmbeddedRocksDBStateBackend","checkpoint_storage":"Unknown","unaligned_checkpoints":false}',
            rows={
                "config_option": [
                    {
                        "scope": "job",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "key": "execution.checkpointing.mode",
                        "value": "exactly_once",
                        "pointer": "/mode",
                    },
                    {"key": "execution.checkpointing.interval", "value": "10000 ms", "pointer": "/interval"},
                    {"key": "execution.checkpointing.timeout", "value": "30000 ms"},
                    {"key": "execution.checkpointing.min-pause", "value": "2000 ms"},
                    {"key": "execution.checkpointing.max-concurrent-checkpoints", "value": "1"},
                    {"key": "execution.checkpointing.unaligned.enabled", "value": "false"},
                    {"key": "state.backend.type", "value": "EmbeddedRocksDBStateBackend"},
                    {"key": RETENTION, "value": "RETAIN_ON_CANCELLATION"},
                ]
            },
        ),
    ),
)
