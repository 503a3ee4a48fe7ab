"""Logs from the file to the document, beside searches for the same events: sizes, packings, cores, cold and warm.

    make bench PARTS=logs SIZES=50,500,2000 CORES=1,2 ROUNDS=3

Two kinds of log: `realistic` has the mix of real ones, `synthetic` seven shapes of lines, most of them events. A
round is one analysis and one run of each peer, one after the other, so that a busy moment hits all of them. `cold` is
the first analysis of a server that has only been started and not warmed. Memory is that of one more analysis: looking
at it takes processor time. Medians; `x` is a ratio of medians.
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from diagnostics.analyze import analyze
from diagnostics.intake import sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark import embedded
from tests.benchmarks.peers import Cost, search_peers
from tests.benchmarks.process_tree import Peak, cpu_seconds, on_cores
from tests.benchmarks.realistic_log import write_realistic_log
from tests.benchmarks.synthetic_log import write_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MB = 1_000_000
ROTATED = 200
MOST_PACKED_MB = 500
"""Larger logs are measured plain only: a gz of 2 GB takes minutes to make and shows nothing new."""


@dataclass
class Measured:
    """One input on so many cores."""

    cold: float = 0.0
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_bytes: int = 0
    stages: Mapping[str, int] = field(default_factory=dict)
    peers: dict[str, list[Cost]] = field(default_factory=dict)


def report(sizes_mb: Sequence[int], cores: Sequence[int], rounds: int) -> None:
    """Prints a row for each size, packing and number of cores."""
    with tempfile.TemporaryDirectory(prefix="log-pipeline-") as place:
        folder = Path(place)
        peers = search_peers(folder)
        named = "".join(f"{name:>17}" for name in peers)
        print(
            f"{'log':22} {'cores':>5} {'cold s':>7} {'warm s':>7} {'MB/s':>6} {'CPU s':>6} {'peak MB':>7}{named}"
            "   stages in ms",
            flush=True,
        )
        for size in sizes_mb:
            for name, files in _inputs(folder / str(size), size).items():
                for count in cores:
                    with on_cores(count):
                        found = _measured(files, folder, rounds)
                    _print(f"{size} MB {name}", count, size, found, list(peers))
            shutil.rmtree(folder / str(size))


def _inputs(folder: Path, size_mb: int) -> dict[str, list[Path]]:
    """Both kinds of log as one file, and the realistic one as its gz and as a rotated set."""
    folder.mkdir()
    inputs = {}
    for kind, write in (("synthetic", write_log), ("realistic", write_realistic_log)):
        plain = folder / kind / "taskmanager.log"
        plain.parent.mkdir()
        write(plain, size_mb * MB)
        inputs[kind] = [plain]
    if size_mb <= MOST_PACKED_MB:
        packed = folder / "gz" / "taskmanager.log.gz"
        packed.parent.mkdir()
        with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=6) as target:
            shutil.copyfileobj(source, target)
        inputs |= {"gz": [packed], f"in {ROTATED} files": _rotated(plain, folder / "rotated")}
    return inputs


def _rotated(plain: Path, folder: Path) -> list[Path]:
    """The log cut at line starts; `.1` is the newest before the one that is written."""
    folder.mkdir()
    part, files = plain.stat().st_size // ROTATED + 1, []
    with plain.open("rb") as source:
        for number in range(ROTATED - 1, -1, -1):
            files.append(folder / (f"taskmanager.log.{number}" if number else "taskmanager.log"))
            files[-1].write_bytes(source.read(part) + source.readline())
    return files


def _measured(files: list[Path], folder: Path, rounds: int) -> Measured:
    found = Measured()
    peers = search_peers(folder)
    if files[0].suffix == ".gz":
        peers.pop("grep -F", None)  # it does not unpack
    with embedded() as spark:
        found.cold = _analyse(spark, files, folder, found)
        _analyse(spark, files, folder, found)
        found.cpu.clear()
        with Peak() as peak:
            _analyse(spark, files, folder, found)
        found.peak_bytes = peak.bytes
        found.cpu.clear()
        for _ in range(rounds):
            found.seconds.append(_analyse(spark, files, folder, found))
            for name, search in peers.items():
                found.peers.setdefault(name, []).append(search(files))
    return found


def _analyse(spark: SparkSession, files: list[Path], folder: Path, found: Measured) -> float:
    """Seconds of one analysis; what else it took goes to `found`."""
    sources, _ = sources_in([files[0].parent])
    with tempfile.TemporaryDirectory(dir=folder) as workspace:
        rules = Ruleset.of(shipped_rules())
        used, began = cpu_seconds(), time.monotonic()
        outcome = analyze(Case(sources), ruleset=rules, spark=spark, workspace=Path(workspace))
        seconds = time.monotonic() - began
        found.cpu.append(cpu_seconds() - used)
    found.stages = outcome.stage_ms
    return seconds


def _print(name: str, cores: int, size_mb: int, found: Measured, columns: Sequence[str]) -> None:
    own = statistics.median(found.seconds)
    beside = ""
    for peer in columns:
        costs = found.peers.get(peer)
        if not costs:
            beside += f"{'-':>17}"
            continue
        seconds = statistics.median(each.seconds for each in costs)
        beside += f"{seconds:8.2f} ({own / seconds:5.2f}x)" if seconds else f"{seconds:17.2f}"
    stages = " ".join(f"{stage.removesuffix('_ms')} {value}" for stage, value in found.stages.items())
    print(
        f"{name:22} {cores:>5} {found.cold:7.2f} {own:7.2f} {size_mb / own:6.1f} {statistics.median(found.cpu):6.1f} "
        f"{found.peak_bytes / MB:7.0f} {beside}   {stages}",
        flush=True,
    )
