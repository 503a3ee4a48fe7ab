"""Paths among the arguments of a job's program: a start that repeats them may overwrite files there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diagnostics.evidence.subject import Lookup
from diagnostics.language import say
from diagnostics.runbook.cluster_commands import STANDALONE
from diagnostics.runbook.copied_checkpoints import COMMENT
from diagnostics.runbook.restart_sentences import COPIED, COPY_FIRST, ON_TASK_MANAGERS, OVERWRITTEN
from diagnostics.wording.code import is_harmless_in_code

LOCAL = re.compile(r"(?:file:/{0,2})?(/[^:*?\"'<>|\n]{1,500})")
REMOTE = re.compile(r"(?:hdfs|viewfs|s3[apn]?|gs|oss|abfss?|wasbs?|cosn|obs)://\S{1,500}")
"""Paths of a file system, and of the file systems that Flink and Hadoop have connectors for. Source: Flink
documentation, File Systems."""

OPTION = re.compile(r"--?([A-Za-z][\w.-]{0,60})(?:=(.{1,500}))?")
WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
"""The words of an option's name: `inputPath`, `input-path` and `INPUT_PATH` have `input`."""

ONLY_READ = frozenset(
    [
        "ca",
        "cert",
        "certificate",
        "class",
        "classpath",
        "conf",
        "config",
        "configuration",
        "credentials",
        "dictionary",
        "endpoint",
        "from",
        "in",
        "input",
        "inputs",
        "jaas",
        "jar",
        "key",
        "keys",
        "keyfile",
        "keystore",
        "keytab",
        "krb5",
        "lib",
        "model",
        "plugin",
        "plugins",
        "prefix",
        "properties",
        "props",
        "query",
        "read",
        "route",
        "schema",
        "script",
        "secret",
        "settings",
        "source",
        "sql",
        "src",
        "truststore",
        "uri",
        "url",
        "zk",
        "znode",
        "zookeeper",
        "checkpoint",
        "checkpoints",
        "savepoint",
        "savepoints",
    ]
)
READ_FILES = re.compile(
    r"\.(?:jar|py|ya?ml|properties|conf|cfg|ini|xml|sql|avsc|proto|pem|crt|cer|key|pub|jks|jceks|p12|pfx|keytab|jaas)$",
    re.IGNORECASE,
)
"""Words of options, and names of files, that a job reads or that Flink keeps by itself. Our choice."""

STATE_FOLDERS = ("settings.checkpoint_dir", "settings.savepoint_dir")
COPY = "cp -a {path} {path}.$(date +%s)"
"""A copy of its own for each start: a second start would overwrite the first copy with what the first one left."""


@dataclass(frozen=True, slots=True)
class PathArgument:
    """An argument that is a path.

    words  option and value: `--tap /data/events`
    path   of a local file system, as a shell takes it unchanged; None for any other
    """

    words: str
    path: str | None


def paths_at_risk(lookup: Lookup) -> list[PathArgument]:
    """The paths among the arguments behind the JAR that the job may write to.

    Checkpoints and savepoints are none of them: Flink keeps these by itself. A path has a copy where the hosts are
    reached by a shell, which is so on a standalone cluster.
    """
    program, has_shell = lookup("deployment.program"), lookup("deployment.kind") in (STANDALONE, None)
    kept = [_without_scheme(folder) for each in STATE_FOLDERS if isinstance(folder := lookup(each), str) and folder]
    paths = []
    for option, value in _arguments(list(map(str, program)) if isinstance(program, list) else []):
        local, name = LOCAL.fullmatch(value), (option or "").lstrip("-")
        reads = ONLY_READ & {each.lower() for each in WORDS.findall(name)} or READ_FILES.search(value)
        of_state = _without_scheme(value).startswith(tuple(kept))
        if reads or of_state or not (local or REMOTE.fullmatch(value)):
            continue
        path = local.group(1).rstrip("/") if local and has_shell else ""
        harmless = path if path and is_harmless_in_code(path) else None
        paths.append(PathArgument(f"{option} {value}" if option else value, harmless))
    return paths


def with_copies(
    paths: Sequence[PathArgument], sentences: Sequence[str], commands: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """The sentences and commands of a restart, and what protects the paths of its arguments: copies before the start
    that a shell runs, and after `#` before one that it does not run.
    """
    if not paths or not commands:
        return sentences, commands
    if any(each.path is None for each in paths):
        return (OVERWRITTEN, COPY_FIRST, *sentences), commands
    starts = [place for place, each in enumerate(commands) if "{restart.program}" in each]
    first = next((place for place in starts if not commands[place].startswith(COMMENT)), min(starts, default=0))
    copied: list[str] = []
    for place, each in enumerate(commands):
        if place == first:
            copied += copies_of(paths)
        elif place in starts and place < first:
            copied += [f"{COMMENT}{copy}" for copy in copies_of(paths)]
        copied.append(each)
    return (OVERWRITTEN, COPIED, *sentences), copied


def copies_of(paths: Sequence[PathArgument]) -> list[str]:
    """The commands that copy the paths which a shell reaches."""
    return [f"{COPY.format(path=each.path)}   # {say(ON_TASK_MANAGERS)}" for each in paths if each.path]


def _without_scheme(path: str) -> str:
    return path.partition(":")[2].lstrip("/") if ":" in path else path.lstrip("/")


def _arguments(program: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """Option and value of each argument behind the JAR or the Python file; without an option for one by itself."""
    first = next((place for place, word in enumerate(program) if word.endswith((".jar", ".py"))), len(program))
    before: str | None = None
    for word in program[first + 1 :]:
        option = OPTION.fullmatch(word)
        if option and option.group(2):
            yield f"--{option.group(1)}", option.group(2)
        elif not option:
            yield before, word
        before = word if option and not option.group(2) else None
