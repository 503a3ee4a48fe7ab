"""Flink REST `/jobs/<id>/savepoints/<trigger id>` and other answers about an operation that goes on in the background:
whether it is done, and why it failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, fields, rest_reader, rest_shape, text
from diagnostics.notation.stack_trace import bare_cause, stack_trace

MOST_OF_A_TRACE = 64_000
"""Characters read of a stack trace. Our choice: ten exceptions with fifty frames each."""


def _fits(seen: Outline) -> bool:
    return seen.has("", "status", "operation") and seen.has("status", "id")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    cause = fields(fields(document.value["operation"]).get("failure-cause"))
    printed = text(cause.get("stack-trace"), MOST_OF_A_TRACE) or text(cause.get("class"))
    trace = (stack_trace(printed.splitlines()) or bare_cause(printed)) if printed else None
    if trace:
        row = {"message": trace.exception_message or trace.exception_class, **asdict(trace)}
        yield Rows("log_record", [{**row, **document.at("operation", "failure-cause")}])
    yield Coverage(records=1)


FORMAT = Format(
    id="flink-rest-operation",
    title=to_say("Flink REST: operation in the background"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-jobid-savepoints-triggerid",
    tables=("log_record",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    is_log=True,
    samples=(
        Sample(name="savepoint.json", text='{"status":{"id":"IN_PROGRESS"},"operation":null}', rows={}),
        Sample(
            name="savepoint.json",
            text='{"status":{"id":"COMPLETED"},"operation":{"failure-cause":{"class":'
            '"java.util.concurrent.CompletionException","stack-trace":"java.util.concurrent.CompletionException: '
            "org.apache.flink.runtime.checkpoint.CheckpointException: Checkpoint triggering task a (1/2) is not being "
            "executed at the moment.\\n\\tat a.B.c(B.java:1)\\nCaused by: "
            "org.apache.flink.runtime.checkpoint.CheckpointException: Checkpoint triggering task a (1/2) is not being "
            'executed at the moment.\\n\\t... 3 more\\n"}}}',
            rows={
                "log_record": [
                    {
                        "exception_class": "java.util.concurrent.CompletionException",
                        "root_cause_class": "org.apache.flink.runtime.checkpoint.CheckpointException",
                        "line": 1,
                        "pointer": "/operation/failure-cause",
                    }
                ]
            },
        ),
    ),
)
