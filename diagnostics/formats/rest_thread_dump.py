"""Flink REST `/taskmanagers/<id>/thread-dump` and `/jobmanager/thread-dump`: the stacks of all threads."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, items, rest_reader, rest_shape
from diagnostics.notation.thread_stack import thread_of

CUT_DEPTH = 8
"""Until 1.16 Flink printed at most eight frames per thread, followed by `...`."""


def _fits(seen: Outline) -> bool:
    if seen.has("threadInfos/*", "threadName", "stringifiedThreadInfo"):
        return True
    return seen.keys.get("") == frozenset({"threadInfos"})


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    listed = items(document.value["threadInfos"])
    rows, cut = [], 0
    for place, info in enumerate(listed):
        printed = info["stringifiedThreadInfo"]
        thread = thread_of(printed.splitlines())
        if thread is None or not thread.frames:
            continue
        cut += len(thread.frames) == CUT_DEPTH and printed.rstrip().endswith("...")
        rows.append({"ts_ms": document.snapshot_ms, **thread.as_row(), **document.at("threadInfos", place)})
    yield Rows("stack_sample", rows)
    warning = say(
        "the stacks of {cut} threads are cut at {cut_depth} frames: raise cluster.thread-dump.stacktrace-max-depth",
        cut=cut,
        cut_depth=CUT_DEPTH,
    )
    yield Coverage(records=len(listed), warnings=(warning,) if cut else ())


FORMAT = Format(
    id="flink-rest-thread-dump",
    title=to_say("Flink REST: thread dump"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#taskmanagers-taskmanagerid-thread-dump",
    tables=("stack_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/taskmanagers_localhost_18040-ef0dc3_thread-dump.json",
            text='{"threadInfos":[{"threadName":"enrich -> Sink: out (2/4)#1","stringifiedThreadInfo":'
            '"\\"enrich -> Sink: out (2/4)#1\\" Id=91 TIMED_WAITING on java.util.List@1f\\n'
            "\\tat java.base@17.0.15/java.lang.Object.wait(Native Method)\\n\\t-  waiting on java.util.List@1f\\n"
            '\\tat app//com.acme.Lookup$$Lambda$173/0x00007fe7e113b640.call(Unknown Source)\\n\\n"},'
            '{"threadName":"Signals","stringifiedThreadInfo":"\\"Signals\\" Id=4 RUNNABLE\\n\\n"}]}',
            rows={
                "stack_sample": [
                    {
                        "ts_ms": None,
                        "profile": "thread-dump",
                        "mode": "dump",
                        "vertex": "enrich -> Sink: out",
                        "subtask": 1,
                        "thread": "enrich -> Sink: out (2/4)#1",
                        "state": "TIMED_WAITING",
                        "frames": ["com.acme.Lookup$$Lambda.call", "java.lang.Object.wait"],
                        "weight": 1.0,
                        "pointer": "/threadInfos/0",
                    }
                ]
            },
        ),
    ),
)
