"""Clocks of logs against one another, between the bounds that cause and effect set."""

from __future__ import annotations

import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diagnostics.formats.flink_log import FORMAT
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.reconstruction.job.log_clocks import ClockOffset, offsets
from tests.diagnostics.formats.reading_aids import read

CORPUS = Path(__file__).resolve().parents[5] / "shared" / "corpus"
INCIDENT = Path(__file__).resolve().parents[3] / "incidents" / "nothing_wrong" / "evidence.zip"
LOGS = ("standalonesession", "taskexecutor")
JM, TM, OTHER = 0, 1, 2
ROLES = {JM: "jobmanager", TM: "taskmanager", OTHER: "taskmanager"}


def life(attempt: str, ahead_ms: int, start_ms: int = 1_000) -> list[tuple[int, str, str, int]]:
    """A task that the JobManager deploys, 40 ms on the way down and 10 ms on the way up."""
    at = start_ms
    return [
        (JM, attempt, "DEPLOYING", at),
        (TM, attempt, "DEPLOYING", at + 40 + ahead_ms),
        (TM, attempt, "INITIALIZING", at + 100 + ahead_ms),
        (JM, attempt, "INITIALIZING", at + 110),
        (TM, attempt, "RUNNING", at + 200 + ahead_ms),
        (JM, attempt, "RUNNING", at + 260),
    ]


@pytest.mark.parametrize("ahead_ms", [0, 7_200_000, -350])
def test_the_offset_is_between_the_tightest_bounds(ahead_ms: int) -> None:
    """Up at least: -10 of INITIALIZING is tighter than -60 of RUNNING; down at most: 40."""
    found = offsets([*life("a", ahead_ms), *life("b", ahead_ms, 5_000)], ROLES)
    assert found == {TM: ClockOffset(JM, ahead_ms - 10, ahead_ms + 40, 6)}


def test_a_clock_that_was_set_in_between_is_a_contradiction() -> None:
    found = offsets([*life("a", 0), *life("b", 60_000, 5_000)], ROLES)
    assert found[TM].contradicts


def test_few_shared_steps_or_none_say_nothing() -> None:
    assert offsets([(JM, "a", "RUNNING", 5), (TM, "a", "RUNNING", 4), (OTHER, "z", "RUNNING", 4)], ROLES) == {}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_processes_of_one_machine_have_one_clock() -> None:
    """All logs of this case were written on one host: the true offset is 0 and must lie between the bounds."""
    step = re.compile(r"^(\S+ \S+) .* switched from [A-Z]+ to ([A-Z]+)")
    folder = CORPUS / "slow_dimension_join-a" / "logs"
    steps = []
    for file_id, name in ((JM, "flink-root-standalonesession-0-vm.log"), (TM, "flink-root-taskexecutor-0-vm.log")):
        lines = (folder / name).read_text("utf-8").splitlines()
        for line, known in zip(lines, event_columns(lines), strict=True):
            found, attempt = step.match(line), known.get("execution")
            if found and attempt:
                moment = datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
                steps.append((file_id, attempt, found[2], round(moment.timestamp() * 1000)))
    offset = offsets(steps, ROLES)[TM]
    assert offset.events >= 3
    assert offset.least_ms is not None
    assert offset.most_ms is not None
    assert offset.least_ms <= 0 <= offset.most_ms


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(seconds=95), timedelta(hours=-1)])
def test_a_real_log_whose_clock_is_off_is_seen_to_be_off_by_as_much(ahead: timedelta, tmp_path: Path) -> None:
    """Both logs were written on one host; every time of the TaskManager's is then moved."""
    with zipfile.ZipFile(INCIDENT) as incident:
        above, below = (incident.read(f"logs/flink-root-{name}-0-vm.log").decode() for name in LOGS)
    moved = re.sub(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", lambda at: f"{datetime.fromisoformat(at[0]) + ahead}", below)
    steps = [
        (file_id, record["execution"], record["state_to"], record["ts_ms"])
        for file_id, text in ((JM, above), (TM, moved))
        for record in read(FORMAT, text, tmp_path).rows["log_record"]
        if record["event"] == "task.state"
    ]
    offset, off_ms = offsets(steps, ROLES)[TM], ahead / timedelta(milliseconds=1)
    assert offset.least_ms is not None
    assert offset.most_ms is not None
    assert off_ms - 1_000 < offset.least_ms <= off_ms <= offset.most_ms < off_ms + 1_000
