"""Flink's configuration: `flink-conf.yaml` (`key: value` lines) and `config.yaml` (YAML, nested or flat)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range, open_text
from diagnostics.notation.rest_document import text
from diagnostics.notation.secret_option import masked

MOST_BYTES = 262_144
"""Our choice: the longest configuration seen has 20 KB; YAML of this size takes half a second."""

MOST_OPTIONS = 10_000
MOST_VALUE = 2_000
MOST_DEPTH = 50
"""Our choice: Flink's longest keys have eight parts, and scanning nested brackets takes quadratic time."""
LEAST_FLINK_SHARE = 0.3

GROUPS = frozenset(
    (
        "akka",
        "blob",
        "classloader",
        "cluster",
        "client",
        "cleanup-mode",
        "cloud",
        "containerized",
        "env",
        "execution",
        "external-resource",
        "fs",
        "heartbeat",
        "high-availability",
        "historyserver",
        "hive",
        "io",
        "job-result-store",
        "jobmanager",
        "jobstore",
        "kubernetes",
        "metrics",
        "parallelism",
        "pekko",
        "pipeline",
        "plugin",
        "process",
        "python",
        "queryable-state",
        "query",
        "resourcemanager",
        "rest",
        "restart-strategy",
        "s3",
        "scheduler",
        "sdk",
        "security",
        "slot",
        "slotmanager",
        "sql-gateway",
        "state",
        "table",
        "task",
        "taskmanager",
        "traces",
        "web",
        "yarn",
        "zookeeper",
        "$internal",
    )
)
"""First parts of Flink's keys. Source: the option tables of Flink's documentation, 1.10 to 2.3."""

CERTAIN_GROUPS = frozenset(("jobmanager", "taskmanager", "execution", "state", "high-availability", "restart-strategy"))
"""Groups of Flink's keys that other programs' YAML rarely has at its left margin."""

CERTAIN_BEGINNINGS = ("table.exec.", "table.optimizer.", "python.fn-execution.", "pipeline.")
"""Beginnings of flat keys that only Flink has: people copy these options alone."""

FORM = "form."
"""What precedes an option in the rows that state in which form a file has it."""

_OPENING = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)

_FLAT = re.compile(r"([A-Za-z$][\w$.-]{0,199})\s*:\s+(\S.{0,20000})$")
_GROUP_LINE = re.compile(r"([A-Za-z$][\w$-]{0,60})(?:\.[\w$.-]{1,199})?\s*:(?:\s|$)")


def _recognise(head: Head) -> float:
    lines = [line.rstrip() for line in head.text.splitlines()]
    statements = [line for line in lines if line and not line.lstrip().startswith("#") and line != "---"]
    at_margin = [found.group(1) for line in statements if (found := _GROUP_LINE.match(line[:400]))]
    if not at_margin or any(line[0] in "{[<" or line.rstrip().endswith((";", "{")) for line in statements[:50]):
        return 0.0
    odd = [line for line in statements if line[0] not in " \t-" and not _GROUP_LINE.match(line[:400])]
    flink = [group for group in at_margin if group in GROUPS]
    certain = CERTAIN_GROUPS.intersection(flink)
    if len(odd) > len(at_margin) or len(flink) < LEAST_FLINK_SHARE * len(at_margin) or not flink:
        return 0.0
    if certain or "parallelism" in flink or any(line.startswith(CERTAIN_BEGINNINGS) for line in statements):
        return 0.95 if len(flink) >= 0.6 * len(at_margin) and not odd else 0.6
    return 0.4 if len(flink) >= 3 and not odd else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_BYTES:
        raise LimitExceeded(
            say("a configuration of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_BYTES)
        )
    with open_text(part) as opened:
        content = opened.read()
    lines = content.splitlines()
    is_nested = any(line[:1] in (" ", "\t", "-") and line.strip() and line.lstrip()[:1] != "#" for line in lines)
    options = list(_nested(content)) if is_nested else list(_flat(lines))
    if len(options) > MOST_OPTIONS:
        raise LimitExceeded(say("a configuration of more than {bound:,} options", bound=MOST_OPTIONS))
    rows = [
        {
            "scope": "cluster",
            "key": text(key),
            "value": masked(key, text(value, MOST_VALUE)),
            "line": first,
            "last_line": last,
        }
        for key, value, first, last in options
        if text(key)
    ]
    written = {line.partition(":")[0].strip() for line in lines if line[:1] not in (" ", "\t", "#")}
    if is_nested:
        nested = [row for row in rows if row["key"] not in written]
        rows += [{**row, "scope": "file", "key": f"{FORM}{row['key']}", "value": "nested"} for row in nested]
    odd = [] if is_nested else [line for line in lines if _is_odd(line)]
    yield Rows("config_option", rows)
    yield Coverage(records=len(options), not_understood=len(odd))


Option = tuple[str, str, int, int]


def _flat(lines: list[str]) -> Iterator[Option]:
    """Options as Flink's own reader parsed them until 1.18: ` #` begins a comment, `: ` separates key and value."""
    for number, line in enumerate(lines, 1):
        found = _FLAT.match(_without_comment(line))
        if found:
            yield found.group(1), _unquoted(found.group(2).strip()), number, number


def _without_comment(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition(" #")[0].rstrip()


def _is_odd(line: str) -> bool:
    plain = _without_comment(line).strip()
    return bool(plain) and plain != "---" and not _FLAT.match(plain) and not _GROUP_LINE.match(plain)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _nested(content: str) -> Iterator[Option]:
    try:
        _refuse_bombs(content)
        root = yaml.compose(content, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UnreadableInput(
            say("not valid YAML: {problem} at line {line}", problem=error.problem, line=line)
        ) from None
    except yaml.YAMLError as error:
        raise UnreadableInput(say("not valid YAML: {error}", error=error)) from None
    if isinstance(root, yaml.MappingNode):
        yield from _options(root, "")


def _refuse_bombs(content: str) -> None:
    depth = 0
    for token in yaml.scan(content, Loader=yaml.CSafeLoader):
        if isinstance(token, yaml.AliasToken):
            raise UnreadableInput(
                say("a configuration with YAML aliases (*name), which Flink's configurations do not have")
            )
        if isinstance(token, _OPENING):
            depth += 1
            if depth > MOST_DEPTH:
                raise LimitExceeded(
                    say("YAML nested more than {bound} levels deep, which no configuration is", bound=MOST_DEPTH)
                )
        elif isinstance(token, _CLOSING):
            depth -= 1


def _options(node: yaml.MappingNode, above: str) -> Iterator[Option]:
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            continue
        key = f"{above}{key_node.value}"
        first, last = key_node.start_mark.line + 1, value_node.end_mark.line + 1
        if isinstance(value_node, yaml.MappingNode):
            yield from _options(value_node, f"{key}.")
        elif isinstance(value_node, yaml.SequenceNode):
            yield key, ";".join(_scalar(item) for item in value_node.value), first, max(first, last - 1)
        elif value_node.tag != "tag:yaml.org,2002:null":
            yield key, _scalar(value_node), first, first


def _scalar(node: Any) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else "..."


FORMAT = Format(
    id="flink-configuration",
    title=to_say("Flink configuration"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/",
    tables=("config_option",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="conf/flink-conf.yaml",
            text="# The RPC address of the JobManager\n"
            "jobmanager.rpc.address: 127.0.0.1\n"
            "execution.checkpointing.interval: 4 s # often\n"
            "s3.secret-key: hunter2\n",
            rows={
                "config_option": [
                    {"scope": "cluster", "key": "jobmanager.rpc.address", "value": "127.0.0.1", "line": 2},
                    {"key": "execution.checkpointing.interval", "value": "4 s", "line": 3, "last_line": 3},
                    {"key": "s3.secret-key", "value": "******", "line": 4},
                ]
            },
        ),
        Sample(
            name="conf/config.yaml",
            text="jobmanager:\n"
            "  rpc:\n"
            "    address: localhost\n"
            "taskmanager:\n"
            "  numberOfTaskSlots: 2\n"
            "classloader:\n"
            "  parent-first-patterns:\n"
            "    additional: [com.acme., org.acme.]\n"
            "state.backend.type: rocksdb\n",
            rows={
                "config_option": [
                    {"key": "jobmanager.rpc.address", "value": "localhost", "line": 3},
                    {"key": "taskmanager.numberOfTaskSlots", "value": "2", "line": 5},
                    {"key": "classloader.parent-first-patterns.additional", "value": "com.acme.;org.acme.", "line": 8},
                    {"key": "state.backend.type", "value": "rocksdb", "line": 9},
                    {"scope": "file", "key": "form.jobmanager.rpc.address", "value": "nested", "line": 3},
                    {"scope": "file", "key": "form.taskmanager.numberOfTaskSlots", "value": "nested", "line": 5},
                    {"key": "form.classloader.parent-first-patterns.additional", "value": "nested", "line": 8},
                ]
            },
        ),
    ),
)
