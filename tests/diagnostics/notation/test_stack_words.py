"""Frames, stack traces and task names are spelled one way, wherever they were printed."""

from __future__ import annotations

import pytest

from diagnostics.notation.stack_frame import frame_name, is_user_code
from diagnostics.notation.stack_trace import stack_trace
from diagnostics.notation.task_name import TaskName, task_name, task_of_thread, without_names


@pytest.mark.parametrize(
    ("printed", "frame"),
    [
        ("java.lang.Thread.run(java.base@17.0.15/Thread.java:840)", "java.lang.Thread.run"),
        ("java.base@17.0.15/java.lang.Object.wait(Native Method)", "java.lang.Object.wait"),
        ("java.base/java.lang.Thread.run(Thread.java:840)", "java.lang.Thread.run"),
        ("app//org.apache.flink.A.b(A.java:1)", "org.apache.flink.A.b"),
        ("java.lang.Thread.run:840", "java.lang.Thread.run"),
        ("org.x.Task$$Lambda$999/0x00007f779564ccb8.run(Unknown Source)", "org.x.Task$$Lambda.run"),
        ("org.x.Task$$Lambda/0x00007f77.run(Unknown Source)", "org.x.Task$$Lambda.run"),
        ("org.x.Task$$Lambda$0/0x0.run:-1", "org.x.Task$$Lambda.run"),
        ("java/util/HashMap.get_[j]", "java.util.HashMap.get"),
        ("com.acme.Job$Score.score", "com.acme.Job$Score.score"),
        ("__write_nocancel", "__write_nocancel"),
        ("com.acme.A.<init>(A.java:1)", "com.acme.A.<init>"),
    ],
)
def test_frames(printed: str, frame: str) -> None:
    assert frame_name(printed) == frame


def test_what_is_the_users_code() -> None:
    assert is_user_code("com.acme.Lookup.get")
    assert not is_user_code("org.apache.flink.A.b")
    assert not is_user_code("StreamExecCalc$12.processElement")


def test_a_trace_with_causes_and_suppressed_exceptions() -> None:
    trace = stack_trace(
        [
            "java.lang.RuntimeException: outer",
            "second line of the message",
            "\tat org.apache.flink.A.b(A.java:1)",
            "\tSuppressed: java.io.IOException: closing",
            "\t\tat com.acme.Closing.close(Closing.java:2)",
            "Caused by: com.acme.LookupFailed: key 7",
            "\tat com.mysql.jdbc.Driver.read(Driver.java:3)",
            "\tat com.acme.Lookup.get(Lookup.java:4)",
            "\t... 12 more",
        ]
    )
    assert trace is not None
    assert (trace.exception_class, trace.exception_message) == (
        "java.lang.RuntimeException",
        "outer\nsecond line of the message",
    )
    assert (trace.root_cause_class, trace.root_cause_message) == ("com.acme.LookupFailed", "key 7")
    assert (trace.root_cause_frame, trace.user_frame) == ("com.mysql.jdbc.Driver.read", "com.acme.Lookup.get")
    assert trace.causes == "java.lang.RuntimeException: outer\ncom.acme.LookupFailed: key 7"


def test_a_trace_shows_which_frames_of_the_users_code_lead_to_it() -> None:
    trace = stack_trace(
        [
            "java.io.IOException: no key",
            "\tat com.acme.Sealed.key(Sealed.java:1)",
            "\tat com.acme.Sealed.write(Sealed.java:2)",
            "\tat org.apache.flink.A.b(A.java:3)",
        ]
    )
    assert trace is not None
    assert trace.own_frames == "com.acme.Sealed.key\ncom.acme.Sealed.write"


def test_text_without_an_exception_is_no_trace() -> None:
    assert stack_trace(["nothing happened", "at all"]) is None


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("map (1/2)#0", TaskName("map", 0, 2, 0)),
        ("Source: a -> (b, c) (12/12)#3", TaskName("Source: a -> (b, c)", 11, 12, 3)),
        ("map (2/4)", TaskName("map", 1, 4, None)),
        ("map (2/4) - execution #1", TaskName("map", 1, 4, 1)),
        ("map (0/4)#0", None),
        ("map (5/4)#0", None),
        ("(1/2)#0", None),
        ("flink-pekko.actor.default-dispatcher-6", None),
        ("Flink Netty Server (18050) Thread 0", None),
    ],
)
def test_task_names(printed: str, expected: TaskName | None) -> None:
    assert task_name(printed) == expected


def test_only_threads_that_run_a_tasks_code_count_as_the_task() -> None:
    assert task_of_thread("Legacy Source Thread - Source: a (1/2)#0") == TaskName("Source: a", 0, 2, 0)
    assert task_of_thread("a (1/2)#0") == TaskName("a", 0, 2, 0)
    for helper in ("System Time Trigger for ", "Time Trigger for ", "OutputFlusher for "):
        assert task_of_thread(f"{helper}a (1/2)#0") is None


def test_a_message_line_that_begins_like_a_frame_is_not_a_frame() -> None:
    trace = stack_trace(
        [
            "com.fasterxml.jackson.databind.exc.MismatchedInputException: No content to map due to end-of-input",
            ' at [Source: (byte[])""; line: 1, column: 0]',
            "\tat com.fasterxml.jackson.databind.ObjectMapper.readValue(ObjectMapper.java:3697)",
            "\tat com.acme.PaymentSchema.deserialize(PaymentSchema.java:29)",
        ]
    )
    assert trace is not None
    assert trace.root_cause_frame == "com.fasterxml.jackson.databind.ObjectMapper.readValue"
    assert trace.own_frames == "com.acme.PaymentSchema.deserialize"


def test_hadoops_remote_exception_is_what_the_server_threw() -> None:
    told = stack_trace(
        [
            "java.io.IOException: cannot write",
            "\tat com.acme.Writer.write(Writer.java:17)",
            "Caused by: org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.hdfs.server.namenode."
            "LeaseExpiredException): No lease on /out/part-3",
            "\tat org.apache.hadoop.ipc.Client.call(Client.java:1)",
        ]
    )
    assert told is not None
    assert told.root_cause_class == "org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException"
    assert told.root_cause_message == "No lease on /out/part-3"


def test_a_message_without_the_names_of_its_tasks() -> None:
    for told, left in (
        ("Cannot initialize task 'Source: a -> Sink: b': no class", "Cannot initialize task '': no class"),
        (
            "Global failure triggered by OperatorCoordinator for 'Source: a[1] -> b: Writer' (operator 7).",
            "Global failure triggered by OperatorCoordinator for '' (operator 7).",
        ),
        (
            "Could not perform checkpoint 3 for operator json sink (2/4)#0.",
            "Could not perform checkpoint 3 for operator  (2/4)#0.",
        ),
        (
            "Thread 'SourceCoordinator-Source: topic' produced an uncaught exception. Failing the job.",
            "Thread 'SourceCoordinator-' produced an uncaught exception. Failing the job.",
        ),
        ("the sink refused 'orders' (1/2)", "the sink refused 'orders' (1/2)"),
    ):
        assert without_names(told) == left
