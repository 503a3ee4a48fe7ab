"""The selection of log records by the aggregators: records left out are counted and change no answer."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from diagnostics.aggregators import AGGREGATORS
from diagnostics.evidence.rows import Rows
from diagnostics.formats.flink_log import FORMAT
from diagnostics.log_scan.selection import CONTEXT
from diagnostics.notation.file_range import Range
from diagnostics.reading.log_selection import log_selection
from diagnostics.reading.reduction import Reduction
from diagnostics.reading.row_batch import row_batch
from tests.diagnostics.aggregators.test_cut_anywhere import answered

INCIDENT = Path(__file__).resolve().parents[2] / "incidents" / "nothing_wrong" / "evidence.zip"


def answers(path: Path, context: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """The answers to all questions to `log_record` and `log_count`, and how many records were rows."""
    size = path.stat().st_size
    reduction, rows = Reduction(), 0
    for read in FORMAT.read(Range(0, path.name, str(path), 0, size, size, context)):
        if isinstance(read, Rows) and read.table in ("log_record", "log_count"):
            batch, _ = row_batch(read, 0, 0, None)
            rows += batch.num_rows if read.table == "log_record" else 0
            reduction.add(read.table, batch)
    return {name: answered(AGGREGATORS[name], state) for name, state in reduction.states().items()}, rows


@pytest.mark.parametrize("name", ["standalonesession", "taskexecutor"])
def test_a_log_answers_the_same_when_only_declared_records_are_rows(name: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with zipfile.ZipFile(INCIDENT) as incident:
        [found] = [each for each in incident.namelist() if name in each and each.endswith(".log")]
        log.write_bytes(incident.read(found))
    whole, all_rows = answers(log, {})
    selected, rows = answers(log, {CONTEXT: log_selection()})
    assert rows < all_rows
    assert selected == whole
