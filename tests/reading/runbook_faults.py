"""Errors in a filled runbook that an engineer would hit, detected by reading it as a shell, Flink and Java would."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from diagnostics.diagnosis.counterpart import level_of
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Subject
from diagnostics.reconstruction.configuration.memory_model import derive
from diagnostics.runbook import fill, runbooks
from diagnostics.runbook.plan import Proposal, merged_plan
from diagnostics.vocabulary.settings import setting_catalogue, version_of
from diagnostics.wording.code import is_harmless_in_code
from tests.reading.command_faults import code_faults, command_faults
from tests.reading.sentence_faults import PLACEHOLDER, internal_names, sentence_faults


def filled_runbooks(
    findings: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Each runbook of the causes, filled once for each job."""
    seen = set()
    for finding in findings:
        key = (finding.get("runbook"), finding["subject"].get("job"))
        if finding.get("runbook") in runbooks() and key not in seen and finding["role"] != "consequence":
            seen.add(key)
            yield {**fill(runbooks()[key[0]], finding, signals), "job": key[1]}


def faults(findings: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]) -> list[str]:
    """Everything wrong in the runbooks of a case, as `runbook/step: fault: text`."""
    filled = list(filled_runbooks(findings, signals))
    found = [
        f"{book['id']}/{step['id']}: {fault}"
        for book in filled
        for step in book["steps"]
        for fault in step_faults(step)
    ]
    return [
        *found,
        *plan_faults(filled, findings, signals),
        *two_values(filled),
        *too_short(filled, signals),
        *needless_placeholders(filled, findings, signals),
        *beyond_what_exists(filled, signals),
        *unknown_options(filled, signals),
        *(fault for book in filled for text in texts_of(book) for fault in internal_names(text)),
        *(fault for book in filled for text in sentences_of(book) for fault in sentence_faults(text)),
    ]


def plan_faults(
    filled: Sequence[Mapping[str, Any]], findings: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """The faults of the one plan of each job: its commands, changes and numbers of values for an option."""
    books = {(book["id"], book["job"]): book for book in filled}
    for job in dict.fromkeys(job for _, job in books):
        proposals = [
            Proposal(book["title"], runbooks()[name].useless, [each for each in book["steps"] if not each["left_out"]])
            for (name, of_job), book in books.items()
            if of_job == job
        ]
        plan = merged_plan(proposals, signals, job)
        if plan is None:
            continue
        if plan["restart"]:
            yield from (f"plan: {fault}" for fault in command_faults(plan["restart"]["command"]))
            yield from (f"plan: {fault}" for fault in sentence_faults(plan["restart"]["text"]))
        for change in plan["changes"]:
            if change["from"].strip() == change["to"].strip():
                yield f"plan: a change without a difference: {change['to']}"
            yield from (f"plan: {fault}" for fault in code_faults(change["kind"], change["to"]))
            yield from (f"plan: {fault}" for fault in internal_names(change["to"]))
        options = [option for each in plan["changes"] for option, _ in OPTION_LINE.findall(each["to"])]
        yield from (f"plan: {each} has two values" for each in sorted(set(options)) if options.count(each) > 1)


def step_faults(step: Mapping[str, Any]) -> Iterator[str]:
    """The faults of a step's commands and changes."""
    for look in step["look"]:
        yield from command_faults(look["command"])
    if step["savepoint"]:
        yield from command_faults(step["savepoint"]["command"])
    for change in step["change"]:
        if change["from"].strip() == change["to"].strip():
            yield f"a change without a difference: {change['to']}"
        yield from code_faults(change["kind"], change["to"])


OPTION_LINE = re.compile(r"^([a-z][\w.-]+): (.+)$", re.MULTILINE)


def settings_of(filled: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Every option with its proposed value."""
    for book in filled:
        for step in book["steps"]:
            for change in step["change"] if not step["left_out"] else ():
                if change["kind"] == "config":
                    yield from OPTION_LINE.findall(change["to"])


def two_values(filled: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One option has one proposed value in all runbooks of a case; alternatives of one step differ in theirs."""
    values: dict[str, dict[str, set[str]]] = {}
    for book in filled:
        for step in book["steps"]:
            for place, change in enumerate(step["change"] if not step["left_out"] else ()):
                origin = f"{book['id']}/{step['id']}/{change['choice'] or place}"
                for option, value in OPTION_LINE.findall(change["to"]) if change["kind"] == "config" else ():
                    values.setdefault(option, {}).setdefault(origin, set()).add(value)
    for option, by_origin in values.items():
        if len(by_origin) > 1 and len(set().union(*by_origin.values())) > 1:
            yield f"two values for {option}: {by_origin}"


HELD: Mapping[str, tuple[str, ...]] = {
    "jobmanager": ("deployment.rest_address", "rest_api.address"),
    "taskmanager-id": ("deployment.task_manager",),
    "jar": ("deployment.program",),
    "checkpoint-directory": ("settings.checkpoint_dir",),
    "savepoint-directory": ("settings.savepoint_dir", "checkpoint_progress.last_savepoint_path"),
    "path of the last completed checkpoint": ("checkpoint_progress.last_path",),
    "broker": ("deployment.kafka",),
    "database-host": ("deployment.database_host",),
    "database": ("deployment.database_name",),
    "database-user": ("deployment.database_user",),
    "zookeeper-host": ("deployment.zookeeper",),
    "application-id": ("deployment.application_id",),
    "cluster-id": ("deployment.cluster_id",),
    "flink-deployment": ("deployment.cluster_id",),
    "gc-log": ("heap_pressure.gc_logs",),
    "vertex-id": ("subject.vertex_id",),
    "window-vertex-id": ("late_records.vertex_id",),
    "source-vertex-id": ("watermarks.created_in",),
    "job-id": ("subject.job",),
}
"""Placeholder -> the facts that hold its value."""


def needless_placeholders(
    filled: Sequence[Mapping[str, Any]], findings: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Placeholders in commands and settings whose value is a fact of the case."""
    index = SignalIndex.from_stored(signals)
    for book in filled:
        subjects = [Subject(**each["subject"]) for each in findings if each.get("runbook") == book["id"]]
        view = index.view(subjects[0], level_of(subjects[0]), reach_down=True)
        for text in code_of(book):
            for name in PLACEHOLDER.findall(text):
                references = HELD.get(name[1:-1], ())
                values = [value for each in references if (value := view(each)) and is_harmless_in_code(value)]
                yield from (f"{book['id']}: {name} is {value}" for value in values)


def code_of(book: Mapping[str, Any]) -> Iterator[str]:
    """Every command and setting of a filled runbook, without those of steps that do not concern the case."""
    for step in book["steps"]:
        if step["left_out"]:
            continue
        yield from (look["command"] for look in step["look"])
        yield from (change["to"] for change in step["change"])
        if step["savepoint"]:
            yield step["savepoint"]["command"]


OWN_FILES = ("producer", "server.properties", "reader")
"""Parts of the names of files that are not Flink's, whose options Flink does not know."""
NOT_CATALOGUED = re.compile(r"(?:env\.java\.opts|metrics\.reporters?|fs|s3|containerized|kubernetes|yarn)\.")
"""Options of Flink with names of one's own below, and those of file systems and resource managers."""


def unknown_options(filled: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Proposed options that the file or the version of the case does not read."""
    catalogue = setting_catalogue()
    version = version_of(str(next(iter(values_of(signals, "job_overview", "flink_version")), "")))
    for book in filled:
        for change in changes_of(book):
            is_flinks = not any(part in change["file"] for part in OWN_FILES)
            for option in re.findall(r"^([A-Za-z][\w.-]*): ", change["to"], re.MULTILINE):
                known = catalogue.find(option)
                if not is_flinks and known:
                    yield f"{book['id']}: {option} is an option of Flink, proposed for {change['file']}"
                elif is_flinks and known is None and not NOT_CATALOGUED.match(option):
                    yield f"{book['id']}: {option} is no option of Flink"
                elif is_flinks and known and version and not known.reads(option, version):
                    yield f"{book['id']}: Flink {version} does not read {option}"


def changes_of(book: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The changes of configuration in the steps that concern the case."""
    for step in book["steps"]:
        yield from (each for each in step["change"] if each["kind"] == "config" and not step["left_out"])


def values_of(signals: Sequence[Mapping[str, Any]], key: str, fact: str) -> list[Any]:
    """The values of a fact, of whatever subject."""
    return [
        each["facts"][fact] for each in signals if each["key"] == key and each.get("facts", {}).get(fact) is not None
    ]


def sentences_of(book: Mapping[str, Any]) -> Iterator[str]:
    """Every sentence of a filled runbook, without commands and changes."""
    yield from (book["title"], book["goal"], book["place"] or "")
    for step in book["steps"]:
        if step["left_out"]:
            continue
        yield from (step.get(name) or "" for name in ("question", "why", "cost", "rollback"))
        yield from step["measured"] + step["wont_help"]
        yield from (each["what"] for each in step["look"])
        yield from (f"{each['if']}: {each['then']}" for each in step["answers"])
        if step["savepoint"]:
            yield step["savepoint"]["text"]


def texts_of(book: Mapping[str, Any]) -> Iterator[str]:
    """Every sentence, command and change of a filled runbook."""
    yield from sentences_of(book)
    for step in book["steps"]:
        yield from (each["command"] for each in step["look"])
        yield from (f"{each['file']}: {each['to']}" for each in step["change"])
        if step["savepoint"]:
            yield step["savepoint"]["command"]


PARALLELISM = re.compile(r"setParallelism\((\d+)\)")


def beyond_what_exists(filled: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Proposals that the cluster, its brokers or other settings do not allow."""
    facts = {f"{each['key']}.{name}": value for each in signals for name, value in each.get("facts", {}).items()}
    most = facts.get("load_balance.max_parallelism") or facts.get("settings.max_parallelism") or 128
    for book in filled:
        for text in code_of(book):
            yield from (f"parallelism {hit} above {most}" for hit in PARALLELISM.findall(text) if int(hit) > most)
    there = facts.get("record_rate.slots_total")
    if there is not None:
        codes = [code for book in filled for code in code_of(book)]
        raised = [int(hit) for code in codes for hit in PARALLELISM.findall(code)]
        yield from (f"parallelism {each} with {there} slots" for each in raised if each > there)
    proposed = dict(settings_of(filled))
    yield from memory_faults(proposed, [change for book in filled for change in changes_of(book)], facts)
    slots = int(proposed.get("taskmanager.numberOfTaskSlots", 0))
    required, task_managers = facts.get("slots.required") or 0, len(facts.get("deployment.task_managers") or ()) or 1
    if slots and slots * task_managers < required:
        yield f"{slots} slots on {task_managers} TaskManagers for {required}"
    session = proposed.get("high-availability.zookeeper.client.session-timeout")
    if session and int(session) > 40_000:
        yield f"session timeout of {session}, which ZooKeeper's servers do not grant"
    interval = facts.get("settings.heartbeat_interval_ms") or 0
    amount, _, unit = proposed.get("heartbeat.timeout", "").partition(" ")
    if unit in UNITS and int(amount) * UNITS[unit] <= interval:
        yield f"heartbeat timeout of {amount} {unit} within the interval"


TOTAL = "taskmanager.memory.process.size"
PARTS = ("taskmanager.memory.task.heap.size", "taskmanager.memory.managed.size")
STATED_TOTAL = re.compile(r"^# (\d+) MiB for a TaskManager", re.MULTILINE)


def memory_faults(
    proposed: Mapping[str, str], changes: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]
) -> Iterator[str]:
    """Proposed parts of a TaskManager's memory that do not fit, by Flink's own formulas."""
    options = {name.removeprefix("taskmanager.memory."): text for name, text in proposed.items()}
    if not any(part in proposed for part in PARTS):
        return
    removed = any(TOTAL in change["from"] or STATED_TOTAL.search(change["to"]) for change in changes)
    total = facts.get("settings.process_bytes")
    if total and not removed and TOTAL not in proposed:
        options["process.size"] = str(round(total))
    parts = derive(options)
    if parts is None and "managed.size" in options:
        yield f"these parts of the memory do not fit: {options}"
    for stated in (int(hit) for change in changes for hit in STATED_TOTAL.findall(change["to"])):
        if parts and sum(parts[each] for each in ("task_heap", "managed", "framework_heap")) > stated * 2**20:
            yield f"the parts {options} exceed the total of {stated} MiB"


UNITS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}


def too_short(filled: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A proposed checkpoint timeout leaves head room above the longest checkpoint."""
    longest = max(
        (each.get("facts", {}).get("max_duration_ms") or 0 for each in signals if each["key"] == "checkpoint_progress"),
        default=0,
    )
    for option, value in settings_of(filled):
        amount, _, unit = value.partition(" ")
        if option == "execution.checkpointing.timeout" and unit in UNITS and int(amount) * UNITS[unit] < 1.5 * longest:
            yield f"timeout of {value} where a checkpoint took {longest} ms"
