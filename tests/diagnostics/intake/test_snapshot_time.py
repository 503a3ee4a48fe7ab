"""When a REST answer without a time was taken."""

from pathlib import Path

import pytest

from diagnostics.intake import InputFile
from diagnostics.intake.snapshot_time import snapshot_times
from diagnostics.notation.snapshot_folder import snapshot_folder

NOW = 1795224892539


def answer(folder: Path, file_id: int, name: str, text: str, format_id: str = "flink-rest-job") -> InputFile:
    path = folder / f"{file_id}.txt"
    path.write_text(text, "utf-8")
    return InputFile(file_id, name, path, len(text), format_id, "", 1.0, (), None)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("rest/t0/jobs_1_backpressure-0.json", "rest/t0"),
        ("rest/snap-1/jobs/1/vertices/2/backpressure.json", "rest/snap-1"),
        ("bundle.zip!/snap-1/taskmanagers/1/metrics.json", "bundle.zip!/snap-1"),
        ("backpressure.json", ""),
    ],
)
def test_a_snapshot_is_the_folder_above_the_paths_of_the_rest_api(name: str, folder: str) -> None:
    assert snapshot_folder(name) == folder


def test_an_answer_without_a_time_has_that_of_its_snapshot(tmp_path: Path) -> None:
    job = answer(tmp_path, 0, "snap-1/jobs/1/job.json", f'{{"jid": "1", "now": {NOW}}}')
    pressure = answer(tmp_path, 1, "snap-1/jobs/1/vertices/2/backpressure.json", '{"status": "ok"}')
    other = answer(tmp_path, 2, "snap-2/jobs/1/vertices/2/backpressure.json", '{"status": "ok"}')
    assert snapshot_times([job, pressure, other]) == {0: NOW, 1: NOW}


def test_a_number_in_another_kind_of_file_is_no_time(tmp_path: Path) -> None:
    event = answer(tmp_path, 0, "events.jsonl", f'{{"now": {NOW}}}', "event-sample")
    assert snapshot_times([event]) == {}
