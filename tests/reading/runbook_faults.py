"""Errors in a filled runbook that an engineer would hit, detected by reading it as a shell, Flink and Java would."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from diagnostics.diagnosis.counterpart import level_of
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Subject
from diagnostics.runbook import fill, runbooks
from diagnostics.wording.phrase import is_harmless_in_code

PROGRAMS = frozenset(
    [
        "asprof",
        "aws",
        "bpftrace",
        "cat",
        "chronyc",
        "curl",
        "date",
        "dd",
        "df",
        "echo",
        "egrep",
        "ethtool",
        "explain",
        "flink",
        "for",
        "getent",
        "grep",
        "head",
        "hdfs",
        "ip",
        "jcmd",
        "journalctl",
        "jq",
        "jstack",
        "kafka-configs",
        "kafka-configs.sh",
        "kafka-console-consumer",
        "kafka-consumer-groups",
        "kafka-consumer-groups.sh",
        "kafka-topics",
        "kafka-transactions.sh",
        "kubectl",
        "ls",
        "mkdir",
        "cp",
        "mtr",
        "nc",
        "ping",
        "psql",
        "rm",
        "sh",
        "sleep",
        "sort",
        "ss",
        "sudo",
        "tail",
        "top",
        "touch",
        "uniq",
        "iostat",
        "jar",
        "javap",
        "unzip",
        "wc",
        "zkCli.sh",
        "du",
        "awk",
        "sed",
        "timeout",
        "mysql",
        "openssl",
        "find",
        "tr",
        "cut",
        "xargs",
        "vmstat",
        "pidstat",
        "pgrep",
        "python",
        "pip",
        "yarn",
        "export",
        "mv",
    ]
)
"""Programs that a host of Flink, of its storage or of an administrator has."""

SHELL_WORDS = frozenset(["for", "do", "done", "if", "then", "else", "fi", "while", "in", "{", "}", "!"])
SQL = re.compile(r"^(SELECT|EXPLAIN|SHOW|SET|CREATE|ALTER|WITH)\b", re.IGNORECASE)
FLINK_SCRIPT = re.compile(r"^(?:/[\w./-]+/)?bin/(?:flink|[a-z-]+\.sh)$")
PLACEHOLDER = re.compile(r"<[A-Za-z][^<>|;&]{0,120}>")
SEPARATED = re.compile(r"(?<![\w.\"'])\d{1,3}(?:,\d{3})+(?![\w,])")
BROKEN_DURATION = re.compile(r"^[\w.-]+: (?:\d+\.\d+ (?:ms|s|min|h)|\d+ \w+ \d+ \w+|\d+\.\d+ ?[KMG]i?B)$", re.MULTILINE)
JSON_LINES = re.compile(r"/(?:thread-dump|metrics|config)'?\s*\|\s*grep")
PAIRS = {")": "(", "]": "[", "}": "{"}


def filled_runbooks(
    findings: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Each runbook of the causes, filled once for each job."""
    seen = set()
    for finding in findings:
        key = (finding.get("runbook"), finding["subject"].get("job"))
        if finding.get("runbook") in runbooks() and key not in seen and finding["role"] != "consequence":
            seen.add(key)
            yield fill(runbooks()[key[0]], finding, signals)


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
        *two_values(filled),
        *too_short(filled, signals),
        *needless_placeholders(filled, findings, signals),
        *beyond_what_exists(filled, signals),
    ]


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


def command_faults(command: str) -> Iterator[str]:
    """Of a command: what bash refuses, and programs that nobody has."""
    if SQL.match(command):
        yield from balance_faults(command)
        return
    runnable = PLACEHOLDER.sub("placeholder", command)
    checked = subprocess.run(
        ["/bin/bash", "-n", "-c", runnable], capture_output=True, text=True, timeout=10, check=False
    )
    if checked.returncode:
        yield f"bash refuses: {command}: {checked.stderr.strip()}"
    yield from (
        f"unknown program {name!r}: {command}"
        for name in programs(runnable)
        if name not in PROGRAMS and not FLINK_SCRIPT.match(name)
    )
    if JSON_LINES.search(command):
        yield f"grep on JSON of one line: {command}"
    if SEPARATED.search(command):
        yield f"a number with separators: {command}"


def programs(command: str) -> Iterator[str]:
    """The first word of every simple command."""
    unquoted = re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", "quoted", command)
    unquoted = re.sub(r"(?m)(?:^|\s)#.*$", "", unquoted)
    for part in re.split(r"\|\|?|&&?|;|\n|\$\(", unquoted):
        words = [word for word in part.split() if word not in SHELL_WORDS and "=" not in word]
        if words and part.split()[0] != "for":
            yield words[0]


def code_faults(kind: str, code: str) -> Iterator[str]:
    if SEPARATED.search(code):
        yield f"a number with separators: {code}"
    if kind == "config" and ":" in code:
        if BROKEN_DURATION.search(code):
            yield f"not a value that Flink reads: {code}"
        try:
            yaml.safe_load(PLACEHOLDER.sub("placeholder", code))
        except yaml.YAMLError as error:
            yield f"not YAML: {code}: {error}"
    if kind in ("code", "sql"):
        yield from balance_faults(code)
    if kind == "command":
        yield from command_faults(code)


def balance_faults(code: str) -> Iterator[str]:
    """Brackets and quotes that do not match."""
    plain = re.sub(r"'[^'\n]*'|\"(?:\\.|[^\"\\\n])*\"", "", re.sub(r"(//|--).*", "", code))
    opened = []
    for sign in plain:
        if sign in PAIRS.values():
            opened.append(sign)
        elif sign in PAIRS and (not opened or opened.pop() != PAIRS[sign]):
            yield f"brackets do not match: {code}"
            return
    if opened:
        yield f"brackets do not match: {code}"


def settings_of(filled: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Every option with its proposed value."""
    for book in filled:
        for step in book["steps"]:
            for change in step["change"] if not step["left_out"] else ():
                if change["kind"] == "config":
                    yield from re.findall(r"^([a-z][\w.-]+): (.+)$", change["to"], re.MULTILINE)


def two_values(filled: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One option has one proposed value in all runbooks of a case."""
    values: dict[str, set[str]] = {}
    for option, value in settings_of(filled):
        values.setdefault(option, set()).add(value)
    yield from (f"two values for {option}: {sorted(each)}" for option, each in values.items() if len(each) > 1)


HELD: Mapping[str, tuple[str, ...]] = {
    "jobmanager": ("deployment.rest_address", "rest_api.address"),
    "taskmanager-id": ("deployment.task_manager",),
    "jar": ("deployment.program",),
    "checkpoint-directory": ("settings.checkpoint_dir",),
    "savepoint-directory": ("settings.savepoint_dir", "checkpoint_progress.last_savepoint_path"),
    "path of the last completed checkpoint": ("checkpoint_progress.last_path",),
    "broker": ("deployment.kafka",),
    "database-host": ("deployment.database_host",),
    "zookeeper-host": ("deployment.zookeeper",),
    "application-id": ("deployment.application_id",),
    "cluster-id": ("deployment.cluster_id",),
    "flink-deployment": ("deployment.cluster_id",),
    "vertex-id": ("subject.vertex_id",),
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


PARALLELISM = re.compile(r"setParallelism\((\d+)\)")


def beyond_what_exists(filled: Sequence[Mapping[str, Any]], signals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Proposals that the cluster, its brokers or other settings do not allow."""
    facts = {f"{each['key']}.{name}": value for each in signals for name, value in each.get("facts", {}).items()}
    most = facts.get("load_balance.max_parallelism") or facts.get("settings.max_parallelism") or 128
    for book in filled:
        for text in code_of(book):
            yield from (f"parallelism {hit} above {most}" for hit in PARALLELISM.findall(text) if int(hit) > most)
    proposed = dict(settings_of(filled))
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
