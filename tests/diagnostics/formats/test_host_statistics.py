"""Statistics of hosts beyond their samples: several runs in a file, dates of two meanings, and a real file of `top`."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS
from diagnostics.formats.sysstat import day_of
from diagnostics.formats.top import IDLE_AT_START
from tests.diagnostics.formats.reading_aids import read, read_path

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"

VMSTAT = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 9  0      0   1000      0   1000    0    0     0     0    0    0 50 50  0  0  0
 1  0      0   1000      0   1000    0    0     0     0    0    0  {user}  0 99  0  0
"""


def test_each_run_of_vmstat_begins_with_a_mean_since_the_start_that_does_not_count(tmp_path: Path) -> None:
    text = f"1795222800\n{VMSTAT.format(user=1)}1795222860\n{VMSTAT.format(user=2)}"
    found = read(FORMATS["vmstat"], text, tmp_path)
    users = [(row["ts_ms"], row["value"]) for row in found.rows["host_sample"] if row["metric"] == "user_percent"]
    assert users == [(1795222800000, 1.0), (1795222860000, 2.0)]
    assert found.records == 4
    assert "mean since the machine started" in found.warnings[0]


@pytest.mark.parametrize(
    ("printed", "day"),
    [
        ("2026-11-21", "2026-11-21"),
        ("11/21/2026", "2026-11-21"),
        ("11/21/26", "2026-11-21"),
        ("21/11/26", "2026-11-21"),
        ("21.11.2026", "2026-11-21"),
        ("05/06/26", None),
    ],
)
def test_a_date_is_read_when_day_and_month_are_unambiguous(printed: str, day: str | None) -> None:
    assert day_of(printed) == day


def test_a_report_without_a_readable_date_has_no_time_and_says_so(tmp_path: Path) -> None:
    text = "".join(FORMATS["sysstat"].samples[1].text).replace("11/21/2026", "05/06/26")
    found = read(FORMATS["sysstat"], text, tmp_path)
    assert {row["ts_ms"] for row in found.rows["host_sample"]} == {None}
    assert "day from the month" in found.warnings[0]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_every_look_of_a_real_top_has_its_cpu_and_its_time() -> None:
    """Looks counted with `grep -c '^top - '`."""
    path = CORPUS / "slow_dimension_join-a" / "host" / "top-threads.txt"
    found = read_path(FORMATS["top"], path, "top.txt")
    looks = path.read_text().count("\ntop - ") + path.read_text().startswith("top - ")
    idle = [row for row in found.rows["host_sample"] if row["metric"] == IDLE_AT_START]
    assert (found.records, len(idle), found.coverage[0].not_understood) == (looks, looks, 0)
    assert None not in {row["ts_ms"] for row in idle}


def test_a_run_of_top_measures_idle_time_from_its_second_screen_on(tmp_path: Path) -> None:
    text = "".join(FORMATS["top"].samples[0].text)
    screen = text.partition("\n")[2].replace("0.0 id", "42.0 id")
    found = read(FORMATS["top"], text + screen + screen, tmp_path)
    idle = [(row["metric"], row["value"]) for row in found.rows["host_sample"] if "idle" in row["metric"]]
    assert idle == [(IDLE_AT_START, 0.0), ("idle_percent", 42.0), ("idle_percent", 42.0)]


BPFTRACE = """\
Attaching 2 probes...
@empty:

@lag:
(..., 0)               1 |@                                                   |
[0]                    2 |@@                                                  |
[8, 16)                1 |@                                                   |

@io: count 4, average 250, total 1000

@[
    vfs_fsync+1
,
    fsync+12 (/lib/libc.so)
    java.io.FileDescriptor.sync+9
]: 3
@[
    cut off
@left: 7
what is this
"""


def test_of_bpftraces_maps_each_kind_is_read_and_a_cut_off_stack_is_not(tmp_path: Path) -> None:
    found = read(FORMATS["bpftrace"], BPFTRACE, tmp_path)
    told = [(row["metric"], row.get("quantile"), row["value"]) for row in found.rows["host_sample"]]
    assert told == [
        ("@lag count", None, 4.0),
        ("@lag", 0.5, 0.0),
        ("@lag", 0.9, 16.0),
        ("@lag", 0.99, 16.0),
        ("@io count", None, 4.0),
        ("@io average", None, 250.0),
    ]
    (stack,) = found.rows["stack_sample"]
    assert (stack["frames"], stack["weight"]) == (["java.io.FileDescriptor.sync", "fsync", "vfs_fsync"], 3.0)
    assert found.coverage[0].not_understood == 2
