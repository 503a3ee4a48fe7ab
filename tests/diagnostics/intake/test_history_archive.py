"""Archives of a History Server: each answer in them is a file of its own."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from diagnostics.intake import Limits, SourceFile, read_lines, unpack
from tests.diagnostics.intake.uploads import Desk, zipped

INCIDENT = Path(__file__).resolve().parents[2] / "incidents" / "hot_key_seen_by_rest_only" / "evidence.zip"
JOB = "e7670588d52cb8dd6b217d2271f5ce2a"
NOT_ARCHIVED = ("backpressure", "metrics", "flamegraph", "thread-dump", "/taskmanagers", "/logs")


def archived() -> dict[str, str]:
    """The answers of an incident that Flink archives, by path."""
    with zipfile.ZipFile(INCIDENT) as incident:
        index = json.loads(incident.read("rest/end/index.json"))
        held = set(incident.namelist())
        return {
            each["path"].partition("?")[0]: incident.read(f"rest/end/{each['file']}").decode()
            for each in index
            if f"/jobs/{JOB}" in each["path"]
            and f"rest/end/{each['file']}" in held
            and not any(word in each["path"] for word in NOT_ARCHIVED)
        }


def archive(answers: dict[str, str]) -> bytes:
    """As Flink's FsJobArchivist writes it."""
    return json.dumps({"archive": [{"path": path, "json": text} for path, text in answers.items()]}).encode()


def test_every_answer_is_recognised_under_its_path(desk: Desk) -> None:
    answers = archived()
    files = desk.unpack(JOB, archive(answers))
    assert [file.name for file in files] == [f"{JOB}!{path}.json" for path in answers]
    assert {file.format_id for file in files} >= {
        "flink-rest-job",
        "flink-rest-checkpoints",
        "flink-rest-subtask-checkpoints",
        "flink-rest-vertex",
        "flink-rest-exceptions",
    }
    assert [file.name for file in files if file.format_id is None] == []


def test_an_answer_is_shown_as_it_was(desk: Desk) -> None:
    answers = archived()
    source = desk.upload(JOB, archive(answers))
    path = f"/jobs/{JOB}/checkpoints"
    assert read_lines(SourceFile(source.path, JOB), f"{JOB}!{path}.json", 1, 1) == [(1, answers[path].splitlines()[0])]


def test_archives_of_many_jobs_come_in_a_zip(desk: Desk) -> None:
    one = archive({"/jobs/overview": '{"jobs": []}'})
    files = desk.unpack("completed-jobs.zip", zipped({"a" * 32: one, "b" * 32: one}))
    assert [file.name for file in files] == [
        f"completed-jobs.zip!/{letter * 32}!/jobs/overview.json" for letter in "ab"
    ]


def test_of_an_archive_that_was_cut_off_the_answers_before_are_read(desk: Desk) -> None:
    answers = archived()
    *read, cut = desk.unpack(JOB, archive(answers)[:20_000])
    assert [file.name for file in read] == [f"{JOB}!{path}.json" for path in answers][: len(read)]
    assert len(read) > 1
    assert all(file.error is None for file in read)
    assert (cut.name, "that is damaged or ends early" in str(cut.error)) == (JOB, True)


@pytest.mark.parametrize("entry", [b"[" * 200_000, b"[]," * 500_000, b'"' + b"\\" * 500_000, b'1,"json":"{}"},3]}'])
def test_what_is_no_answer_ends_it_and_takes_no_memory(desk: Desk, entry: bytes) -> None:
    source = desk.upload(JOB, b'{"archive":[{"path":"/jobs/overview","json":"{}"},{"path":' + entry)
    tracemalloc.start()
    read, damaged = unpack([source], desk.workspace).inputs
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read.error is None
    assert "that is damaged or ends early" in str(damaged.error)
    assert peak < 12 * 1024**2


def test_a_path_that_leads_out_is_refused(desk: Desk) -> None:
    [refused] = desk.unpack(JOB, b'{"archive":[{"path":"/../../etc/passwd","json":"{}"}]}')
    assert "leads out" in str(refused.error)


def test_an_archive_in_archives_in_archives_is_not_opened(desk: Desk) -> None:
    inner = archive({"/jobs/overview": archive({"/jobs/overview": archive({"/a": "{}"}).decode()}).decode()})
    files = desk.unpack(JOB, inner)
    assert any("is the bound" in str(file.error) for file in files)


def test_the_bounds_count_for_its_answers(desk: Desk) -> None:
    many = archive({f"/jobs/{number}": "{}" for number in range(30)})
    files = desk.unpack(JOB, many, Limits(files=5))
    assert "which is the bound" in str(files[-1].error)
