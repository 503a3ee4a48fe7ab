"""RocksDB's log beyond its sample, and the public ones of the corpus where it is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read, read_path

ROCKSDB = FORMATS["rocksdb-log"]
PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "public" / "rocksdb-log"
BEGIN = "2026/11/21-01:53:41.042445 7f8e139ff6c0 RocksDB version: 8.10.0\n"
TIME = "2026/11/21-01:57:46.000000 140249183 "


@pytest.mark.parametrize(
    ("message", "event", "value"),
    [
        ("Stalling writes because we have 20 level-0 files rate 16777216", "rocks.stall.slow.l0", ("count", 20.0)),
        (
            "Stopping writes because of estimated pending compaction bytes 274877906945",
            "rocks.stall.stop.pending",
            ("size_bytes", 274877906945.0),
        ),
        ("[JOB 3] Compaction error: IO error: No space", "rocks.compact.error", ("reason", "IO error: No space")),
    ],
)
def test_a_warning_becomes_a_record_with_its_event(
    message: str, event: str, value: tuple[str, object], tmp_path: Path
) -> None:
    text = f"{BEGIN}{TIME}[WARN] [db/column_family.cc:932] [default] {message}\n"
    (record,) = read(ROCKSDB, text, tmp_path).rows["log_record"]
    assert (record["event"], record["logger"], record[value[0]]) == (event, "column_family.cc", value[1])


def test_the_name_of_a_relocated_log_shows_the_subtask_where_the_content_does_not(tmp_path: Path) -> None:
    name = f"data_tmp_job_{'a' * 32}_op_WindowOperator_{'b' * 32}__3_4__uuid_acf1ef02_db_LOG"
    text = f"{BEGIN}{TIME}[WARN] [db/x.cc:1] [default] Stopping writes because we have 36 level-0 files\n"
    (record,) = read(ROCKSDB, text, tmp_path, name).rows["log_record"]
    assert (record["job_id"], record["subtask"], record.get("task_manager")) == ("a" * 32, 2, None)


def test_a_dump_of_statistics_shows_how_long_writers_stood_still(tmp_path: Path) -> None:
    text = (
        f"{BEGIN}{TIME}[db/db_impl/db_impl.cc:1109] ------- DUMPING STATS -------\n"
        "** DB Stats **\nUptime(secs): 600.0 total, 600.0 interval\n"
        "Cumulative stall: 00:01:30.500 H:M:S, 15.1 percent\n"
        "Interval stall: 00:00:30.000 H:M:S, 5.0 percent\n"
    )
    found = read(ROCKSDB, text, tmp_path)
    assert [(row["metric"], row["value"]) for row in found.rows["metric_sample"]] == [
        ("rocksdb.stall_micros", 90_500_000.0),
        ("rocksdb.log.stall_percent", 5.0),
    ]
    assert found.coverage[0].not_understood == 0


@pytest.mark.parametrize("event", ["{", '{"time_micros": "x", "event": "y"}', "[1]", '{"event": {}}', "{" * 50_000])
def test_an_event_that_is_broken_is_counted_as_not_understood(event: str, tmp_path: Path) -> None:
    found = read(ROCKSDB, f"{BEGIN}{TIME}EVENT_LOG_v1 {event}\n", tmp_path)
    assert found.coverage[0].not_understood == 1


def test_lines_before_the_first_time_are_not_understood(tmp_path: Path) -> None:
    assert read(ROCKSDB, f"something else\n{BEGIN}", tmp_path).coverage[0].not_understood == 1


@pytest.mark.parametrize("text", ["2026/11/21 something of 2026/11/21\n", "Options.a: 1\n", "x.cc:7\n"])
def test_other_texts_are_not_taken_for_it(text: str) -> None:
    assert recognise(head_of(text)).format_id != ROCKSDB.id


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize(
    ("name", "flushes", "compactions"),
    [("LOG.before", 4, 0), ("LOG.custom_no_cache_metrics", 58, 14), ("LOG.orig_repro_metrics", 34, 8)],
)
def test_public_logs_have_the_flushes_and_compactions_that_their_collection_states(
    name: str, flushes: int, compactions: int
) -> None:
    """Counts of `public/SOURCES.csv`, which says of all three: no write stall."""
    found = read_path(ROCKSDB, PUBLIC / name, name)
    metrics = Counter(row["metric"] for row in found.rows["metric_sample"])
    assert (metrics["rocksdb.log.flush_ms"], metrics["rocksdb.log.compaction_ms"]) == (flushes, compactions)
    assert found.coverage[0].not_understood == 0
    assert not [row for row in found.rows["log_record"] if str(row.get("event")).startswith("rocks.stall")]
