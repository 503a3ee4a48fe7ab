"""A chain keeps the first frames of its products, with the JARs that a log prints behind them."""

from __future__ import annotations

from diagnostics.notation.product_frame import (
    MOST_OF_A_CHAIN,
    MOST_OF_AN_EXCEPTION,
    ProductFrame,
    innermost_frames,
    product_frames,
)
from diagnostics.notation.stack_trace import stack_trace

TRACE = """java.lang.RuntimeException: commit failed
\tat org.apache.flink.streaming.runtime.tasks.StreamTask.invoke(StreamTask.java:1) ~[flink-dist-1.17.2.jar:1.17.2]
Caused by: java.util.NoSuchElementException: no bucket
\tat java.base/java.util.Optional.get(Optional.java:1) ~[?:?]
\tat org.apache.paimon.table.Table.lambda$bucket$4(Table.java:9) ~[paimon-flink-1.17-0.6.0-incubating.jar:0.6.0]
\tat org.apache.hudi.sink.Writer.write(Writer.java:9) ~[hudi.jar:0.14.1]
\tat com.acme.Job.main(Job.java:3) ~[job.jar:?]
"""


def test_frames_are_kept_of_each_exception_with_the_jar_behind_them() -> None:
    trace = stack_trace(TRACE.splitlines())
    assert trace is not None
    inner = [
        ProductFrame("org.apache.paimon.table.Table.bucket", "paimon-flink", "0.6.0"),
        ProductFrame("org.apache.hudi.sink.Writer.write", "hudi", "0.14.1"),
        ProductFrame("com.acme.Job.main"),
    ]
    outer = ProductFrame("org.apache.flink.streaming.runtime.tasks.StreamTask.invoke", "flink-dist", "1.17.2")
    assert [*innermost_frames(trace.frames)] == inner
    assert [*product_frames(trace.frames)] == [*inner, outer]


def test_a_copied_trace_without_brackets_has_frames_without_jars() -> None:
    trace = stack_trace(["java.io.IOException: no", "  at org.apache.iceberg.A.b(A.java:1)"])
    assert trace is not None
    assert [*product_frames(trace.frames)] == [ProductFrame("org.apache.iceberg.A.b")]


def test_of_many_frames_the_first_of_each_exception_are_kept() -> None:
    lines = []
    for number in range(10):
        lines.append(f"{'Caused by: ' if number else ''}java.io.IOException: {number}")
        lines += [f"\tat org.apache.kafka.C{number}.m{each}(C.java:1)" for each in range(40)]
    trace = stack_trace(lines)
    assert trace is not None
    assert [each.name for each in innermost_frames(trace.frames)] == [
        f"org.apache.kafka.C9.m{each}" for each in range(MOST_OF_AN_EXCEPTION)
    ]
    assert len(product_frames(trace.frames)) == MOST_OF_A_CHAIN


def test_a_chain_of_the_jdk_alone_has_no_frames() -> None:
    trace = stack_trace(["java.io.IOException: no", "\tat java.base/java.io.A.b(A.java:1)"])
    assert trace is not None
    assert trace.frames is None
