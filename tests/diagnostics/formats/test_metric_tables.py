"""Samples of metrics in tables: exports of a Prometheus store as CSV and Parquet, of a Grafana panel, of promtool."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from diagnostics.formats import FORMATS, metric_csv, recognise
from diagnostics.notation import text_cuts
from diagnostics.notation.metric_table import MetricTable
from tests.diagnostics.formats.reading_aids import head_of, read

if TYPE_CHECKING:
    from pathlib import Path

BUSY = "flink_taskmanager_job_task_busyTimeMsPerSecond"
AT = 1_795_222_048_675
CSV, PARQUET = FORMATS["metric-csv"], FORMATS["event-parquet"]


def as_parquet(rows: list[dict[str, Any]], schema: pa.Schema | None = None) -> bytes:
    written = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), written)
    return written.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("names", ["timestamp,__name__,subtask_index,value", "Time,metric,subtask_index,Value"])
def test_a_sample_a_line_in_each_spelling(names: str, separator: str, tmp_path: Path) -> None:
    text = f"{names}\n{AT},{BUSY},3,998.5\n".replace(",", separator)
    assert recognise(head_of(text)).format_id == CSV.id
    (sample,) = read(CSV, text, tmp_path).rows["metric_sample"]
    assert (sample["ts_ms"], sample["subtask"], sample["value"], sample["line"]) == (AT, 3, 998.5, 2)


@pytest.mark.parametrize("labels", ['{subtask_index="3"}', '{"subtask_index": "3"}'])
def test_labels_may_stand_in_one_column(labels: str, tmp_path: Path) -> None:
    quoted = '"' + labels.replace('"', '""') + '"'
    (sample,) = read(CSV, f"ts,name,labels,value\n{AT},{BUSY},{quoted},1\n", tmp_path).rows["metric_sample"]
    assert (sample["subtask"], sample["labels"]) == (3, None)


def test_rows_without_number_or_time_and_foreign_ones_are_reported(tmp_path: Path) -> None:
    text = f"time,__name__,value\n2026-11-21 01:00:00,{BUSY},1\nnever,{BUSY},1\n{AT},{BUSY},12 ms\n{AT},node_load1,1\n"
    found = read(CSV, text, tmp_path)
    (coverage,) = found.coverage
    assert (coverage.records, coverage.not_understood) == (1, 2)
    assert [line for line, _ in coverage.samples] == [3, 4]
    assert any("read as UTC" in each for each in found.warnings)
    assert any("1 samples are not Flink's" in each for each in found.warnings)


@pytest.mark.parametrize(
    "text",
    [
        "timestamp,device_id,value\n1795222048675,a,1\n",
        f"notes about {BUSY}, and more\nof it, too\n",
        f"time,__name__,value\n1,{BUSY.replace('flink', 'other')},1\n",
    ],
)
def test_other_tables_are_not_taken_for_metrics(text: str) -> None:
    assert recognise(head_of(text)).format_id != CSV.id


def test_a_line_that_never_ends_and_quotes_that_never_close_harm_nothing(tmp_path: Path) -> None:
    text = f'time,__name__,value\n{AT},{BUSY},1\n{AT},"{"x" * 300_000}\n{AT},{BUSY},2\n'
    found = read(CSV, text, tmp_path)
    assert [each["value"] for each in found.rows["metric_sample"]] == [1.0, 2.0]


def test_metrics_in_parquet_are_distinguished_from_events(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            ("timestamp", pa.timestamp("ms", "UTC")),
            ("metric", pa.string()),
            ("labels", pa.map_(pa.string(), pa.string())),
            ("value", pa.float64()),
        ]
    )
    labels = [("subtask_index", "3"), ("job_name", "orders")]
    rows = [{"timestamp": AT + place, "metric": BUSY, "labels": labels, "value": float(place)} for place in range(3)]
    found = read(PARQUET, as_parquet(rows, schema), tmp_path).rows
    assert set(found) == {"metric_sample"}
    samples = found["metric_sample"]
    assert [(each["ts_ms"], each["value"]) for each in samples] == [(AT, 0.0), (AT + 1, 1.0), (AT + 2, 2.0)]
    assert {(each["subtask"], each["job_name"], each["line"]) for each in samples} == {(3, "orders", None)}


def test_labels_of_parquet_may_be_columns(tmp_path: Path) -> None:
    row = {"ts": AT, "__name__": BUSY, "subtask_index": "3", "instance": "a:1", "value": 7}
    (sample,) = read(PARQUET, as_parquet([row]), tmp_path).rows["metric_sample"]
    assert (sample["subtask"], sample["value"], sample["labels"]) == (3, 7.0, None)


def test_a_dump_of_promtool_has_the_name_among_the_labels(tmp_path: Path) -> None:
    text = f'{{__name__="{BUSY}", instance="a:1", subtask_index="3"}} 998 {AT}\n' * 2
    assert recognise(head_of(text)).format_id == "prometheus-text"
    first, _ = read(FORMATS["prometheus-text"], text, tmp_path).rows["metric_sample"]
    assert (first["ts_ms"], first["subtask"], first["value"]) == (AT, 3, 998.0)


ROWS = (
    f'1795222048.675,{BUSY},"a, b",3,998.5',
    f"1795222048675,{BUSY},a b,3,NaN",
    f'2026-11-21T01:00:00.250Z,{BUSY},"say ""yes""",1,1e3',
    f"2026-11-21 01:00:00,{BUSY},a,0,7",
    "1795222048675,node_load1,,,1",
    f"1795222048675,{BUSY},a,2,",
    f"1795222048675,{BUSY},a,2,12 ms",
    f"1795222048675,{BUSY},a,2,1_0",
    f"never,{BUSY},a,2,1",
    f"1795222048675,{BUSY},a,2",
    "",
    "sep=,",
    f"1795222048675,{BUSY},a,2,1\r",
    f"1795222048675,{BUSY},a,2,5 ",
)


@pytest.mark.parametrize("block_bytes", [1, 150, 4_194_304])
@pytest.mark.parametrize("turn", range(len(ROWS)))
def test_rows_give_by_column_what_they_give_one_by_one(
    turn: int, block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("time,__name__,task_name,subtask_index,value", *ROWS[turn:], *ROWS[:turn], *ROWS[:4] * 2)
    text = "\n".join(lines) + "\n"
    monkeypatch.setattr(text_cuts, "ARRAY_BYTES", block_bytes)
    by_column = read(CSV, text, tmp_path)
    monkeypatch.setattr(metric_csv, "_texts", lambda *_: None)
    assert read(CSV, text, tmp_path).rows == by_column.rows
    assert by_column.records >= 12


@pytest.mark.parametrize("names", ["Time,A,B", 'Time,"A","B"'])
def test_a_block_of_usual_rows_is_read_by_column(names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MetricTable, "take", lambda *_: pytest.fail("a row was read by itself"))
    names = names.replace("A", BUSY).replace("B", f"{BUSY}{{subtask_index='1'}}")
    samples = read(CSV, f"{names}\n" + "2026-11-21 01:31:39,998,\n2026-11-21 01:31:44,,12\n" * 3, tmp_path).rows
    assert [each["value"] for each in samples["metric_sample"]] == [998.0, 12.0] * 3
