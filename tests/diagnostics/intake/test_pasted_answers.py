"""Answers of REST pasted into one file are read one by one, on the lines where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.intake.inputs import InputFile, unpack
from diagnostics.intake.pasted_answers import pasted_answers
from diagnostics.intake.sources import SourceFile
from diagnostics.intake.viewing import read_lines

JOB = "62c0ae9f2958cc5d669a5f9058cc4097"
OVERVIEW = '{"taskmanagers":2,"slots-total":11,"slots-available":6,"jobs-running":1}'
COUNTS = '{"counts":{"completed":0,"failed":57}}'
VERTICES = '{\n  "vertices": [\n    {"name": "Source: orders", "status": "RUNNING"}\n  ]\n}'


def inputs_of(text: str, folder: Path, name: str = "rest.json") -> list[InputFile]:
    file = folder / name
    file.write_text(text)
    return unpack([SourceFile(file, name)], folder / "workspace").inputs


@pytest.mark.parametrize("between", ["\n", "\n\n", "", "\n---\n", "\nthen:\n", "\n$ curl -s http://jm:8081/x | jq\n"])
def test_answers_are_read_one_by_one(between: str, tmp_path: Path) -> None:
    found = inputs_of(f"{OVERVIEW}{between}{COUNTS}{between}{VERTICES}\n", tmp_path)
    assert [(each.name, each.format_id) for each in found] == [
        ("rest.json!/1.json", "flink-rest-cluster"),
        ("rest.json!/2.json", "flink-rest-checkpoints"),
        ("rest.json!/3.json", "flink-rest-job"),
    ]


def test_what_was_asked_names_the_answer(tmp_path: Path) -> None:
    asked = f"curl -s 'http://jm:8081/jobs/{JOB}/checkpoints?x=1' | jq .\n{COUNTS}\nGET /overview\n{OVERVIEW}\n"
    assert [each.name for each in inputs_of(asked, tmp_path, "notes.txt")] == [
        f"notes.txt!/jobs/{JOB}/checkpoints.json",
        "notes.txt!/overview.json",
    ]


def test_an_answer_stands_on_its_own_lines(tmp_path: Path) -> None:
    text = f"{OVERVIEW}\n\n{VERTICES}\n"
    source = SourceFile(tmp_path / "rest.json", "rest.json")
    source.path.write_text(text)
    assert read_lines(source, "rest.json!/2.json", 3, 5) == [
        (3, "{"),
        (4, '  "vertices": ['),
        (5, '    {"name": "Source: orders", "status": "RUNNING"}'),
    ]


def test_an_exception_beside_an_answer_is_read(tmp_path: Path) -> None:
    thrown = "java.lang.OutOfMemoryError: Java heap space\n\tat com.acme.Job.main(Job.java:3)\n"
    found = inputs_of(f"{OVERVIEW}\n{thrown}", tmp_path)
    assert [each.name for each in found] == ["rest.json!/1.json", "rest.json!/text.txt"]
    assert all(each.format_id for each in found)


def test_a_cut_answer_at_the_end_is_read(tmp_path: Path) -> None:
    found = inputs_of(f'{OVERVIEW}\n{{"counts":{{"completed":0,"failed":57}},"latest":{{', tmp_path)
    assert [each.format_id for each in found] == ["flink-rest-cluster", "flink-rest-checkpoints"]


@pytest.mark.parametrize(
    "text",
    [
        OVERVIEW,
        f"{OVERVIEW}\n",
        '{"a":"} x"}',
        '{"log":"a"}\n{"log":"b"}\n',
        '2026-11-22 10:00:00,000 INFO  org.apache.flink.runtime.A [] - {"a":1}\n[{"b":2}]\n' * 3,
        "for (x) { y(); }\n{ z }",
        "[1] done",
        "",
        "\0",
        "{" * 1000,
    ],
)
def test_other_files_are_left_as_they_are(text: str) -> None:
    assert pasted_answers(text.encode()) == ()


def test_a_large_file_is_not_examined() -> None:
    assert pasted_answers((f"{OVERVIEW}\n" * 2000).encode()) == ()
