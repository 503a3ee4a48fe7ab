"""The records and readings that a resolved public incident names, written into the evidence of a healthy job.

The background is the logs of the incident `nothing_wrong`. Only what an incident names is added: a cause that the
program sees must come from there.
"""

from __future__ import annotations

import datetime as dt
import textwrap
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
BACKGROUND = HERE / "nothing_wrong" / "evidence.zip"
LOGS = {"jobmanager": "standalonesession", "taskmanager": "taskexecutor"}
JOB, JOB_NAME = "261dee5e2794db0ec76dd8065a64d81c", "page-view-count"
TASK_MANAGER = "localhost:18040-99560d @ localhost (dataPort=33465)"
ATTEMPT = "43d33d49f6565a49ab7fc660dfaf7c1e"
TASKS = {
    "source": ("Source: page-views (1/2)", "56f518d6d2b68042b42681e61585639d_0"),
    "window": ("views-per-page (1/2)", "e894923348c5ddcdf1065245db31f411_0"),
    "sink": ("Sink: view-counts (1/1)", "08b33bc74b68614ff8077aea42aeefe0_0"),
}
BEGIN = dt.datetime(2026, 11, 21, 1, 37, 50, tzinfo=dt.UTC)
"""Some seconds after the last record of the background."""
FIRST_CHECKPOINT = 16
BETWEEN_RECORDS = dt.timedelta(seconds=10)
SCRAPES, BETWEEN_SCRAPES = 24, dt.timedelta(seconds=5)
GRAPH = "org.apache.flink.runtime.executiongraph.ExecutionGraph"


@dataclass(frozen=True, slots=True)
class PublicIncident:
    """One incident: its id in the reference, the class that its resolution stated, and what is written for it."""

    id: str
    symptom_class: str
    told: Mapping[str, Any]

    def write(self, folder: Path) -> None:
        """Writes the healthy background with the incident in it."""
        with zipfile.ZipFile(BACKGROUND) as packed:
            for role, part in LOGS.items():
                name = next(
                    each for each in packed.namelist() if part in each and each.endswith(".log") and "gc" not in each
                )
                lines = [text for log, text in self._records() if log == role]
                (folder / f"{role}.log").write_text(packed.read(name).decode() + "".join(lines), "utf-8")
        for name, content in (self.told.get("files") or {}).items():
            (folder / name).write_text(content, "utf-8")
        if metrics := self.told.get("metrics"):
            (folder / "taskmanager.prom").write_text("\n".join(_scrapes(metrics)) + "\n", "utf-8")

    def _records(self) -> Iterator[tuple[str, str]]:
        """(log, text) of every record in the order of its time."""
        now = BEGIN
        records = self.told.get("records") or ()
        for turn in range(max((each.get("repeat", 1) for each in records), default=0)):
            for each in records:
                if turn < each.get("repeat", 1):
                    text = _filled(each["text"], FIRST_CHECKPOINT + turn)
                    yield each["log"], _record(now, each["level"], each["logger"], text)
                    now += dt.timedelta(milliseconds=50)
            now += BETWEEN_RECORDS
        if failure := self.told.get("failure"):
            yield from _failures(failure, now)


def public_incidents() -> list[PublicIncident]:
    """Every incident that is written, by class."""
    found = []
    for path in sorted((HERE / "public").glob("*.yaml")):
        found += [PublicIncident(each["incident"], path.stem, each) for each in yaml.safe_load(path.read_text("utf-8"))]
    return found


def _failures(failure: Mapping[str, Any], begin: dt.datetime) -> Iterator[tuple[str, str]]:
    """A task (or the job itself) that fails and is started again, as both processes log it."""
    stack = textwrap.dedent(failure["stack"]).rstrip("\n")
    last = failure["times"] - 1
    for turn in range(failure["times"]):
        now = begin + turn * BETWEEN_RECORDS
        if failure["task"] != "job":
            name, place = TASKS[failure["task"]]
            execution = f"{ATTEMPT}_{place}_{turn}"
            if failure.get("log") != "jobmanager":
                said = f"{name}#{turn} ({execution}) switched from RUNNING to FAILED with failure cause:\n{stack}"
                yield "taskmanager", _record(now, "WARN", "org.apache.flink.runtime.taskmanager.Task", said)
            said = f"{name} ({execution}) switched from RUNNING to FAILED on {TASK_MANAGER}.\n{stack}"
            yield "jobmanager", _record(now, "INFO", GRAPH, said)
        gives_up = bool(failure.get("gives_up")) and turn == last
        to = ("FAILING", "FAILED") if gives_up else ("RESTARTING", "RUNNING")
        for number, (state_from, state_to) in enumerate(zip(("RUNNING", to[0]), to, strict=True), 1):
            said = f"Job {JOB_NAME} ({JOB}) switched from state {state_from} to {state_to}."
            cause = f"\n{stack}" if number == 1 or gives_up else ""
            yield "jobmanager", _record(now + number * dt.timedelta(seconds=1), "INFO", GRAPH, said + cause)


def _record(now: dt.datetime, level: str, logger: str, text: str) -> str:
    return f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03} {level:5} {logger:60} [] - {text}\n"


def _filled(text: str, checkpoint: int) -> str:
    execution = f"{ATTEMPT}_{TASKS['window'][1]}_0"
    return text.replace("{n}", str(checkpoint)).replace("{job}", JOB).replace("{execution}", execution)


def _scrapes(metrics: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The series as answers of the Prometheus reporter, one after the other."""
    for number in range(SCRAPES):
        yield f"# scrape_time {(BEGIN + number * BETWEEN_SCRAPES).timestamp():.0f}"
        for each in metrics:
            labels = {
                "job_id": JOB,
                "job_name": JOB_NAME,
                "task_name": each["operator"],
                "subtask_index": each["subtask"],
                "tm_id": "localhost:18040-99560d",
                "host": "localhost",
            }
            if "_operator_" in each["name"]:
                labels["operator_name"] = each["operator"]
            inside = ",".join(f'{name}="{value}"' for name, value in labels.items())
            yield f"# TYPE {each['name']} gauge"
            yield f"{each['name']}{{{inside},}} {each['first'] + number * each['step']}"
