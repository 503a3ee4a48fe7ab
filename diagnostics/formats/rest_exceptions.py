"""Flink REST `/jobs/<id>/exceptions`: the failures of a job, the newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Key, Outline
from diagnostics.notation.printed_options import options_of_text
from diagnostics.notation.rest_document import RestDocument, fields, items, moment, rest_reader, rest_shape, text
from diagnostics.notation.stack_trace import StackTrace, stack_trace
from diagnostics.notation.task_name import task_name

NOWHERE = ("(unassigned)", "unassigned", "")


def _fits(seen: Outline) -> bool:
    is_piece = any(seen.has(path, "exceptionName", "stacktrace") for path in ("entries/*", "*"))
    return is_piece or seen.has("", "root-exception") or seen.has("exceptionHistory", "entries")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    rows = list(_history(document))
    answer = fields(document.value)
    root = answer.get("root-exception")
    if not rows:
        listed = items(answer.get("all-exceptions"))
        rows = [_failure(document, failure, "all-exceptions", place) for place, failure in enumerate(listed)]
    if root and not any(row["ts_ms"] == moment(answer.get("timestamp")) for row in rows):
        failure = {"exception": root, "timestamp": answer.get("timestamp")}
        rows.append(_failure(document, failure) | document.at("root-exception"))
    yield Rows("failure", rows)
    if options := list(_table_options(document)):
        yield Rows("config_option", options)
    is_cut = fields(answer.get("exceptionHistory")).get("truncated") is True or answer.get("truncated") is True
    warning = say("Flink shortened the list of exceptions: ask again with ?maxExceptions=50")
    yield Coverage.cover_times(len(rows), (row["ts_ms"] for row in rows), (warning,) if is_cut else ())


def _history(document: RestDocument) -> Iterator[dict[str, Any]]:
    above, entries = _entries(document.value)
    for place, entry in enumerate(entries):
        path: tuple[Key, ...] = (*above, place)
        yield _failure(document, entry, *path)
        for other, concurrent in enumerate(items(entry.get("concurrentExceptions"))):
            yield _failure(document, concurrent, *path, "concurrentExceptions", other)


def _entries(answer: Any) -> tuple[tuple[Key, ...], list[Any]]:
    """The entries of the history with their path: of a whole answer, or copied without what stands around them."""
    if isinstance(answer, list):
        return (), answer
    if "entries" in answer:
        return ("entries",), items(answer["entries"])
    return ("exceptionHistory", "entries"), items(fields(answer.get("exceptionHistory")).get("entries"))


def _table_options(document: RestDocument) -> Iterator[dict[str, Any]]:
    """The options of a table that the newest exception prints."""
    told = fields(document.value).get("root-exception")
    if isinstance(told, str):
        yield from (each | document.at("root-exception") for each in options_of_text(told))


def _failure(document: RestDocument, failure: Mapping[str, Any], *path: Key) -> dict[str, Any]:
    told = failure.get("stacktrace") or failure.get("exception")
    trace = stack_trace(told.splitlines()) if isinstance(told, str) else None
    if trace is None:
        message = text(told.splitlines()[0]) if isinstance(told, str) and told else None
        trace = StackTrace(exception_class=text(failure.get("exceptionName")), exception_message=message)
    printed = text(failure.get("taskName")) or text(failure.get("task"))
    task = task_name(printed) if printed else None
    return {
        "ts_ms": moment(failure.get("timestamp")),
        "job_id": document.path.job_id,
        "vertex": task.vertex if task else printed,
        "subtask": task.subtask if task else None,
        "task_manager": _task_manager(failure),
        **asdict(trace),
        **document.at(*path),
    }


def _task_manager(failure: Mapping[str, Any]) -> str | None:
    for name in ("taskManagerId", "endpoint", "location"):
        told = text(failure.get(name))
        if told and told not in NOWHERE:
            return told
    return None


FORMAT = Format(
    id="flink-rest-exceptions",
    title=to_say("Flink REST: exceptions of a job"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-jobid-exceptions",
    tables=("failure", "config_option"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_exceptions.json",
            text='{"root-exception":"java.lang.Exception: x","timestamp":1795223303987,"all-exceptions":[],'
            '"truncated":false,"exceptionHistory":{"entries":[{"exceptionName":"java.io.IOException","stacktrace":'
            '"java.io.IOException: Could not perform checkpoint 7 for operator enrich (3/4)#1.\\n'
            "\\tat org.apache.flink.streaming.runtime.tasks.StreamTask.triggerCheckpoint(StreamTask.java:1307)\\n"
            "Caused by: org.apache.flink.util.SerializedThrowable: java.nio.file.NoSuchFileException: /models/v3\\n"
            "\\tat java.base/sun.nio.fs.UnixException.translate(UnixException.java:92)\\n"
            '\\tat com.acme.Model.save(Model.java:12)\\n\\t... 9 more\\n","timestamp":1795223303987,'
            '"taskName":"enrich (3/4) - execution #1","endpoint":"10.0.0.7:402","taskManagerId":"10.0.0.7:402-ab12cd",'
            '"failureLabels":{},"concurrentExceptions":[{"exceptionName":"com.acme.Oops","stacktrace":"com.acme.Oops",'
            '"timestamp":1795223303990,"taskName":"Sink: out (1/4) - execution #1","endpoint":"(unassigned)"}]}],'
            '"truncated":true}}',
            rows={
                "failure": [
                    {
                        "ts_ms": 1795223303987,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex": "enrich",
                        "subtask": 2,
                        "task_manager": "10.0.0.7:402-ab12cd",
                        "exception_class": "java.io.IOException",
                        "exception_message": "Could not perform checkpoint 7 for operator enrich (3/4)#1.",
                        "root_cause_class": "java.nio.file.NoSuchFileException",
                        "root_cause_message": "/models/v3",
                        "root_cause_frame": "sun.nio.fs.UnixException.translate",
                        "user_frame": "com.acme.Model.save",
                        "pointer": "/exceptionHistory/entries/0",
                        "line": 1,
                    },
                    {
                        "ts_ms": 1795223303990,
                        "vertex": "Sink: out",
                        "subtask": 0,
                        "task_manager": None,
                        "exception_class": "com.acme.Oops",
                        "exception_message": None,
                        "root_cause_class": "com.acme.Oops",
                        "user_frame": None,
                        "pointer": "/exceptionHistory/entries/0/concurrentExceptions/0",
                    },
                ]
            },
        ),
        Sample(
            name="exceptions-1.12.json",
            text='{"root-exception":"java.lang.OutOfMemoryError: Java heap space\\n\\tat com.acme.A.b(A.java:3)\\n",'
            '"timestamp":1514779500000,"all-exceptions":[{"exception":"java.lang.OutOfMemoryError: Java heap space\\n'
            '\\tat com.acme.A.b(A.java:3)\\n","task":"map (2/2)","location":"worker-1:34567",'
            '"timestamp":1514779500000}],"truncated":false}',
            rows={
                "failure": [
                    {
                        "ts_ms": 1514779500000,
                        "vertex": "map",
                        "subtask": 1,
                        "task_manager": "worker-1:34567",
                        "exception_class": "java.lang.OutOfMemoryError",
                        "user_frame": "com.acme.A.b",
                        "pointer": "/all-exceptions/0",
                    }
                ]
            },
        ),
    ),
)
