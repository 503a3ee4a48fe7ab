"""Hostile files handed to a child process, see `bounded_child`, which may die or hang without harm to the test run."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from diagnostics.formats import FORMATS
from tests.running_workbench import PROJECT

MIB = 1024**2
HUNG_SECONDS = 60
"""After which a question is given up. Every bound that a test states is far below."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file.

    refusals  sentences for the user: why the file, or the rest of it, is not read
    failure   an exception that nobody expected, or how the process ended
    rows      rows of each table
    """

    refusals: list[str] = field(default_factory=list)
    failure: str | None = None
    rows: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    peak_mib: float = 0.0


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """What became of the mutants of a format's files.

    failures  of a mutant each, by its number
    slowest   (seconds, number of the mutant)
    peak_mib  memory at the peak, beyond what the process held before
    """

    failures: list[str] = field(default_factory=list)
    slowest: list[tuple[float, int]] = field(default_factory=list)
    peak_mib: float = 0.0


class ChildEnded(Exception):
    """The child died over a question, or did not answer it."""


class BoundedReader:
    """A child process that answers one question after the other; another takes its place when it dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: TracebackType | BaseException | None) -> None:
        self._end()

    def read(self, path: Path, format_id: str | None = None) -> Outcome:
        """Reads a file as what it is recognised as, or as that format."""
        try:
            return Outcome(**self._ask({"read": str(path), "as": format_id}))
        except ChildEnded as error:
            return Outcome(failure=str(error))

    def fuzz(self, format_id: str, seed: str, mutants: int) -> Fuzzed:
        """Reads so many mutants of a format's real files."""
        try:
            return Fuzzed(**self._ask({"fuzz": format_id, "seed": seed, "mutants": mutants}))
        except ChildEnded as error:
            content = (self._folder / "mutant").read_bytes()
            return Fuzzed(failures=[f"{error} over {len(content):,} bytes: {content[:2_000]!r}"])

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        if self._child is None:
            command = [sys.executable, "-m", "tests.security.bounded_child", str(self._folder)]
            self._child = subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps(question).encode() + b"\n")
        self._child.stdin.flush()
        answer = _line(self._child.stdout)
        if answer is None:
            self._end()
            raise ChildEnded(f"no answer after {HUNG_SECONDS} s")
        if not answer.endswith(b"\n"):
            status = self._child.wait()
            self._end()
            raise ChildEnded(f"the process ended with status {status}")
        return dict(json.loads(answer))

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


@contextlib.contextmanager
def warm_reader() -> Iterator[BoundedReader]:
    """A reader whose child has imported what every reading needs: only the files are measured."""
    with tempfile.TemporaryDirectory() as folder, BoundedReader(Path(folder)) as reader:
        sample = Path(folder) / "sample"
        for format_id in ("event-parquet", "event-avro", "flink-log"):
            sample.write_bytes(FORMATS[format_id].samples[0].content)
            outcome = reader.read(sample, format_id)
            assert outcome.failure is None, outcome
        yield reader


def _line(stream: IO[bytes]) -> bytes | None:
    """The next line, what there is of it at the end, None where it does not come."""
    line, deadline = b"", time.monotonic() + HUNG_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            piece = os.read(stream.fileno(), MIB)
            if not piece:
                break
            line += piece
    return line
