"""Crash reports of a JVM, `hs_err_pid<pid>.log`: the signal or failed allocation, its place, and the JVM flags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.jvm_flag import flag_facts
from diagnostics.notation.process_name import process_of_name
from diagnostics.notation.secret_option import masked
from diagnostics.notation.stack_frame import frame_name
from diagnostics.notation.task_name import task_of_thread
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 16_384
MOST_LINES = 200_000
"""Our choice: a report with all its maps and threads has some thousands."""
MOST_REASONS = 2

FATAL = "A fatal error has been detected by the Java Runtime Environment"
NO_MEMORY = "There is insufficient memory for the Java Runtime Environment to continue"

_REASON = re.compile(
    r"#\s{1,4}((?:SIG[A-Z]{2,8}|EXCEPTION_\w{1,60}|Internal Error|Out of Memory|Native memory allocation).{0,400})"
)
_VERSION = re.compile(r"# Java VM: (.{1,300})")
_ADDRESS = re.compile(r"\[([^\]]{1,300}?)(?:\+0x[0-9a-f]{1,16})?\](?:\s{1,4}(.{1,1000}?)(?:\+0x[0-9a-f]{1,16})?)?$")
_COMPILED = re.compile(r"\d{1,9}%? [\w ]{0,20}?([\w$<>]{1,200}(?:\.[\w$<>]{1,200})+)")
_THREAD = re.compile(r"Current thread \(0x[0-9a-f]{1,16}\): {1,4}\w{1,60} \"(.{1,2000}?)\" ")
_FLAGS = re.compile(r"(?:jvm_args|Command Line): (.*)")
_COMMAND = re.compile(r"(?:java_command|Command Line): (.*)")
_TIME = re.compile(r"[Tt]ime: ?([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})")
_MEMORY = re.compile(r"Memory: \d{1,3}k page, physical (\d{1,15})k ?\((\d{1,15})k free\)")
_LIMIT = re.compile(r"memory_limit_in_bytes: (\d{1,15}) ?k")


def _recognise(head: Head) -> float:
    lines = [line.rstrip() for line in head.text.splitlines()[:12]]
    told = any(line.startswith((f"# {FATAL}", f"# {NO_MEMORY}")) for line in lines)
    return 0.97 if told and "#" in lines[:3] else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """One record, the crash, and flags and memory of the JVM as options. The report's time has no zone and is read as
    UTC.

    Other sections (registers, maps, stacks of all threads) are ignored.
    """
    report = _Report(process_of_name(part.name))
    last = 0
    for number, line in islice(numbered_lines(part, MOST_LINE), MOST_LINES):
        report.take(line, number)
        last = number
    row = report.row(last)
    yield Rows("log_record", [row])
    about = {"scope": "jvm", "ts_ms": report.ts_ms, "process": report.process}
    yield Rows("config_option", [{**option, **about} for option in report.options])
    yield Coverage(records=1, role=report.process, first_ts_ms=report.ts_ms, last_ts_ms=report.ts_ms)


class _Report:
    """State of reading the report."""

    def __init__(self, process: str | None) -> None:
        self.process = process
        self.ts_ms: int | None = None
        self.options: list[dict[str, Any]] = []
        self._beginning = ""
        self._reasons: list[str] = []
        self._awaits_frame = False
        self._frame: str | None = None
        self._thread: str | None = None

    def take(self, line: str, number: int) -> None:
        """Read one line of the report, in order."""
        if line.startswith("#"):
            self._take_summary(line, number)
        else:
            self._take_setting(line, number)

    def _take_summary(self, line: str, number: int) -> None:
        reason, version = _REASON.match(line), _VERSION.match(line)
        if self._awaits_frame:
            self._frame, self._awaits_frame = _problematic(line), False
        elif line.startswith("# Problematic frame:"):
            self._awaits_frame = True
        elif FATAL in line or NO_MEMORY in line:
            self._beginning = FATAL if FATAL in line else NO_MEMORY
        elif version:
            self._option("jvm.version", version.group(1), number)
        elif reason and len(self._reasons) < MOST_REASONS:
            self._reasons.append(reason.group(1).strip())

    def _take_setting(self, line: str, number: int) -> None:
        thread, time = _THREAD.match(line), _TIME.match(line)
        if thread and self._thread is None:
            self._thread = thread.group(1)
        if time and self.ts_ms is None:
            self.ts_ms = _epoch_ms(time.group(1))
        flags, command = _FLAGS.match(line), _COMMAND.match(line)
        for word in flags.group(1).split() if flags else ():
            for key, value in flag_facts(word):
                self._option(key, masked(key, value), number)
        if command:
            self.process = _process(command.group(1)) or self.process
        memory, limit = _MEMORY.match(line), _LIMIT.match(line)
        if memory:
            self._option("memory.physical", str(int(memory.group(1)) * 1024), number)
            self._option("memory.free", str(int(memory.group(2)) * 1024), number)
        if limit:
            self._option("memory.container.limit", str(int(limit.group(1)) * 1024), number)

    def _option(self, key: str, value: str | None, number: int) -> None:
        if not any((option["key"], option["value"]) == (key, value) for option in self.options):
            self.options.append({"key": key, "value": value, "line": number, "last_line": number})

    def row(self, last_line: int) -> dict[str, Any]:
        """The crash as a row of log_record."""
        task = task_of_thread(self._thread) if self._thread else None
        where = [f"problematic frame: {self._frame}"] if self._frame else []
        who = [f"in thread {self._thread}"] if self._thread else []
        message = "; ".join([self._beginning, *self._reasons, *where, *who])[:2_000]
        (known,) = event_columns([message])
        return {
            **known,
            "ts_ms": self.ts_ms,
            "level": "FATAL",
            "message": message,
            "thread": self._thread,
            "process": self.process,
            "vertex": task.vertex if task else None,
            "subtask": task.subtask if task else None,
            "reason": self._reasons[0] if self._reasons else None,
            "root_cause_frame": self._frame,
            "line": 1,
            "last_line": last_line,
        }


def _problematic(line: str) -> str | None:
    """The frame of `# C  [library+0x1]  function+0x2` or `# J 1234 c2 package.Class.method(...)`, with its library."""
    told = line.lstrip("# ")[1:].strip()
    native = _ADDRESS.match(told)
    if native:
        return " ".join(part for part in (f"[{native.group(1)}]", native.group(2)) if part)
    compiled = _COMPILED.match(told)
    return frame_name(compiled.group(1)) if compiled else told[:500] or None


def _process(command: str) -> str | None:
    """The Flink process that a command line starts; None for other commands."""
    if "TaskManagerRunner" in command or "TaskExecutorRunner" in command:
        return "taskmanager"
    return "jobmanager" if "clusterentrypoint" in command.lower() else None


def _epoch_ms(told: str) -> int | None:
    try:
        return round(datetime.strptime(told, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


_RUNNER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"

FORMAT = Format(
    id="jvm-crash-report",
    title=to_say("Crash report of a JVM (hs_err_pid)"),
    documentation="https://docs.oracle.com/en/java/javase/17/troubleshoot/fatal-error-log.html",
    tables=("log_record", "config_option"),
    recognise=_recognise,
    certainty=0.97,
    read=_read,
    samples=(
        Sample(
            name="hs_err_pid1.log",
            text=f"""\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f2b1c3c5f10, pid=1, tid=123
#
# Java VM: OpenJDK 64-Bit Server VM (17.0.9+9, mixed mode, g1 gc, linux-amd64)
# Problematic frame:
# C  [librocksdbjni-linux64.so+0x3c5f10]  rocksdb::DBImpl::GetImpl(rocksdb::ReadOptions const&)+0x10
#
Command Line: -Xmx512m -XX:+UseG1GC {_RUNNER} --configDir /opt/flink/conf
Time: Sat Nov 21 01:30:59 2026 UTC elapsed time: 123.4 seconds (0d 0h 2m 3s)
Current thread (0x00007f2b0c0a1000):  JavaThread "Map (1/4)#0" [_thread_in_native, id=123]
Memory: 4k page, physical 1769472k(10240k free)
""",
            rows={
                "log_record": [
                    {
                        "event": "mem.hs_err",
                        "ts_ms": 1_795_224_659_000,
                        "process": "taskmanager",
                        "vertex": "Map",
                        "subtask": 0,
                        "reason": "SIGSEGV (0xb) at pc=0x00007f2b1c3c5f10, pid=1, tid=123",
                        "root_cause_frame": "[librocksdbjni-linux64.so] "
                        "rocksdb::DBImpl::GetImpl(rocksdb::ReadOptions const&)",
                        "line": 1,
                        "last_line": 13,
                    }
                ],
                "config_option": [
                    {"key": "jvm.version", "scope": "jvm", "process": "taskmanager"},
                    {"key": "heap.max", "value": "536870912", "line": 10},
                    {"key": "gc.collector", "value": "G1"},
                    {"key": "memory.physical", "value": "1811939328"},
                    {"key": "memory.free", "value": "10485760"},
                ],
            },
        ),
        Sample(
            name="hs_err_pid7.log",
            text="#\n# There is insufficient memory for the Java Runtime Environment to continue.\n"
            "# Native memory allocation (mmap) failed to map 65536 bytes for committing reserved memory.\n"
            "# Possible reasons:\n#   The system is out of physical RAM or swap space\n",
            rows={
                "log_record": [
                    {
                        "event": "mem.os.failed_map",
                        "ts_ms": None,
                        "level": "FATAL",
                        "reason": "Native memory allocation (mmap) failed to map 65536 bytes for committing reserved "
                        "memory.",
                    }
                ]
            },
        ),
    ),
)
