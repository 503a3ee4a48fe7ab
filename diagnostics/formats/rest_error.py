"""An error answer of Flink's REST API or of its SQL gateway: `{"errors": [...]}`.

Where it says why a statement or a job could not be started, or names a cause of the catalogues, that becomes a record,
as a client would print it. That checkpoints are not enabled for a job becomes a setting of the job. All other answers
concern the question alone: a job that is no longer there, a metric that a version does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.flink_values import DISABLED
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, items, rest_reader, rest_shape, text
from diagnostics.notation.stack_trace import bare_cause, stack_trace
from diagnostics.vocabulary.copied_error import names_cause
from diagnostics.vocabulary.message_remedies import known_message

MOST_TOLD = 300
MOST_OF_AN_ERROR = 64_000
"""Characters read of an error. Our choice: a trace of ten exceptions with fifty frames each."""

_JOB = re.compile(r"\b[0-9a-f]{32}\b")
SERVER_SIDE = "<Exception on server side:"
END_OF_SERVER_SIDE = "End of exception on server side>"
"""Flink puts these around what its server threw. Source: Flink, RestClient and AbstractRestHandler."""

STARTS = (
    "org.apache.flink.table.gateway.",
    "org.apache.flink.table.client.",
    "org.apache.flink.runtime.client.JobSubmissionException",
    "org.apache.flink.runtime.client.JobInitializationException",
    "org.apache.flink.client.program.ProgramInvocationException",
    "org.apache.flink.runtime.webmonitor.handlers.JarRunHandler",
)
"""Parts of an answer to a statement, or to a job or program that was handed in."""
INTERVAL = "execution.checkpointing.interval"
NO_CHECKPOINTS = (
    "heckpointing was not enabled",
    "heckpointing has not been enabled",
    "heckpointing is not enabled",
)
"""Parts of answers to who asks for the checkpoints of a job that takes none. Source: Flink, CheckpointConfigHandler,
CheckpointingStatisticsHandler and AbstractCheckpointHandler.
"""
OF_A_QUESTION = (
    *NO_CHECKPOINTS,
    "ould not find Flink job",
    "ould not find TaskExecutor",
    "ould not find checkpointing statistics",
    "No vertex with ID",
    "does not exist in JobManager log dir",
)
"""Parts of answers to who reads what is not there, as a collector does that asks for everything."""


def _fits(seen: Outline) -> bool:
    return seen.keys.get("") == frozenset({"errors"})


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    errors = [text(error, MOST_OF_AN_ERROR) for error in items(document.value["errors"])]
    reason = " ".join(" ".join(error.split()) for error in errors if error)[:MOST_TOLD]
    rows = [row for place, error in enumerate(errors) if error and (row := _thrown(document, error, place))]
    if rows:
        yield Rows("log_record", rows)
    off = [place for place, error in enumerate(errors) if error and any(part in error for part in NO_CHECKPOINTS)]
    if off:
        yield Rows("config_option", [_no_checkpoints(document, errors[off[0]] or "", off[0])])
    yield Coverage(
        records=1, warnings=(say("Flink answered with an error instead of what was asked: {reason}", reason=reason),)
    )


def _no_checkpoints(document: RestDocument, error: str, place: int) -> dict[str, Any]:
    """The interval of a job that takes no checkpoints; its id is that of the answer, or of the path that was asked."""
    stated = _JOB.search(error)
    return {
        "ts_ms": document.snapshot_ms,
        "scope": "job",
        "job_id": stated[0] if stated else document.path.job_id,
        "key": INTERVAL,
        "value": DISABLED,
        **document.at("errors", place),
    }


def _thrown(document: RestDocument, error: str, place: int) -> dict[str, Any] | None:
    """What the server threw while it started a statement or a job, or another known cause; None for other answers."""
    if not any(part in error for part in STARTS) and (
        not _is_known(error) or any(part in error for part in OF_A_QUESTION)
    ):
        return None
    said = error.replace(SERVER_SIDE, "").replace(END_OF_SERVER_SIDE, "").strip()
    trace = stack_trace(said.splitlines()) or bare_cause(said)
    if trace is None:
        return None
    return {
        "message": trace.exception_message or trace.exception_class,
        **asdict(trace),
        **document.at("errors", place),
    }


def _is_known(error: str) -> bool:
    known = known_message(error)
    return names_cause(error) or (known is not None and not known.is_general)


FORMAT = Format(
    id="flink-rest-error",
    title=to_say("Flink REST: error answer"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/",
    tables=("log_record", "config_option"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    is_log=True,
    samples=(
        Sample(
            name="rest/checkpoints.json",
            text='{"errors":["Checkpointing was not enabled for job 62c0ae9f2958cc5d669a5f9058cc4097."]}',
            rows={
                "config_option": [
                    {
                        "scope": "job",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "key": "execution.checkpointing.interval",
                        "value": "disabled",
                        "pointer": "/errors/0",
                    }
                ]
            },
        ),
        Sample(
            name="checkpoints.json",
            text='{"errors":["org.apache.flink.RestHandlerException: Checkpointing has not been enabled."]}',
            rows={"config_option": [{"job_id": None, "key": "execution.checkpointing.interval", "value": "disabled"}]},
        ),
        Sample(
            name="fetch_results.json",
            text='{"errors":["Internal server error.","<Exception on server side:\\n'
            "org.apache.flink.table.gateway.api.utils.SqlGatewayException: Failed to fetchResults.\\n"
            "\\tat org.apache.flink.table.gateway.rest.handler.statement.FetchResultsHandler.handle(F.java:91)\\n"
            "Caused by: org.apache.flink.table.api.ValidationException: SQL validation failed. Object 't' not found\\n"
            '\\n\\nEnd of exception on server side>"]}',
            rows={
                "log_record": [
                    {
                        "exception_class": "org.apache.flink.table.gateway.api.utils.SqlGatewayException",
                        "root_cause_class": "org.apache.flink.table.api.ValidationException",
                        "root_cause_message": "SQL validation failed. Object 't' not found",
                        "line": 1,
                    }
                ]
            },
        ),
    ),
)
