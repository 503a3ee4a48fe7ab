"""Errors in one command or block of code, detected by reading it as a shell, Flink and Java would."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import yaml

from tests.reading.java_faults import java_faults
from tests.reading.sentence_faults import PLACEHOLDER

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
        "mvn",
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
        "stat",
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

SHELL_WORDS = frozenset(["for", "until", "do", "done", "if", "then", "else", "fi", "while", "in", "{", "}", "!"])
SQL = re.compile(r"^(SELECT|EXPLAIN|SHOW|SET|CREATE|ALTER|WITH)\b", re.IGNORECASE)
FLINK_SCRIPT = re.compile(r"^(?:/[\w./-]+/)?bin/(?:flink|[a-z-]+\.sh)$")
SEPARATED = re.compile(r"(?<![\w.\"'])\d{1,3}(?:,\d{3})+(?![\w,])")
BROKEN_DURATION = re.compile(r"^[\w.-]+: (?:\d+\.\d+ (?:ms|s|min|h)|\d+ \w+ \d+ \w+|\d+\.\d+ ?[KMG]i?B)$", re.MULTILINE)
JSON_LINES = re.compile(r"/(?:thread-dump|metrics|config)'?\s*\|\s*grep")
PAIRS = {")": "(", "]": "[", "}": "{"}


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
            yield from repeated_keys(yaml.compose(PLACEHOLDER.sub("placeholder", code)), code)
        except yaml.YAMLError as error:
            yield f"not YAML: {code}: {error}"
    if kind in ("code", "sql"):
        yield from balance_faults(code)
    if kind == "code":
        yield from java_faults(code)
    if kind == "command":
        yield from command_faults(code)


def repeated_keys(node: yaml.Node | None, code: str) -> Iterator[str]:
    """Keys of a mapping that are there twice, with which Flink does not start."""
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        yield from (f"the key {key} twice: {code}" for key in sorted(set(keys)) if keys.count(key) > 1)
        for _, inner in node.value:
            yield from repeated_keys(inner, code)


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
