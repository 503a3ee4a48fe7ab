"""The public collection of the corpus: every file is read, or reported as no evidence; numbers as counted by other
tools.

The numbers come from the tests of the projects that the files are from: pauses from those of GCViewer and GCToolKit.
`test_profiles.py` compares stacks with FlameGraph's and speedscope's own results, stack by stack.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.rows import Coverage
from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile, unpack
from diagnostics.notation.file_range import Range

PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "public"
pytestmark = pytest.mark.skipif(not PUBLIC.is_dir(), reason="the corpus is not here")

NO_EVIDENCE = {
    "checkpoint-experiment/detailed_metrics.log": "a script's own dictionaries, most numbers 0 for not collected",
    "checkpoint-experiment/experiment_metrics_detailed.csv": "the same as a table",
    "checkpoint-experiment/system_metrics.log": "docker's numbers in a script's own layout",
    "gcviewer/SampleOpenJdk1_8_0ShenandoahDetailsShutdown.txt": "the end of a run, no collection; GCViewer reads 0",
}
"""Files that no format claims, and why."""

WITHOUT_A_COLLECTION = ("gcviewer/SampleShenandoahPassiveHeuristics.txt", "gcviewer/SampleSun1_8_0RollingLogfile.txt")
"""Logs of a start: they tell settings. GCViewer's tests find no collection in them either."""

READ_ELSEWHERE = ("speedscope/heavy.jfr",)
"""Reading it takes a JVM; `test_flight_recording.py` does."""


@dataclass
class ReadFile:
    """What one file gave: its format, what its reader understood, and its rows where the tests compare them."""

    format_id: str | None
    records: int = 0
    not_understood: int = 0
    warnings: list[str] = field(default_factory=list)
    pauses: list[Mapping[str, Any]] = field(default_factory=list)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ReadFile]:
    """Every listed file, unpacked, recognised and read as an upload would be."""
    with (PUBLIC / "SOURCES.csv").open(newline="") as opened:
        listed = [row["file"] for row in csv.DictReader(opened)]
    intake = unpack([SourceFile(PUBLIC / name, name) for name in listed], tmp_path_factory.mktemp("public"))
    found = {}
    for entry in intake.inputs:
        read = found[entry.name] = ReadFile(entry.format_id, warnings=[entry.error] if entry.error else [])
        if entry.path is None or entry.format_id is None or entry.name in READ_ELSEWHERE:
            continue
        size = entry.path.stat().st_size
        try:
            for part in FORMATS[entry.format_id].read(Range(0, entry.name, str(entry.path), 0, size, size)):
                if isinstance(part, Coverage):
                    read.records += part.records
                    read.not_understood += part.not_understood
                    read.warnings += part.warnings
                elif part.table == "gc_pause":
                    read.pauses += part.batch.to_pylist() if part.batch is not None else part.rows
        except Exception as error:
            read.warnings.append(f"{type(error).__name__}: {error}")
    return found


def test_every_file_is_read_or_said_to_be_no_evidence(files: Mapping[str, ReadFile]) -> None:
    unread = {
        name: (each.format_id, each.warnings)
        for name, each in files.items()
        if not each.records and name not in (*NO_EVIDENCE, *READ_ELSEWHERE, *WITHOUT_A_COLLECTION)
    }
    assert unread == {}
    assert {name for name, each in files.items() if each.format_id is None} == set(NO_EVIDENCE)


def test_hostile_values_make_no_reader_fail(files: Mapping[str, ReadFile]) -> None:
    assert [name for name, each in files.items() if any("Error: " in told for told in each.warnings)] == []


@pytest.mark.parametrize(
    ("name", "kinds", "seconds"),
    [
        ("SampleOpenJdk1_8_0-332.txt", "all", 0.197536),
        ("SampleShenandoahAllocationFailure.txt", "full", 14.289335),
        ("SampleSun1_6_0G1FullGcTenuringDistribution.txt", "full", 37.0629320),
        ("SampleSun1_6_0G1InitialMarkMixed.txt", "all", 0.03643900),
        ("SampleSun1_6_0G1_Detailed-mixedLine2.txt", "all", 0.00430038),
        ("SampleSun1_6_0G1_Detailed-mixedLine3.txt", "all", 0.00178520),
        ("SampleSun1_6_0G1_Detailed-young.txt", "all", 0.00594747),
        ("SampleSun1_6_0G1_MarkStackFull.txt", "all", 0.08032150),
        ("SampleSun1_6_0G1_PrintHeapAtGC.txt", "all", 0.00582962 + 0.00228253),
        ("SampleSun1_6_0G1_gc_verbose.txt", "all", 62.616796),
        ("SampleSun1_6_0G1_partial_initialMarkToSpaceOverflow.txt", "all", 0.00588343),
        ("SampleSun1_6_0G1_partial_toSpaceOverflow.txt", "all", 0.00271976),
        ("SampleSun1_6_0G1_young_toSpaceOverflow.txt", "all", 0.04674512),
        ("SampleSun1_7_0CMSTenuringDistributionInitiationStatistics.txt", "all", 21.5649460),
        ("SampleSun1_7_0G1_DateStamp_Detailed-mixedLine1.txt", "all", 0.28645100),
        ("SampleSun1_8_0G1PrintGCCausePrintTenuringDistribution.txt", "all", 16.7578613),
    ],
)
def test_pauses_are_as_long_in_all_as_gcviewers_tests_say(
    name: str, kinds: str, seconds: float, files: Mapping[str, ReadFile]
) -> None:
    stopped = [row for row in files[f"gcviewer/{name}"].pauses if row["kind"] != "concurrent"]
    counted = [row["pause_ms"] for row in stopped if kinds == "all" or row["kind"] == kinds]
    assert sum(counted) / 1000 == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "young", "full"), [("parallelgc.log.gz", 4638, 28), ("factorization-serialgc-tip.log", 13, 4)]
)
def test_collections_are_as_many_as_gctoolkits_tests_say(
    name: str, young: int, full: int, files: Mapping[str, ReadFile]
) -> None:
    read = next(each for path, each in files.items() if path.startswith(f"gctoolkit/{name.removesuffix('.gz')}"))
    assert Counter(row["kind"] for row in read.pauses) == {"young": young, "full": full}
