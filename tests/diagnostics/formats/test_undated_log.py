"""Logs whose lines have a clock and no date: which day they are of, and past midnight."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.evidence.rows import Rows
from diagnostics.formats.flink_log import FORMAT
from diagnostics.notation.file_range import Range
from tests.diagnostics.formats.log_lines import COORDINATOR, JOB
from tests.diagnostics.formats.reading_aids import read, read_path

PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "public"

CLOCKS = (
    "23:59:59.000 [Map [x] (1/2)#0] INFO  a.B - first\n"
    "java.io.IOException: gone\n"
    "23:59:58.900 [main] INFO  a.B - a little disorder\n"
    "00:00:01.000 [main] INFO  a.B - next day\n"
)


@pytest.mark.parametrize(
    ("name", "before"),
    [("logs/app-2026-11-21.log", ""), ("app.20261121.log", ""), ("app.log", "2026-11-21 23:59:00 started by cron\n")],
)
def test_times_without_a_date_take_the_day_of_name_or_content_and_go_past_midnight(
    name: str, before: str, tmp_path: Path
) -> None:
    found = read(FORMAT, before + CLOCKS, tmp_path, name)
    first, second, third = [each for each in found.rows["log_record"] if each["level"]]
    assert first["thread"] == "Map [x] (1/2)#0"
    assert first["ts_ms"] == 1_795_305_599_000
    assert second["ts_ms"] == first["ts_ms"] - 100
    assert third["ts_ms"] == first["ts_ms"] + 2_000
    assert "2026-11-21" in found.warnings[0]


def test_the_trigger_time_of_a_checkpoint_gives_the_day_before_the_name(tmp_path: Path) -> None:
    said = f"Triggering checkpoint 1 (type=CHECKPOINT) @ 1795305599000 for job {JOB}."
    text = f"23:59:00.000 [main] INFO  a.B - one\n23:59:59.000 [main] INFO  {COORDINATOR} - {said}\n"
    found = read(FORMAT, text, tmp_path, "collected-2026-12-24.log")
    assert [each["ts_ms"] for each in found.rows["log_record"]] == [1_795_305_540_000, 1_795_305_599_000]


def test_records_of_an_unknown_day_have_no_time_and_a_warning(tmp_path: Path) -> None:
    found = read(FORMAT, CLOCKS, tmp_path, "app.log")
    assert {each["ts_ms"] for each in found.rows["log_record"]} == {None}
    assert "no date" in found.warnings[0]


def test_a_range_knows_the_midnights_before_it(tmp_path: Path) -> None:
    path = tmp_path / "app-2026-11-21.log"
    early = "".join(f"{hour:02}:00:00.000 [main] INFO  a.B - {'x' * 5_000}\n" for hour in range(24)) * 3
    path.write_text(early + "01:00:00.000 [main] INFO  a.B - the fourth day\n")
    size = path.stat().st_size
    (given, _) = FORMAT.read(Range(0, path.name, str(path), len(early), size, size))
    assert isinstance(given, Rows)
    assert given.batch is not None
    assert given.batch.to_pylist()[0]["ts_ms"] == 1_795_219_200_000 + 3 * 86_400_000 + 3_600_000


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize(
    ("name", "records"), [("flink-2022-11-20_09", 37), ("flink-2022-11-24_11", 10), ("flink-2022-11-25_21", 183)]
)
def test_public_logs_without_dates_have_as_many_records_as_lines_that_begin_with_a_clock(
    name: str, records: int
) -> None:
    """Counted with `grep -cE '^[0-9:.]{12} '`."""
    found = read_path(FORMAT, PUBLIC / "minicluster" / f"{name}.log", f"{name}.log")
    assert len(found.rows["log_record"]) == records
    assert found.coverage[0].not_understood == 0
