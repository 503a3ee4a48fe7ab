"""A client's output without times: exceptions whose messages have several lines, and errors of a Python program."""

from __future__ import annotations

from pathlib import Path

from tests.diagnostics.formats.log_lines import rows

REFUSED = """\
py4j.protocol.Py4JJavaError: An error occurred while calling o7.executeSql.
: org.apache.flink.table.api.ValidationException: Unable to create a source for reading table 'lecture'.
Table options are:
'connector'='mysql-cdc'
'hostname'='db'
Caused by: java.lang.NoSuchMethodError: org.apache.flink.table.factories.DynamicTableFactory$Context.getCatalogTable()
"""
GONE = """\
java.io.IOException: gone
\tat com.acme.Main.main(Main.java:3)
Waiting...
Caused by: java.io.EOFException
"""


def test_the_options_of_a_table_do_not_part_an_exception_from_its_cause(tmp_path: Path) -> None:
    *_, refused = rows(REFUSED, tmp_path)
    assert refused["exception_class"] == "org.apache.flink.table.api.ValidationException"
    assert refused["root_cause_class"] == "java.lang.NoSuchMethodError"
    assert (refused["line"], refused["last_line"]) == (2, 6)


def test_lines_after_the_frames_of_an_exception_are_records_of_their_own(tmp_path: Path) -> None:
    first, waiting = rows(GONE, tmp_path)
    assert (first["last_line"], waiting["message"]) == (2, "Waiting...")


def test_an_error_of_python_is_an_exception(tmp_path: Path) -> None:
    text = (
        "TypeError: Could not found the Java class 'Kafka'.\n"
        "org.apache.flink.client.program.ProgramAbortException\n"
        "        at org.apache.flink.client.python.PythonDriver.main(PythonDriver.java:95)\n"
    )
    error, ended = rows(text, tmp_path)
    assert (error["exception_class"], error["line"]) == ("TypeError", 1)
    assert ended["exception_class"] == "org.apache.flink.client.program.ProgramAbortException"
