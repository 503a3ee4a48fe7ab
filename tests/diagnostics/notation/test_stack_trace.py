"""Traces that a person copied: cut chains, exceptions within a message, causes without a class."""

from __future__ import annotations

import pytest

from diagnostics.notation.stack_trace import bare_cause, stack_trace, thrown_at_end


def test_an_exception_that_only_passes_another_on_names_that_one() -> None:
    trace = stack_trace(
        [
            "Caused by: java.util.concurrent.CompletionException: java.lang.IllegalArgumentException: no schema",
            "\tat com.ververica.cdc.runtime.SchemaOperator.send(SchemaOperator.java:1)",
        ]
    )
    assert trace is not None
    assert (trace.exception_class, trace.root_cause_class) == (
        "java.util.concurrent.CompletionException",
        "java.lang.IllegalArgumentException",
    )
    assert trace.root_cause_message == "no schema"
    assert trace.root_cause_frame == "com.ververica.cdc.runtime.SchemaOperator.send"


def test_a_message_that_mentions_an_exception_later_is_its_own() -> None:
    trace = stack_trace(["java.io.IOException: write failed: java.net.SocketException: broken"])
    assert trace is not None
    assert trace.root_cause_class == "java.io.IOException"


@pytest.mark.parametrize(
    ("line", "from_there"),
    [
        ("Start failed! now exit. java.lang.NoClassDefFoundError: org/a/B", "java.lang.NoClassDefFoundError: org/a/B"),
        ("java.io.IOException: no", "java.io.IOException: no"),
        ("Nothing was thrown here", "Nothing was thrown here"),
    ],
)
def test_frames_belong_to_the_exception_that_the_line_ends_with(line: str, from_there: str) -> None:
    assert thrown_at_end(line) == from_there


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (
            "FileNotFoundException: File does not exist: /a\n",
            "java.io.FileNotFoundException",
            "File does not exist: /a",
        ),
        ("KrbException: no key", "KrbException", "no key"),
        ("transaction is not found", None, "transaction is not found"),
    ],
)
def test_a_cause_is_kept_without_the_package_or_the_class_of_an_exception(
    text: str, name: str | None, message: str
) -> None:
    cause = bare_cause(text)
    assert cause is not None
    assert (cause.exception_class, cause.exception_message) == (name, message)


@pytest.mark.parametrize(
    ("lines", "outer", "root"),
    [
        (["NullPointerException: x", "\tat a.b.C.d(C.java:1)"], "java.lang.NullPointerException", None),
        (["OddException", "\tat a.b.C.d(C.java:1)"], "OddException", None),
        (
            ["java.io.IOException: x", "Caused by: TimeoutException after 60 s"],
            "java.io.IOException",
            "TimeoutException",
        ),
        (["OddException: heard of", "java.io.IOException: x"], "java.io.IOException", None),
        (
            ["IllegalStateException: x", "Caused by: EOFException"],
            "java.lang.IllegalStateException",
            "java.io.EOFException",
        ),
    ],
)
def test_an_exception_without_its_package_is_read(lines: list[str], outer: str, root: str | None) -> None:
    trace = stack_trace(lines)
    assert trace is not None
    assert (trace.exception_class, trace.root_cause_class) == (outer, root or outer)


def test_the_trace_that_a_program_prints_behind_a_word_for_it_is_read() -> None:
    said = "Exception StackTrace: org.apache.flink.table.api.ValidationException: SQL validation failed."
    trace = stack_trace(
        [said, "\tat org.apache.flink.table.calcite.FlinkPlannerImpl.validate(FlinkPlannerImpl.scala:128)"]
    )
    assert trace is not None
    assert trace.exception_class == "org.apache.flink.table.api.ValidationException"


@pytest.mark.parametrize(
    "line", ["OddException: nothing below", "ValueError: of Python", "Error: it failed", "An Exception"]
)
def test_a_line_that_nothing_shows_to_be_an_exception_of_java_is_none(line: str) -> None:
    assert stack_trace([line]) is None


def test_no_text_is_no_cause() -> None:
    assert bare_cause(" \n") is None


def test_a_serialized_throwable_that_keeps_the_jvms_message_alone_is_an_out_of_memory_error() -> None:
    trace = stack_trace(
        ["java.io.IOException: no", "Caused by: org.apache.flink.util.SerializedThrowable: Java heap space"]
    )
    assert trace is not None
    assert trace.root_cause_class == "java.lang.OutOfMemoryError"
    assert trace.root_cause_message == "Java heap space"


def test_a_future_passes_on_the_exception_that_its_message_names() -> None:
    trace = stack_trace(
        [
            "java.util.concurrent.CompletionException: org.apache.flink.util.SerializedThrowable: "
            "org.apache.flink.util.FlinkException: unexpected state",
            "\tat java.util.concurrent.CompletableFuture.encodeThrowable(CompletableFuture.java:292)",
        ]
    )
    assert trace is not None
    assert (trace.root_cause_class, trace.root_cause_message) == (
        "org.apache.flink.util.FlinkException",
        "unexpected state",
    )


@pytest.mark.parametrize(
    "said",
    [
        "Handler dispatch failed; nested exception is java.lang.NoClassDefFoundError: org/apache/flink/util/Collector",
        "Error creating bean; nested exception is org.springframework.beans.BeanInstantiationException: Failed to "
        "instantiate; nested exception is java.lang.NoClassDefFoundError: org/apache/flink/util/Collector",
    ],
)
def test_an_exception_that_nests_another_in_its_message_passes_that_one_on(said: str) -> None:
    trace = stack_trace(
        [
            f"org.springframework.web.util.NestedServletException: {said}",
            "\tat org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:1087)",
        ]
    )
    assert trace is not None
    assert trace.exception_class == "org.springframework.web.util.NestedServletException"
    assert trace.root_cause_class == "java.lang.NoClassDefFoundError"
    assert trace.root_cause_message == "org/apache/flink/util/Collector"


def test_an_exception_that_a_message_announces_is_its_cause() -> None:
    lines = [
        "java.lang.Exception: Exception in executing a job:",
        "Error message:",
        " java.lang.ClassCastException: java.lang.String cannot be cast to [Ljava.lang.Object;",
        "\tat com.acme.Submit.run(Submit.java:7)",
    ]
    trace = stack_trace(lines)
    assert trace is not None
    assert trace.root_cause_class == "java.lang.ClassCastException"
    assert trace.root_cause_frame == "com.acme.Submit.run"


@pytest.mark.parametrize(
    ("cause", "name"),
    [
        ("MetaException(message:Version information not found in metastore. )", "MetaException"),
        ("ElasticsearchStatusException[Elasticsearch exception [type=x]]", "ElasticsearchStatusException"),
        ("KrbException: Cannot locate default realm", "KrbException"),
        ("An Exception in general", None),
    ],
)
def test_a_cause_without_a_package_has_its_class(cause: str, name: str | None) -> None:
    trace = stack_trace(["java.io.IOException: no", f"Caused by: {cause}", "\tat com.acme.Sink.open(Sink.java:7)"])
    assert trace is not None
    assert trace.root_cause_class == name


@pytest.mark.parametrize(
    ("top", "thrown_in"),
    [
        ("java.util.ArrayList.get", "org.apache.hudi.table.Reader.open"),
        ("com.google.common.base.Preconditions.checkNotNull", "org.apache.hudi.table.Reader.open"),
        ("java.net.Socket.connect", "org.apache.flink.streaming.api.operators.StreamSource.run"),
    ],
)
def test_a_connector_threw_what_a_plain_method_of_the_jdk_refused_it(top: str, thrown_in: str) -> None:
    frames = (top, "org.apache.hudi.table.Reader.open", "org.apache.flink.streaming.api.operators.StreamSource.run")

    trace = stack_trace(["java.lang.IllegalStateException: no", *(f"\tat {each}(A.java:7)" for each in frames)])

    assert trace is not None
    assert trace.thrown_in == thrown_in


def test_a_cut_traceback_of_python_names_what_was_thrown() -> None:
    cause = bare_cause(
        '  File "/usr/lib/pyflink/operations.py", line 176, in extract\n'
        "    return pickle.loads(payload)\n"
        "ModuleNotFoundError: No module named 'properties'\n"
    )
    assert cause is not None
    assert cause.causes == "ModuleNotFoundError: No module named 'properties'"


def test_a_python_program_that_ended_is_told_by_what_it_printed_before() -> None:
    trace = stack_trace(
        [
            "Traceback (most recent call last):",
            '  File "/opt/job.py", line 12, in <module>',
            "ModuleNotFoundError: No module named 'services'",
            "org.apache.flink.client.program.ProgramAbortException: java.lang.RuntimeException: "
            "Python process exits with code: 1",
            "\tat org.apache.flink.client.python.PythonDriver.main(PythonDriver.java:134)",
        ]
    )
    assert trace is not None
    assert trace.exception_class == "org.apache.flink.client.program.ProgramAbortException"
    assert (trace.root_cause_class, trace.root_cause_message) == (
        "ModuleNotFoundError",
        "No module named 'services'",
    )


def test_the_number_of_shared_frames_is_no_line_of_a_message() -> None:
    trace = stack_trace(
        [
            "org.apache.flink.util.FlinkException: Disconnect from JobManager responsible for a.",
            "\tat org.apache.flink.runtime.taskexecutor.TaskExecutor.disconnect(TaskExecutor.java:1)",
            "Caused by: java.lang.Exception: Job leader for job id a lost leadership.",
            "\t... 29 more",
        ]
    )
    assert trace is not None
    assert trace.root_cause_message == "Job leader for job id a lost leadership."
