"""Lines of metrics in their usual layout are read by column, and give what each of them gives by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS
from diagnostics.formats.influxdb_lines import QUANTILES, VALUES
from diagnostics.notation import influx_columns, statsd_columns, text_cuts
from diagnostics.notation.influx_columns import FieldColumns
from diagnostics.notation.statsd_columns import ValueColumns
from diagnostics.notation.text_cuts import TextCuts
from tests.diagnostics.formats.reading_aids import Read, read

HEAP = "vm.taskmanager.tm-1.Status.JVM.Memory.Heap.Used"
STATSD = (
    f"{HEAP}:1024|g",
    f"1795222801 {HEAP}:-1.5|c",
    f"2026-11-21T01:00:05.123Z {HEAP}:3|ms",
    "10.0.0.1.taskmanager.tm-1.orders.Window -> Sink_ out.2.busyTimeMsPerSecond:998|g\r",
    "vm.taskmanager.tm-1.订单.Window.2.numRecordsInPerSecond.rate:4e2|h",
    "host.of.another.system:7|g",
)
STATSD_OTHERS = (
    "2026-11-21T01:00:00Z",
    "# 1795222900",
    "",
    f"  {HEAP}:5|g",
    f"{HEAP}:5|g|@0.1",
    f"{HEAP}:1.2.3|g",
    f"{HEAP}:|g",
    f"{HEAP}:5|x",
    f"1795222801 {HEAP}:a:5|g",
    "nonsense",
    f"{HEAP}\t:6|g",
)
TASK = "taskmanager_job_task_"
INFLUX = (
    f"{TASK}busyTimeMsPerSecond,host=tm-1,task_name=Window(5\\ s)\\,\\ Sink value=998.5 1795222136000000000",
    f"{TASK}numRecordsInPerSecond,host=tm-1 count=120i,rate=4.5 1795222136000",
    f"{TASK}mailboxLatencyMs,subtask_index=0 count=9i,max=7,p50=2,p50=3,p99=6.5u 1795222136",
    "jobmanager_job_numRestarts,job_name=订单 value=3i",
    f"{TASK}x,k=a\\=b value=-1e3 -5\r",
    "cpu,host=a value=1",
)
INFLUX_OTHERS = (
    "# DML",
    "",
    f"{TASK}x value=true",
    f'{TASK}x name="a b, c",value=5 1795222136',
    f"{TASK}x\\\\ value=5",
    f"{TASK}x val\\ue=5",
    f'{TASK}x value="5"',
    f"{TASK}x value=5 9999999999999999999",
    f"{TASK}x value=five",
    "nonsense",
    f"{TASK}x",
)
LAYOUTS = [
    pytest.param("statsd-lines", STATSD, STATSD_OTHERS, id="statsd"),
    pytest.param("influxdb-lines", INFLUX, INFLUX_OTHERS, id="influxdb"),
]


def others_of(format_id: str, lines: tuple[str, ...]) -> list[str]:
    """The lines that are not read by column."""
    text = TextCuts.of("\n".join(lines).encode())
    of = {
        "statsd-lines": lambda: ValueColumns.of(text, 2_000).others,
        "influxdb-lines": lambda: FieldColumns.of(text, 20_000, tuple(QUANTILES), VALUES).others,
    }
    return [lines[place] for place in of[format_id]()]


def mixed(usual: tuple[str, ...], others: tuple[str, ...], turn: int) -> str:
    return "\n".join((*usual[:3], *others[turn:], *usual, *others[:turn], *usual[2:])) + "\n"


def comparable(found: Read) -> tuple[list[str], list[str]]:
    return sorted(map(repr, found.rows.get("metric_sample", []))), sorted(map(repr, found.coverage))


@pytest.mark.parametrize(("format_id", "usual", "others"), LAYOUTS)
def test_usual_lines_are_read_by_column_and_others_are_not(
    format_id: str, usual: tuple[str, ...], others: tuple[str, ...]
) -> None:
    assert others_of(format_id, usual) == []
    assert others_of(format_id, others) == [line for line in others if line]


@pytest.mark.parametrize("turn", range(11))
@pytest.mark.parametrize(("format_id", "usual", "others"), LAYOUTS)
def test_lines_give_by_column_what_they_give_one_by_one(
    format_id: str,
    usual: tuple[str, ...],
    others: tuple[str, ...],
    turn: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = mixed(usual, others, turn)
    by_column = read(FORMATS[format_id], text, tmp_path)
    monkeypatch.setattr(statsd_columns, "MOST_NUMBER", 0)
    monkeypatch.setattr(influx_columns, "MOST_NUMBER", 0)
    assert len(others_of(format_id, usual)) == len(usual)
    assert comparable(read(FORMATS[format_id], text, tmp_path)) == comparable(by_column)
    assert by_column.records >= 2 * len(usual)


@pytest.mark.parametrize("block_bytes", [1, 60, 200, 700])
@pytest.mark.parametrize(("format_id", "usual", "others"), LAYOUTS)
def test_lines_give_the_same_however_they_are_put_into_blocks(
    format_id: str,
    usual: tuple[str, ...],
    others: tuple[str, ...],
    block_bytes: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = mixed(usual, others, 4)
    whole = read(FORMATS[format_id], text, tmp_path)
    monkeypatch.setattr(text_cuts, "ARRAY_BYTES", block_bytes)
    assert comparable(read(FORMATS[format_id], text, tmp_path)) == comparable(whole)


def test_samples_of_one_line_after_another_stay_in_the_order_of_their_lines(tmp_path: Path) -> None:
    found = read(FORMATS["influxdb-lines"], mixed(INFLUX, INFLUX_OTHERS, 0), tmp_path)
    lines = [row["line"] for row in found.rows["metric_sample"]]
    assert lines == sorted(lines)
