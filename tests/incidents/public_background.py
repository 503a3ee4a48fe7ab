"""The records and readings that a resolved public incident names, written into the evidence of a healthy job.

The background is the logs of the incident `nothing_wrong`. Only what an incident names is added: a cause that the
program sees must come from there. Where an incident names another state backend or address, it stands in the
background too.
"""

from __future__ import annotations

import datetime as dt
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import yaml

from diagnostics.analyze import Report, analyze
from diagnostics.intake import sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import symptom

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
BACKGROUND = HERE / "nothing_wrong" / "evidence.zip"
BACKGROUND_RELEASE = "1.20.5"
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
DUMPS = 6
GRAPH = "org.apache.flink.runtime.executiongraph.ExecutionGraph"


@dataclass(frozen=True, slots=True)
class PublicIncident:
    """One incident: its id in the reference, the class that its resolution stated, and what is written for it."""

    id: str
    symptom_class: str
    told: Mapping[str, Any]

    def write(self, folder: Path) -> None:
        """Writes the healthy background with the incident in it."""
        write_logs(folder, list(self._records()), self.told.get("background") or {})
        for name, content in (self.told.get("files") or {}).items():
            (folder / name).write_text(content, "utf-8")
        if metrics := self.told.get("metrics"):
            (folder / "taskmanager.prom").write_text("\n".join(_scrapes(metrics)) + "\n", "utf-8")
        for number in range(DUMPS if "threads" in self.told else 0):
            (folder / f"jstack-{number + 1}.txt").write_text(thread_dump(self.told["threads"], number), "utf-8")

    def is_served_by(self, document: Mapping[str, Any]) -> bool:
        """Whether its class leads or comes second; of a known miss, whether nothing wrong is said.

        An incident of the class `healthy` was none: no cause is named.
        """
        findings = [each for each in document["findings"] if symptom(each["symptom_class"]).kind == "cause"]
        classes = list(dict.fromkeys(each["symptom_class"] for each in findings))
        if "missed" in self.told:
            return document["verdict"]["symptom_class"] in ("inconclusive", self.symptom_class)
        return not classes if self.symptom_class == "healthy" else self.symptom_class in classes[:2]

    def _records(self) -> Iterator[tuple[str, str]]:
        """(log, text) of every record in the order of its time."""
        now = BEGIN
        records = self.told.get("records") or ()
        for turn in range(max((each.get("repeat", 1) for each in records), default=0)):
            for each in records:
                if turn < each.get("repeat", 1):
                    now += dt.timedelta(seconds=each.get("after_s", 0.05))
                    text = _filled(each["text"], FIRST_CHECKPOINT + turn, now)
                    yield each["log"], log_record(now, each["level"], each["logger"], text)
            now += BETWEEN_RECORDS
        if failure := self.told.get("failure"):
            yield from failures(failure, self.told.get("consequence"), now)


class Writable(Protocol):
    """An incident that writes its evidence into a folder."""

    def write(self, folder: Path) -> None: ...


def analyzed(incident: Writable, spark: SparkSession, folder: Path) -> Report:
    """The analysis of the incident's evidence, written into an empty folder."""
    evidence, workspace = folder / "evidence", folder / "workspace"
    evidence.mkdir()
    workspace.mkdir()
    incident.write(evidence)
    sources, _ = sources_in([evidence])
    return analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace)


def diagnosed(incident: Writable, spark: SparkSession, folder: Path) -> dict[str, Any]:
    """The diagnosis of the incident's evidence, written into an empty folder."""
    return analyzed(incident, spark, folder).document


def write_logs(
    folder: Path,
    records: Sequence[tuple[str, str]],
    instead: Mapping[str, str] | None = None,
    is_left_out: Callable[[str], bool] = lambda _: False,
) -> None:
    """Writes the logs of the healthy background with further records, as (log, text), at their ends.

    instead      text of the background -> what stands there instead
    is_left_out  whether a line of the background is not written
    """
    with zipfile.ZipFile(BACKGROUND) as packed:
        for role, part in LOGS.items():
            name = next(
                each for each in packed.namelist() if part in each and each.endswith(".log") and "gc" not in each
            )
            healthy = packed.read(name).decode()
            for written, replacement in (instead or {}).items():
                healthy = healthy.replace(written, replacement)
            healthy = "".join(line for line in healthy.splitlines(keepends=True) if not is_left_out(line))
            added = "".join(text for log, text in records if log == role)
            (folder / f"{role}.log").write_text(healthy + added, "utf-8")


def not_written() -> Mapping[str, str]:
    """Incidents of which nothing could be written, by id, with the reason."""
    told: dict[str, str] = yaml.safe_load((HERE / "public_incidents_not_written.yaml").read_text("utf-8"))
    return told


def public_incidents() -> list[PublicIncident]:
    """Every incident that is written, by class."""
    found = []
    for path in sorted((HERE / "public").glob("*.yaml")):
        found += [PublicIncident(each["incident"], path.stem, each) for each in yaml.safe_load(path.read_text("utf-8"))]
    return found


def failures(
    failure: Mapping[str, Any], consequence: Mapping[str, Any] | None, begin: dt.datetime
) -> Iterator[tuple[str, str]]:
    """A task (or the job itself) that fails and is started again, as both processes log it.

    consequence  what another task says because this one failed; it comes first, as the network is quicker
    """
    stack = textwrap.dedent(failure["stack"]).rstrip("\n")
    last = failure["times"] - 1
    for turn in range(failure["times"]):
        now = begin + turn * BETWEEN_RECORDS
        if consequence:
            yield from _task_failure(consequence, turn, now - dt.timedelta(milliseconds=200))
        if failure["task"] != "job":
            yield from _task_failure(failure, turn, now)
        gives_up = bool(failure.get("gives_up")) and turn == last
        to = ("FAILING", "FAILED") if gives_up else ("RESTARTING", "RUNNING")
        for number, (state_from, state_to) in enumerate(zip(("RUNNING", to[0]), to, strict=True), 1):
            said = f"Job {JOB_NAME} ({JOB}) switched from state {state_from} to {state_to}."
            cause = f"\n{stack}" if number == 1 or gives_up else ""
            yield "jobmanager", log_record(now + number * dt.timedelta(seconds=1), "INFO", GRAPH, said + cause)


def _task_failure(failure: Mapping[str, Any], turn: int, now: dt.datetime) -> Iterator[tuple[str, str]]:
    stack = textwrap.dedent(failure["stack"]).rstrip("\n")
    name, place = TASKS[failure["task"]]
    execution = f"{ATTEMPT}_{place}_{turn}"
    if failure.get("log") != "jobmanager":
        said = f"{name}#{turn} ({execution}) switched from RUNNING to FAILED with failure cause:\n{stack}"
        yield "taskmanager", log_record(now, "WARN", "org.apache.flink.runtime.taskmanager.Task", said)
    said = f"{name} ({execution}) switched from RUNNING to FAILED on {TASK_MANAGER}.\n{stack}"
    yield "jobmanager", log_record(now, "INFO", GRAPH, said)


def log_record(now: dt.datetime, level: str, logger: str, text: str) -> str:
    return f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03} {level:5} {logger:60} [] - {text}\n"


def _filled(text: str, checkpoint: int, now: dt.datetime) -> str:
    execution = f"{ATTEMPT}_{TASKS['window'][1]}_0"
    filled = text.replace("{n}", str(checkpoint)).replace("{job}", JOB).replace("{execution}", execution)
    return filled.replace("{now_ms}", str(round(now.timestamp() * 1000)))


def thread_dump(threads: str, number: int) -> str:
    """What jstack prints of these threads when asked for the first time or again."""
    now = BEGIN + number * BETWEEN_RECORDS
    head = "Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode, sharing):"
    return f"{now:%Y-%m-%d %H:%M:%S}\n{head}\n\n{threads}\n"


def _scrapes(metrics: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The series as answers of the Prometheus reporter, one after the other.

    A metric with an `operator` is of one of its tasks or operators, with a series for each subtask; without one it is
    the TaskManager's. `first` and `step` are one number for all subtasks, or a list with one for each.
    """
    process = {"tm_id": "localhost:18040-99560d", "host": "localhost"}
    for number in range(SCRAPES):
        yield f"# scrape_time {(BEGIN + number * BETWEEN_SCRAPES).timestamp():.0f}"
        for each in metrics:
            yield f"# TYPE {each['name']} gauge"
            for subtask, (first, step) in enumerate(_subtasks(each)):
                task = _metric_of_task(each["operator"], each["name"], subtask) if "operator" in each else {}
                inside = ",".join(f'{name}="{value}"' for name, value in {**task, **process}.items())
                yield f"{each['name']}{{{inside},}} {first + number * step}"


def _subtasks(metric: Mapping[str, Any]) -> list[tuple[float, float]]:
    """First value and step of each subtask."""
    given = [metric["first"], metric.get("step", 0)]
    count = max(len(each) if isinstance(each, list) else 1 for each in given)
    first, step = (each if isinstance(each, list) else [each] * count for each in given)
    return list(zip(first, step, strict=True))


def _metric_of_task(name: str, metric: str, subtask: int) -> dict[str, Any]:
    of_operator = {"operator_name": name} if "_operator_" in metric else {}
    return {"job_id": JOB, "job_name": JOB_NAME, "task_name": name, "subtask_index": subtask, **of_operator}
