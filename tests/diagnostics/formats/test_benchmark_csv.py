"""A table is a benchmark when it names runs and states how long they took."""

from __future__ import annotations

import pytest

from diagnostics.formats.benchmark_csv import FORMAT
from tests.diagnostics.formats.reading_aids import head_of


@pytest.mark.parametrize("column", ["throughput_events_sec", "records_per_s", "busy time per sec", "bytes/s"])
def test_a_rate_is_no_duration(column: str) -> None:
    assert FORMAT.recognise(head_of(f"run,{column}\na,12\nb,14\n")) == 0


def test_columns_beside_the_duration_do_not_matter() -> None:
    assert FORMAT.recognise(head_of("run,records_per_s,duration_s\na,12,3\nb,14,4\n")) > 0
