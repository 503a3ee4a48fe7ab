"""Files read as a Spark worker reads them, in a process of its own: what dies or hangs there fails only a test.

The child unpacks each file as an upload, reads it with its format and makes the rows a batch of their table. Its memory
is bounded as in production; its peak and its processor time are measured for each file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tests.running_workbench import PROJECT

MIB = 1024**2
HUNG_SECONDS = 60
"""After which a file is given up. Every bound that a test states is far below."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file.

    refusals  sentences for the user: why the file, or the rest of it, is not read
    failure   an exception that nobody expected, or how the process ended
    rows      rows of each table
    lines     of each table the last line of each row, 0 where it has none
    """

    refusals: list[str] = field(default_factory=list)
    failure: str | None = None
    rows: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    seconds: float = 0.0
    peak_mib: float = 0.0


class BoundedReader:
    """A child process that reads one file after the other; another takes its place when it dies."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: TracebackType | BaseException | None) -> None:
        self._end()

    def read(self, path: Path, format_id: str | None = None) -> Outcome:
        """Reads a file as what it is recognised as, or as that format."""
        if self._child is None:
            command = [sys.executable, "-m", "tests.security.bounded_reading"]
            self._child = subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps([str(path), format_id]).encode() + b"\n")
        self._child.stdin.flush()
        answer = _line(self._child.stdout)
        if answer is None:
            self._end()
            return Outcome(failure=f"not read after {HUNG_SECONDS} s")
        if not answer.endswith(b"\n"):
            status = self._child.wait()
            self._end()
            return Outcome(failure=f"the process ended with status {status}")
        return Outcome(**json.loads(answer))

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def _line(stream: IO[bytes]) -> bytes | None:
    """The next line, what there is of it at the end, None where it does not come."""
    line, deadline = b"", time.monotonic() + HUNG_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(deadline - time.monotonic()):
                return None
            piece = os.read(stream.fileno(), MIB)
            if not piece:
                break
            line += piece
    return line


def _serve() -> None:
    """In the child: answers each line of the input with one of the output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin:
        path, format_id = json.loads(line)
        answers.write(json.dumps(asdict(_outcome(Path(path), format_id))).encode() + b"\n")
        answers.flush()


def _outcome(path: Path, format_id: str | None) -> Outcome:
    from diagnostics.errors import DiagnosticsError
    from diagnostics.reading.memory import bounded_memory

    refusals: list[str] = []
    lines: dict[str, list[int]] = {}
    failure = None
    Path("/proc/self/clear_refs").write_text("5")  # the peak of its memory counts from here
    begun, held = time.process_time(), _status_mib("VmRSS")
    with bounded_memory(), tempfile.TemporaryDirectory() as folder:
        try:
            for table, last_lines in _batches(path, Path(folder), format_id, refusals):
                lines.setdefault(table, []).extend(last_lines)
        except DiagnosticsError as error:
            refusals.append(str(error))
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"[:500]
    rows = {table: len(told) for table, told in lines.items()}
    return Outcome(refusals, failure, rows, lines, time.process_time() - begun, _status_mib("VmHWM") - held)


def _batches(path: Path, folder: Path, format_id: str | None, refusals: list[str]) -> Iterator[tuple[str, list[int]]]:
    from diagnostics.clock import FileClock  # noqa: F401 - loaded before anything is measured
    from diagnostics.format import Coverage
    from diagnostics.formats import FORMATS
    from diagnostics.intake import SourceFile, unpack
    from diagnostics.reading.ranges import ranges_of
    from diagnostics.row_batch import row_batch

    for file in unpack([SourceFile(path, path.name)], folder).inputs:
        refusals += [file.error] if file.error else []
        read_as = FORMATS.get(format_id or file.format_id or "")
        for planned in ranges_of(file, read_as, None, None):
            assert read_as is not None
            for given in read_as.read(planned.part):
                if isinstance(given, Coverage):
                    refusals += given.warnings
                    continue
                batch, _ = row_batch(given, 0, planned.lines_before, None)
                yield given.table, [line or 0 for line in batch.column("last_line").to_pylist()]


def _status_mib(name: str) -> float:
    """A size of this process in MiB."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) / 1024 if found else 0.0


@contextlib.contextmanager
def warm_reader() -> Iterator[BoundedReader]:
    """A reader whose child has imported what every reading needs: only the files are measured."""
    with BoundedReader() as reader, tempfile.TemporaryDirectory() as folder:
        _warm(reader, Path(folder))
        yield reader


def _warm(reader: BoundedReader, folder: Path) -> None:
    from diagnostics.formats import FORMATS

    first = folder / "sample"
    for format_id in ("event-parquet", "event-avro", "flink-log"):
        first.write_bytes(FORMATS[format_id].samples[0].content)
        outcome = reader.read(first, format_id)
        assert outcome.failure is None, outcome


if __name__ == "__main__":
    _serve()
