"""The log of each process, from a file in which a tool put those of several together line by line.

In such a file another process's lines may cut a stack trace, and nothing shows when a process fell silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from diagnostics.errors import LimitExceeded
from diagnostics.intake.limits import KIB, in_words
from diagnostics.intake.streams import ByteStream, pieces
from diagnostics.language import say
from diagnostics.log_scan.line_process import ProcessOfLine, process_namer

HEAD_BYTES = 64 * KIB
"""Bytes of a file that show whether its lines name a process. Our choice, as for the head that formats look at."""

MOST_PROCESSES = 200
"""Processes that get a file each; the lines of further ones are together in one file. Our choice: a large cluster."""

HELD_BYTES = 128 * KIB
"""Bytes of each log that stay in memory. Our choice: 25 MiB for MOST_PROCESSES."""

LONGEST_LINE = 1024 * KIB
"""A longer line is passed on in pieces: the limits of an upload shorten it to this. Our choice."""

FURTHER = "further-processes"
FLINK = b"org.apache.flink"


def flink_process_namer(head: bytes) -> ProcessOfLine | None:
    """What gives the process of a line; None for a file that is no log of Flink, or whose lines name no process."""
    return process_namer(head) if FLINK in head else None


@contextmanager
def process_logs(
    stream: ByteStream, namer: ProcessOfLine, folder: Path, most_bytes: int
) -> Iterator[dict[str, IO[bytes]]]:
    """Name of a file -> the log of one process, its lines as they are and in their order.

    A line that names no process is of the one before it.

    folder      where the logs are written, without a name
    most_bytes  the largest file that is taken apart
    Raises LimitExceeded for a larger one.
    """
    with ExitStack() as opened:
        logs: dict[str, IO[bytes]] = {}
        size = 0
        for process, lines in _by_process(stream, namer):
            size += len(lines)
            if size > most_bytes:
                raise LimitExceeded(
                    say("the logs of several processes in a file of more than {bound}", bound=in_words(most_bytes))
                )
            name = process if process in logs or len(logs) < MOST_PROCESSES else FURTHER
            if name not in logs:
                logs[name] = opened.enter_context(SpooledTemporaryFile(HELD_BYTES, dir=str(folder)))
            logs[name].write(lines)
        for log in logs.values():
            log.seek(0)
        yield {f"{name}.log": log for name, log in logs.items()}


def _by_process(stream: ByteStream, namer: ProcessOfLine) -> Iterator[tuple[str, bytes]]:
    """The lines of each process, those of a piece of the stream together."""
    process, rest, unnamed = "", b"", b""
    for piece in pieces(stream):
        lines = (rest + piece).splitlines(keepends=True)
        is_whole = lines[-1].endswith(b"\n") or len(lines[-1]) > LONGEST_LINE
        rest = b"" if is_whole else lines.pop()
        gathered: dict[str, list[bytes]] = {}
        for line in lines:
            named = namer(line)
            process = process if named is None else file_name(named)
            gathered.setdefault(process, []).append(line)
        unnamed += b"".join(gathered.pop("", ()))
        for name, each in gathered.items():
            yield name, unnamed + b"".join(each)
            unnamed = b""
    named = namer(rest)
    yield process if named is None else file_name(named), unnamed + rest


def file_name(process: bytes) -> str:
    """A process's name as that of a file, which leads nowhere else."""
    return re.sub(r"[^\w.@/-]|\.\.", "_", process.decode("utf-8", "replace")).strip("/") or "_"
