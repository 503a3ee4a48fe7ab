"""A child process that reads hostile files as a Spark worker does: what dies or hangs there fails only a test.

Its memory is bounded as in production; the peak of its memory and its processor time are measured. It answers one line
of JSON with another: `{"read": path, "as": format}` or `{"fuzz": format, "seed": text, "mutants": number}`.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnostics.errors import DiagnosticsError
from diagnostics.evidence.rows import Coverage
from diagnostics.formats import FORMATS
from diagnostics.formats.format import Format
from diagnostics.intake import SourceFile, unpack
from diagnostics.intake.encoding import Encoding
from diagnostics.intake.limits import USUAL
from diagnostics.intake.lines import CleanText
from diagnostics.notation.file_range import Range
from diagnostics.reading.memory import bounded_memory
from diagnostics.reading.ranges import ranges_of
from diagnostics.reading.row_batch import row_batch
from tests.security.mutants import mutant_of
from tests.security.real_files import real_files

SLOWEST_KEPT = 3


def read(path: Path, format_id: str | None) -> dict[str, Any]:
    """Reads a file of an upload as what it is recognised as, or as that format."""
    refusals: list[str] = []
    rows: dict[str, int] = {}
    failure = None
    begun, held = time.process_time(), _forget_peak()
    with bounded_memory(), tempfile.TemporaryDirectory() as folder:
        try:
            for file in unpack([SourceFile(path, path.name)], Path(folder)).inputs:
                refusals += [file.error] if file.error else []
                read_as = FORMATS.get(format_id or file.format_id or "")
                for planned in ranges_of(file, read_as, None, None):
                    assert read_as is not None
                    for table, lines in _batches(read_as, planned.part, refusals):
                        rows[table] = rows.get(table, 0) + len(lines)
        except DiagnosticsError as error:
            refusals.append(str(error))
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"[:500]
    return {
        "refusals": refusals,
        "failure": failure,
        "rows": rows,
        "seconds": time.process_time() - begun,
        "peak_mib": _peak_mib() - held,
    }


def fuzz(format_id: str, seed: str, mutants: int, folder: Path) -> dict[str, Any]:
    """Reads mutants of a format's real files. Each is written to `folder` first: the last one killed the child."""
    read_as, files = FORMATS[format_id], real_files(format_id)
    path, failures, slowest = folder / "mutant", [], []
    whole = []
    for content in files:
        path.write_bytes(content)
        whole.append(_batches_by_table(read_as, _whole(path), []))
    held = _forget_peak()
    with bounded_memory():
        for number in range(mutants):
            which = number % len(files)
            mutant = mutant_of(files[which], f"{seed}-{format_id}-{number}")
            path.write_bytes(mutant.content if read_as.binary else _clean(mutant.content))
            begun = time.process_time()
            try:
                lines = _batches_by_table(read_as, _whole(path), [])
            except DiagnosticsError:
                continue
            except Exception as error:
                failures.append(f"mutant {number}: {type(error).__name__}: {error}"[:300])
                continue
            finally:
                slowest.append((time.process_time() - begun, number))
            if read_as.splittable:
                untouched = files[which].count(b"\n", 0, mutant.touched)
                failures += _lost(whole[which], lines, untouched, number)
    return {
        "failures": failures[:10],
        "slowest": sorted(slowest, reverse=True)[:SLOWEST_KEPT],
        "peak_mib": _peak_mib() - held,
    }


def _clean(content: bytes) -> bytes:
    """The text as formats get it: UTF-8, without NUL, its lines ended by `\\n`."""
    return b"".join(CleanText(io.BytesIO(content), Encoding("utf-8"), USUAL.line_bytes).pieces())


def _lost(before: dict[str, list[int]], after: dict[str, list[int]], untouched: int, number: int) -> Iterator[str]:
    """Records that end before the first line that was touched, but for the last, which what follows may belong to."""
    for table, lines in before.items():
        expected = [line for line in lines if line <= untouched][:-1]
        if after.get(table, [])[: len(expected)] != expected:
            yield f"mutant {number}: rows of {table} before line {untouched + 1}, the first touched, are not those"


def _batches_by_table(read_as: Format, part: Range, warnings: list[str]) -> dict[str, list[int]]:
    lines: dict[str, list[int]] = {}
    for table, some in _batches(read_as, part, warnings):
        lines.setdefault(table, []).extend(some)
    return lines


def _batches(read_as: Format, part: Range, warnings: list[str]) -> Iterator[tuple[str, list[int]]]:
    """The tables of the rows, each with the last line of each row, 0 where it has none."""
    for given in read_as.read(part):
        if isinstance(given, Coverage):
            warnings += given.warnings
            continue
        batch, _ = row_batch(given, 0, 0, None)
        yield given.table, batch.column("last_line").fill_null(0).to_pylist()


def _whole(path: Path) -> Range:
    size = path.stat().st_size
    return Range(0, path.name, str(path), 0, size, size)


def _forget_peak() -> float:
    """The peak of this process's memory counts from here; gives what it holds now in MiB."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status_mib("VmRSS")


def _peak_mib() -> float:
    return _status_mib("VmHWM")


def _status_mib(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) / 1024 if found else 0.0


def main(folder: Path) -> None:
    """Answers each line of the input; what else is printed goes to the error output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        if "read" in asked:
            answer = read(Path(asked["read"]), asked["as"])
        else:
            answer = fuzz(asked["fuzz"], asked["seed"], asked["mutants"], folder)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
