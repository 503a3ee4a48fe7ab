"""Flink's configuration: `flink-conf.yaml` (`key: value` lines) and `config.yaml` (YAML, nested or flat).

Also as people copy it: a few lines, `-Dkey=value` of a command, rows of the web UI, and what a resource of the operator
(`flinkConfiguration`) or a ConfigMap (`flink-conf.yaml: |`) holds of it.
"""

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
from diagnostics.notation.option_groups import AMBIGUOUS_GROUPS, CERTAIN_BEGINNINGS, CERTAIN_GROUPS, GROUPS
from diagnostics.notation.rest_document import text
from diagnostics.notation.secret_option import masked
from diagnostics.vocabulary.settings import setting_catalogue

MOST_BYTES = 262_144
"""Our choice: the longest configuration seen has 20 KB; YAML of this size takes half a second."""

MOST_OPTIONS = 10_000
MOST_VALUE = 2_000
MOST_DEPTH = 50
"""Our choice: Flink's longest keys have eight parts, and scanning nested brackets takes quadratic time."""
LEAST_FLINK_SHARE = 0.3

HOLDERS = frozenset(("flinkConfiguration", "flink-conf.yaml", "flink-conf", "config.yaml"))
"""Keys below which a resource of Kubernetes holds a configuration: of the operator's own kinds, of a ConfigMap."""

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
_DYNAMIC = re.compile(
    r"(?:^|\s)-y?D\s?([A-Za-z$][\w$-]{0,80}(?:\.[\w$-]{1,80}){0,8})=(\"[^\"]{0,400}\"|'[^']{0,400}'|\S{1,400})"
)
"""An option of a command: `-Dkey=value`, with YARN of old releases `-yD key=value`."""
_ASSIGNED = re.compile(
    r"\s{0,40}[-*]?\s{0,4}['\"]?([A-Za-z$][\w$-]{0,80}(?:\.[\w$-]{1,80}){1,8})['\"]?"
    r"(?:\s{0,8}=\s{0,8}|\t{1,4}| {2,80}| (?=\S{1,200}$)|\s{0,8}:\s{1,8})(\S[^\n]{0,400})$"
)
"""`key = value`, quoted or indented, and a row of the web UI: the key, a tab or blanks, the value."""
_COMMAND = re.compile(
    r"\s{0,8}(?:[$#>]\s)?\S{0,200}?(?:flink|yarn-session\.sh|kubernetes-session\.sh|standalone-job\.sh)\s{1,8}"
    r"(?:-|run\b|run-application\b|\\|start)"
)
_HOLDER = re.compile(r"\s{1,40}(?:flinkConfiguration|flink-conf(?:\.yaml)?|config\.yaml)\s?:(?:\s{0,8}\|[-+]?)?\s*$")
MOST_COPIED = 40
LONGEST_COPIED = 2_000
"""Lines of a copied piece, and characters read of one. Our choice: more is a file."""
_GROUP_LINE = re.compile(r"([A-Za-z$][\w$-]{0,60})(?:\.[\w$.-]{1,199})?\s*:(?:\s|$)")


def _recognise(head: Head) -> float:
    lines = [line.rstrip() for line in head.text.splitlines()]
    statements = [line for line in lines if line and not line.lstrip().startswith("#") and line != "---"]
    at_margin = [found.group(1) for line in statements if (found := _GROUP_LINE.match(line[:400]))]
    if not statements or any(line[0] in "{[<" or line.rstrip().endswith((";", "{")) for line in statements[:50]):
        return 0.0
    if any(_HOLDER.match(line) for line in statements):
        return 0.9
    odd = [line for line in statements if line[0] not in " \t-" and not _GROUP_LINE.match(line[:400])]
    flink = [group for group in at_margin if group in GROUPS]
    certain = CERTAIN_GROUPS.intersection(flink)
    if len(odd) > len(at_margin) or len(flink) < LEAST_FLINK_SHARE * len(at_margin) or not flink:
        return _confidence_of_copied(statements)
    if certain or "parallelism" in flink or any(line.startswith(CERTAIN_BEGINNINGS) for line in statements):
        return 0.95 if len(flink) >= 0.6 * len(at_margin) and not odd else 0.6
    return 0.4 if len(flink) >= 3 and not odd else _confidence_of_copied(statements)


def _confidence_of_copied(statements: list[str]) -> float:
    """For a command of Flink with options, and for lines that each state an option by its full key."""
    if _COMMAND.match(statements[0]):
        return 0.4 if any(_is_flinks(key) for line in statements[:MOST_COPIED] for key in _keys_in(line)) else 0.0
    listed = [bool(keys) and all(map(_is_flinks, keys)) for keys in map(_keys_in, statements[:MOST_COPIED])]
    return 0.4 if listed and len(statements) <= MOST_COPIED and all(listed) else 0.0


def _keys_in(line: str) -> list[str]:
    return [key for key, _ in _copied_options(line[:LONGEST_COPIED])]


def _is_flinks(key: str) -> bool:
    group, dot, _ = key.partition(".")
    known = setting_catalogue().find(key) is not None
    return known or (bool(dot) and group in GROUPS and group not in AMBIGUOUS_GROUPS)


def _copied_options(line: str) -> Iterator[tuple[str, str]]:
    """Key and value of the options in one line of a copy: one of a file or page, or all of a command."""
    one = _FLAT.match(_without_comment(line).strip()) or (None if _DYNAMIC.search(line) else _ASSIGNED.match(line))
    for found in [one] if one else _DYNAMIC.finditer(line):
        yield found[1], _unquoted(found[2].strip().rstrip(",").rstrip())


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_BYTES:
        raise LimitExceeded(
            say("a configuration of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_BYTES)
        )
    with open_text(part) as opened:
        content = opened.read()
    lines = content.splitlines()
    is_nested = any(line[:1] in (" ", "\t", "-") and line.strip() and line.lstrip()[:1] != "#" for line in lines)
    is_nested = is_nested and not _is_copied(lines)
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
    written = {line.partition(":")[0].strip() for line in lines if line[:1] != "#"}
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
        else:
            yield from ((key, value, number, number) for key, value in _copied_options(line) if _is_flinks(key))


def _is_copied(lines: list[str]) -> bool:
    """Whether each line states an option by itself, whatever stands before it: no YAML."""
    statements = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return _confidence_of_copied(statements) > 0


def _without_comment(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition(" #")[0].rstrip()


def _is_odd(line: str) -> bool:
    plain = _without_comment(line).strip()
    known = _FLAT.match(plain) or _GROUP_LINE.match(plain) or any(map(_is_flinks, _keys_in(plain)))
    return bool(plain) and plain != "---" and not known


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
        held = list(_held(root))
        for node in held:
            yield from _options_of_held(node)
        if not held:
            yield from _options(root, "")


def _held(node: yaml.MappingNode) -> Iterator[yaml.Node]:
    """The configurations that a resource of Kubernetes holds."""
    for key_node, value_node in node.value:
        if isinstance(key_node, yaml.ScalarNode) and key_node.value in HOLDERS:
            yield value_node
        elif isinstance(value_node, yaml.MappingNode):
            yield from _held(value_node)


def _options_of_held(node: yaml.Node) -> Iterator[Option]:
    if isinstance(node, yaml.MappingNode):
        yield from _options(node, "")
    elif isinstance(node, yaml.ScalarNode):
        above = node.start_mark.line + (node.style in ("|", ">"))
        for key, value, first, last in _flat(str(node.value).splitlines()):
            yield key, value, above + first, above + last


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
        Sample(
            name="options.txt",
            text="bin/flink run -Dstate.backend.type=rocksdb -Drest.address='10.0.0.7' job.jar\n"
            "jobmanager.memory.heap.size\t469762048b\n",
            rows={
                "config_option": [
                    {"scope": "cluster", "key": "state.backend.type", "value": "rocksdb", "line": 1},
                    {"key": "rest.address", "value": "10.0.0.7", "line": 1},
                    {"key": "jobmanager.memory.heap.size", "value": "469762048b", "line": 2},
                ]
            },
        ),
        Sample(
            name="values.yaml",
            text='  flinkConfiguration:\n    taskmanager.numberOfTaskSlots: "2"\n    state.backend.type: rocksdb\n',
            rows={
                "config_option": [
                    {"key": "taskmanager.numberOfTaskSlots", "value": "2", "line": 2},
                    {"key": "state.backend.type", "value": "rocksdb", "line": 3},
                ]
            },
        ),
        Sample(
            name="configmap.yaml",
            text="kind: ConfigMap\ndata:\n  flink-conf.yaml: |+\n    rest.address: jm\n    parallelism.default: 2\n",
            rows={
                "config_option": [
                    {"key": "rest.address", "value": "jm", "line": 4},
                    {"key": "parallelism.default", "value": "2", "line": 5},
                ]
            },
        ),
    ),
)
