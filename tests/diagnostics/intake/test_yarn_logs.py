"""Output of `yarn logs` is separated into the logs of its containers."""

from __future__ import annotations

import gzip

import pytest

from diagnostics.intake import Limits, SourceFile, read_lines
from tests.diagnostics.intake.uploads import LOG, Desk, text_of

FIRST, SECOND = (f"container_1700000000000_0007_01_00000{number}" for number in (1, 2))
BAR = "=" * 75


def printed(*logs: tuple[str, str, bytes], end_marks: bool = True) -> bytes:
    """As `yarn logs -applicationId` prints them: (container, kind, content)."""
    parts = []
    for container, kind, content in logs:
        head = f"Container: {container} on host-1.acme_45454\nLogAggregationType: AGGREGATED\n{BAR}\nLogType:{kind}\n"
        told = f"LogLastModifiedTime:Sat Nov 21 01:40:00 +0000 2026\nLogLength:{len(content)}\nLogContents:\n"
        end = f"\nEnd of LogType:{kind}\n{'*' * 63}\n\n" if end_marks else "\n"
        parts.append(head.encode() + told.encode() + content + end.encode())
    return b"".join(parts)


BOTH = [(FIRST, "jobmanager.log", LOG), (SECOND, "taskmanager.log", LOG * 2)]


@pytest.mark.parametrize("end_marks", [True, False])
def test_each_log_of_each_container_is_a_file(desk: Desk, end_marks: bool) -> None:
    files = desk.unpack("application.txt", printed(*BOTH, end_marks=end_marks))
    assert [file.name for file in files] == [
        f"application.txt!/{FIRST}_on_host-1.acme_45454/jobmanager.log",
        f"application.txt!/{SECOND}_on_host-1.acme_45454/taskmanager.log",
    ]
    assert [file.format_id for file in files] == ["flink-log", "flink-log"]
    assert [text_of(file).strip() for file in files] == [LOG.decode().strip(), (LOG * 2).decode().strip()]


def test_several_logs_stand_under_one_container(desk: Desk) -> None:
    second = b"LogType:jobmanager.err\nLogLength:3\nLog Contents:\nabc\nEnd of LogType:jobmanager.err\n"
    files = desk.unpack("a.txt", printed(BOTH[0]) + second)
    assert [file.name.rpartition("/")[2] for file in files] == ["jobmanager.log", "jobmanager.err"]


def test_many_megabytes_are_cut_at_the_right_places(desk: Desk) -> None:
    logs = [(FIRST, f"{number}.log", LOG * size) for number, size in enumerate((1, 9_000, 1, 23_456, 2))]
    files = desk.unpack("a.txt", printed(*logs))
    assert [len(text_of(file).strip()) for file in files] == [len(content.strip()) for _, _, content in logs]


def test_lines_count_within_the_log(desk: Desk) -> None:
    source = desk.upload("a.txt", printed(*BOTH))
    member = f"a.txt!/{SECOND}_on_host-1.acme_45454/taskmanager.log"
    assert read_lines(SourceFile(source.path, "a.txt"), member, 1, 1) == [(1, LOG.decode().splitlines()[0])]


def test_it_may_be_packed_and_begin_with_what_the_client_said(desk: Desk) -> None:
    said = b"26/11/21 01:40:00 INFO client.RMProxy: Connecting to ResourceManager\n"
    assert len(desk.unpack("a.txt.gz", gzip.compress(said + printed(*BOTH)))) == 2


def test_a_log_that_names_its_container_is_no_output_of_yarn(desk: Desk) -> None:
    line = LOG + b"2026-11-21 01:40:00,000 INFO  YarnTaskExecutorRunner [] - Container: container_1_2_3 on host\n"
    assert [file.name for file in desk.unpack("tm.log", line)] == ["tm.log"]


def test_one_that_was_cut_keeps_what_was_there(desk: Desk) -> None:
    files = desk.unpack("a.txt", printed(*BOTH)[:-200])
    assert len(files) == 2
    assert text_of(files[0]).startswith(LOG.decode())


def test_endless_lines_and_names_that_lead_out(desk: Desk) -> None:
    files = desk.unpack("a.txt", printed((FIRST, "../../etc/passwd", b"x" * 3_000_000)), Limits(line_bytes=100_000))
    assert all(".." not in file.name.split("/") for file in files)
    assert all(file.bytes <= 3_000_100 for file in files)


def test_the_number_of_logs_is_bounded(desk: Desk) -> None:
    many = printed(*[(FIRST, f"{number}.log", LOG) for number in range(60)])
    assert len(desk.unpack("a.txt", many, Limits(files=5))) <= 6
