"""Threads of a JVM in `jcmd <pid> Thread.dump_to_file -format=json`, virtual threads included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.header_time import header_time
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape, text
from diagnostics.notation.stack_frame import MOST_FRAMES, frame_name
from diagnostics.notation.task_name import task_of_thread

STATES = frozenset(("RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING"))


def _fits(seen: Outline) -> bool:
    return seen.has("threadDump", "processId", "time", "threadContainers")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    """One row per thread with a stack; the JDK writes the thread's state since version 24."""
    dump = fields(document.value["threadDump"])
    ts_ms = header_time(str(dump.get("time")))
    rows: list[dict[str, Any]] = []
    count = 0
    for place, container in enumerate(items(dump["threadContainers"])):
        for position, thread in enumerate(items(fields(container).get("threads"))):
            count += 1
            row = _row(fields(thread))
            if row is not None:
                where = document.at("threadDump", "threadContainers", place, "threads", position)
                rows.append({"ts_ms": ts_ms, **row, **where})
    yield Rows("stack_sample", rows)
    yield Coverage(records=count, first_ts_ms=ts_ms, last_ts_ms=ts_ms)


def _row(thread: Mapping[str, Any]) -> dict[str, Any] | None:
    frames = [frame_name(each) for each in items(thread.get("stack"))[:MOST_FRAMES] if isinstance(each, str)]
    if not frames:
        return None
    name = text(thread.get("name")) or f"virtual thread {thread.get('tid')}"
    task = task_of_thread(name)
    state = thread.get("state")
    return {
        "profile": "thread-dump",
        "mode": "dump",
        "vertex": task.vertex if task else None,
        "subtask": task.subtask if task else None,
        "thread": name,
        "state": state if state in STATES else None,
        "frames": frames[::-1],
        "weight": 1.0,
    }


FORMAT = Format(
    id="thread-dump-json",
    title=to_say("Thread dump of jcmd as JSON"),
    documentation="https://docs.oracle.com/en/java/javase/21/core/virtual-threads.html",
    tables=("stack_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="profile/threads.json",
            text='{"threadDump":{"processId":"3862","time":"2026-11-21T01:00:00.439828Z","runtimeVersion":"21.0.10+7",'
            '"threadContainers":[{"container":"<root>","parent":null,"owner":null,"threads":['
            '{"tid":"31","name":"Map (2/4)#0","stack":["java.base\\/java.lang.Object.wait0(Native Method)",'
            '"app\\/\\/com.acme.Lookup.get(Lookup.java:31)"]},{"tid":"40","name":"","stack":["a.B.c(B.java:1)"]},'
            '{"tid":"41","name":"idle","stack":[]}],"threadCount":"3"}]}}',
            rows={
                "stack_sample": [
                    {
                        "ts_ms": 1795222800440,
                        "profile": "thread-dump",
                        "vertex": "Map",
                        "subtask": 1,
                        "thread": "Map (2/4)#0",
                        "state": None,
                        "frames": ["com.acme.Lookup.get", "java.lang.Object.wait0"],
                        "pointer": "/threadDump/threadContainers/0/threads/0",
                    },
                    {"thread": "virtual thread 40", "vertex": None, "frames": ["a.B.c"]},
                ]
            },
        ),
    ),
)
