"""The log reader alone, on one core and without Spark: megabytes for each CPU second, beside a search for constants."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from itertools import pairwise
from pathlib import Path

from diagnostics.evidence.rows import Coverage
from diagnostics.formats.flink_log import FORMAT
from diagnostics.notation.file_range import Range
from diagnostics.notation.log_event import catalogue

MB = 1_000_000
RANGE_BYTES = 16 * MB


def scan(source: Path) -> tuple[float, int]:
    """CPU seconds of reading every record of the file, range by range, and how many there were."""
    size = source.stat().st_size
    cuts = [*range(0, size, RANGE_BYTES), size]
    began, records = time.process_time(), 0
    for start, end in pairwise(cuts):
        for given in FORMAT.read(Range(0, source.name, str(source), start, end, size)):
            records += given.records if isinstance(given, Coverage) else 0
    return time.process_time() - began, records


def peer(source: Path, folder: Path) -> tuple[str, float] | None:
    """CPU seconds of a search for the constants of all events: ripgrep on one thread, else grep; None without both."""
    program = shutil.which("rg") or shutil.which("grep")
    if not program:
        return None
    words = folder / "constants.txt"
    words.write_text("\n".join(constant for event in catalogue() for constant in event.constants) + "\n", "utf-8")
    options = ["-j1"] if program.endswith("rg") else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [program, "-c", "-F", *options, "-f", str(words), str(source)],
        stdout=subprocess.PIPE,  # grep stops at its first match when it writes to nothing
        check=False,
        env=os.environ | {"LC_ALL": "C"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Path(program).name, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(source: Path, folder: Path) -> None:
    """Prints one row."""
    scan(source)
    used, records = scan(source)
    size = source.stat().st_size / MB
    other = peer(source, folder)
    said = f"{other[0]} -F for the constants {size / other[1]:.0f} MB/s" if other else "no rg, no grep"
    print(f"{source.name:38} scan on one core {size / used:7.1f} MB/s, {records:,} records; {said}", flush=True)
