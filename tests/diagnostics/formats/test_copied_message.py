"""Copied messages beyond the sample: traces within other text, and lines that only announce one."""

from __future__ import annotations

from pathlib import Path

from diagnostics.formats import FORMATS
from tests.diagnostics.formats.reading_aids import head_of, read

COPIED = FORMATS["copied-message"]
REPORT = """\
Diagnostics : Application application_1 failed 1 times due to AM Container for appattempt_1 exited with  exitCode: 1
Last 4096 bytes of stderr :
java.io.IOException: Could not open the sink
\tat com.acme.Sink.open(Sink.java:7)
Caused by: java.sql.SQLException: the pool is empty
\tat com.acme.Pool.take(Pool.java:9)
For more detailed output, check the application tracking page
"""


def test_the_trace_at_the_end_of_an_output_is_one_record_with_its_root(tmp_path: Path) -> None:
    *_, thrown = read(COPIED, REPORT, tmp_path).rows["log_record"]
    assert (thrown["exception_class"], thrown["root_cause_class"]) == ("java.io.IOException", "java.sql.SQLException")
    assert (thrown["root_cause_message"], thrown["line"], thrown["last_line"]) == ("the pool is empty", 3, 6)


def test_a_line_that_only_announces_the_next_one_is_no_record(tmp_path: Path) -> None:
    text = "[ERROR] Could not execute SQL statement. Reason:\njava.sql.SQLException: the pool is empty\n"
    (row,) = read(COPIED, text, tmp_path).rows["log_record"]
    assert (row["exception_class"], row["line"]) == ("java.sql.SQLException", 2)


def test_prose_that_mentions_an_exception_within_a_line_is_no_record(tmp_path: Path) -> None:
    text = "When java.sql.SQLException comes up, read the manual.\nerror: tee: log: Permission denied\n"
    rows = read(COPIED, text, tmp_path).rows["log_record"]
    assert [row["line"] for row in rows] == [2]


def test_an_unknown_exception_below_words_is_recognised_however_long_its_trace_is() -> None:
    frames = "".join(f"\tat com.acme.Step{each}.run(Step.java:{each})\n" for each in range(90))
    pasted = f"Since this morning the job fails with:\nselect 1\n com.acme.WeirdException: no\n{frames}"
    assert COPIED.recognise(head_of(pasted)) > 0
    assert COPIED.recognise(head_of("We catch\ncom.acme.WeirdException: it is harmless.\nNothing else.\n")) == 0
    assert COPIED.recognise(head_of(pasted + "one more line\n" * 60)) == 0


def test_the_options_that_a_message_lists_belong_to_it(tmp_path: Path) -> None:
    text = (
        "[ERROR] Could not execute SQL statement. Reason:\n"
        "org.apache.flink.table.api.ValidationException: Unsupported options found for 'jdbc'.\n\n"
        "Unsupported options:\n\nlookup.cachee\n\nSupported options:\n\nurl\n\n"
        "Flink SQL> \nerror: tee: log: Permission denied\n"
    )
    thrown, other = read(COPIED, text, tmp_path).rows["log_record"]
    assert thrown["root_cause_message"].split("\n")[1:3] == ["Unsupported options:", "lookup.cachee"]
    assert other["message"] == "error: tee: log: Permission denied"


def test_a_logged_error_without_its_time_has_the_exception_below_it(tmp_path: Path) -> None:
    text = "ERROR o.a.f.k.o.o.JobStatusObserver Exception while listing jobs\njava.util.concurrent.TimeoutException\n"
    (row,) = read(FORMATS["copied-message"], text, tmp_path).rows["log_record"]
    assert row["message"].endswith("Exception while listing jobs")
    assert (row["exception_class"], row["last_line"]) == ("java.util.concurrent.TimeoutException", 2)


def test_the_times_that_a_container_prints_before_the_lines_of_a_trace_do_not_count(tmp_path: Path) -> None:
    lines = (
        "java.lang.IllegalStateException: the pool is empty",
        "\tat com.acme.Pool.take(Pool.java:9)",
        "Caused by: java.sql.SQLException: closed",
        "\tat com.acme.Base.call(Base.java:3)",
    )
    text = "".join(f"2026-07-27T20:32:02.55394{place}281+08:00 {line}\n" for place, line in enumerate(lines))
    (row,) = read(COPIED, text, tmp_path).rows["log_record"]
    assert (row["exception_class"], row["root_cause_class"]) == (
        "java.lang.IllegalStateException",
        "java.sql.SQLException",
    )


def test_the_answer_of_a_system_below_an_exception_belongs_to_its_message(tmp_path: Path) -> None:
    """With and without frames; in a log whose lines have no times it is no record of its own either."""
    said = "com.starrocks.data.load.stream.exception.StreamLoadFailException: Transaction prepare failed, db: a\n"
    answer = 'responseBody: {\n    "Status": "Fail",\n    "Message": "no rows"\n}\nerrorLog: null\n'
    for form in ("copied-message", "flink-log"):
        for frames in ("", "\tat com.acme.Sink.open(Sink.java:7)\n"):
            (row,) = read(FORMATS[form], f"{said}{answer}{frames}", tmp_path).rows["log_record"]
            assert row["root_cause_message"].endswith('"Message": "no rows"\n}\nerrorLog: null')
