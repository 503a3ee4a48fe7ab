"""Starts of Flink's processes on a standalone cluster, with the options that each had."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.evidence.subject import FactValue, Lookup
from diagnostics.language import say
from diagnostics.notation.secret_option import MASK
from diagnostics.runbook.copied_checkpoints import COMMENT
from diagnostics.runbook.restart_sentences import (
    FOR_EACH,
    KEEPS_GC_LOG,
    ON_HOST,
    ON_JOBMANAGER,
    ON_JOBMANAGER_AGAIN,
    ON_TASK_MANAGERS,
    ON_TASK_MANAGERS_AGAIN,
    STOPS_ALL,
)
from diagnostics.wording.code import is_harmless_in_code

OWN_HOST = re.compile(r"(?:^| )-D taskmanager\.host=(\S+)")
JVM_OPTION = re.compile(r"-[\w@%+=:,./*-]{1,500}")
"""An option that reaches the JVM unchanged: Flink's flink-daemon.sh splits JVM_ARGS at white space, and no shell
interprets anything in it within quotes."""
BEGUN_ANEW = re.compile(
    r"-Xloggc:(?P<old>/[\w./-]{1,400})"
    r"|-Xlog:[^:]{0,200}\bgc\b[^:]{0,200}:(?:file=)?(?P<new>/[\w./-]{1,400}):[^:]{0,200}:(?:[\w=,]{0,100},)?filecount=0\b.{0,100}"
)
"""A GC log that a new JVM writes from the beginning: with another `filecount` the JVM renames the file first. Source:
JDK's java command, -Xlog."""
COLLECTOR = re.compile(r"-XX:\+Use\w{1,30}GC\b")
MOST_STARTS = 4
"""TaskManagers of a host whose starts are written out. Our choice: a line that can be read."""


@dataclass(frozen=True, slots=True)
class ProcessStart:
    """The options of one process as words of a shell: `-D key=value`, and those of its JVM."""

    options: str = ""
    jvm_options: str = ""

    def command(self, script: str) -> str:
        """The start by a script of Flink's; its JVM options come before it, as flink-daemon.sh reads them."""
        jvm = f"JVM_ARGS={shlex.quote(self.jvm_options)} " if self.jvm_options else ""
        return f"{jvm}{script} start {self.options}".rstrip()

    @property
    def host(self) -> str | None:
        """The host that its options name."""
        named = OWN_HOST.search(self.options)
        return named[1] if named else None

    def keeping(self, place: str) -> list[str]:
        """The commands that keep the GC log of before, whose JVM writes on into the renamed file."""
        found = (BEGUN_ANEW.fullmatch(each) for each in self.jvm_options.split())
        note = say(KEEPS_GC_LOG, place=place)
        paths = [each["old"] or each["new"] for each in found if each]
        return [f"mv {path} {path}.$(date +%s)   # {note}" for path in paths]


def process_starts(lookup: Lookup, process: str) -> list[ProcessStart]:
    """Each way in which a kind of process was started; none where a shell would interpret one of the options.

    process  `jobmanager` or `task_manager`
    """
    options, jvm_options = (
        value if isinstance(value := lookup(f"deployment.{process}_{name}"), list) else []
        for name in ("arguments", "jvm_options")
    )
    count = max(len(options), len(jvm_options))
    options, jvm_options = options or [""] * count, jvm_options or [""] * count
    if len(options) != len(jvm_options):
        return []
    starts = []
    for given, of_jvm in zip(options, jvm_options, strict=True):
        words, jvm_words = str(given).split(), shlex.split(str(of_jvm))
        secret_free = [each.removesuffix(MASK) for each in jvm_words]
        if not all(map(is_harmless_in_code, words)) or not all(map(JVM_OPTION.fullmatch, secret_free)):
            return []
        jvm = " ".join(f"{each.removesuffix(MASK)}<secret>" if each.endswith(MASK) else each for each in jvm_words)
        starts.append(ProcessStart(" ".join(f"-D {each}" for each in words), jvm))
    return starts


def _had_options(lookup: Lookup, process: str) -> bool:
    """Whether a process of the kind was started with options, so that a start without them is another process."""
    return any(lookup(f"deployment.{process}_{name}") for name in ("arguments", "jvm_options"))


def _starts_on_one_host(lookup: Lookup) -> list[ProcessStart]:
    """The starts of the TaskManagers where all are known and run on one host, else none.

    Of several hosts it is not known which options belong to which.
    """
    starts, seen = process_starts(lookup, "task_manager"), lookup("deployment.task_managers_by_host")
    return starts if seen == [len(starts)] else []


def task_manager_starts(lookup: Lookup, script: str) -> list[str]:
    """A start for each TaskManager, after what keeps the GC log of the process that ended; after `#` where they had
    options that are not known of each.
    """
    if by_host := _starts_by_host(lookup):
        return [
            command
            for host, start in by_host.items()
            for place in (say(ON_HOST, host=host),)
            for command in (*start.keeping(place), f"{start.command(script)}   # {place}")
        ]
    if known := _starts_on_one_host(lookup):
        kept = [command for each in known for command in each.keeping(say(ON_TASK_MANAGERS))]
        return [*kept, *(each.command(script) for each in known)]
    bare = f"{ProcessStart().command(script)}   # {say(FOR_EACH)}"
    return [f"{COMMENT}{bare}" if _had_options(lookup, "task_manager") else bare]


def jobmanager_restart(lookup: Lookup, script: str) -> list[str]:
    """The commands that restart a JobManager with the options that all of them had; after `#` where these differ or
    are not known.
    """
    starts = process_starts(lookup, "jobmanager")
    if len(starts) != 1 and _had_options(lookup, "jobmanager"):
        return [f"{COMMENT}{script} stop && {script} start   # {say(ON_JOBMANAGER_AGAIN)}"]
    start = starts[0] if starts else ProcessStart()
    place = say(ON_JOBMANAGER)
    return [*start.keeping(place), f"{script} stop && {start.command(script)}   # {place}"]


def without_collector(lookup: Lookup, changed: str) -> Lookup:
    """The facts without the collector among the JVM options of processes, where a change sets another: a JVM that is
    given two does not start.
    """
    if not COLLECTOR.search(changed):
        return lookup

    def value(reference: str) -> FactValue:
        known = lookup(reference)
        if reference.endswith("_jvm_options") and isinstance(known, list):
            return [" ".join(word for word in str(each).split() if not COLLECTOR.fullmatch(word)) for each in known]
        return known

    return value


def task_manager_restarts(lookup: Lookup, script: str) -> list[str]:
    """The commands that restart all TaskManagers: of several on a host, `stop` ends only the last one. Their number is
    known where all are registered, as many on each host, or none is and the options of each are known. A line is after
    `#` where they had options that are not known of each: without these another process would start.
    """
    if by_host := _starts_by_host(lookup):
        restarts = []
        for host, start in by_host.items():
            place = say(ON_HOST, host=host)
            restarts += [*start.keeping(place), f"{script} stop && {start.command(script)}   # {place}"]
        return restarts
    known = _starts_on_one_host(lookup)
    mark = "" if known or not _had_options(lookup, "task_manager") else COMMENT
    kept = [command for each in known for command in each.keeping(say(ON_TASK_MANAGERS))]
    again = say(ON_TASK_MANAGERS if known else ON_TASK_MANAGERS_AGAIN)
    seen = lookup("deployment.task_managers_by_host")
    numbers = [each for each in seen if isinstance(each, int)] if isinstance(seen, list) else []
    most = max(numbers, default=1)
    starts = [each.command(script) for each in known or [ProcessStart()]]
    if most == 1:
        return [*kept, f"{mark}{script} stop && {starts[0]}   # {again}"]
    registered, is_told = lookup("task_manager_loss.all.registered_end"), len(starts) == most
    if min(numbers) == most <= MOST_STARTS and (registered == sum(numbers) or (is_told and registered == 0)):
        written = " && ".join(starts if is_told else starts * most)
        return [*kept, f"{mark}{script} stop-all && {written}   # {again}; {say(STOPS_ALL)}"]
    return [
        f"{mark}{script} stop-all   # {say(ON_TASK_MANAGERS)}; {say(STOPS_ALL)}",
        f"{mark}{script} start   # {say(FOR_EACH)}",
    ]


def _starts_by_host(lookup: Lookup) -> Mapping[str, ProcessStart]:
    """Host -> the start of its only TaskManager; empty unless each names a host of its own."""
    starts = process_starts(lookup, "task_manager")
    named = {host: each for each in starts if (host := each.host)}
    if not starts or lookup("deployment.task_managers_by_host") != [1] * len(starts) or len(named) != len(starts):
        return {}
    return {host: named[host] for host in sorted(named)}
