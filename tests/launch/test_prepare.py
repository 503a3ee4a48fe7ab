"""What is made ready before the first request."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from django.conf import settings

from diagnostics.errors import SparkUnavailable
from workbench.launch.chart_library import without_unused
from workbench.launch.prepare import chart_library_copy, storage_try

MOST_ANSWER_BYTES = 1_000_000
"""Source: issue 5."""


def test_the_chart_library_goes_over_the_wire_in_less_than_a_megabyte(tmp_path: Path) -> None:
    source, target = settings.PLOTLY_PACKAGED / "plotly.min.js", tmp_path / "plotly"
    chart_library_copy(source, target)
    packed = (target / "plotly.min.js.gz").read_bytes()
    assert len(packed) < MOST_ANSWER_BYTES
    script = gzip.decompress(packed).decode()
    assert script == (target / "plotly.min.js").read_text("utf-8") == without_unused(source.read_text("utf-8"))
    assert "Licensed under the MIT license" in script[:200]


def test_a_storage_that_cannot_be_used_ends_the_start_with_its_name_and_the_reason(tmp_path: Path) -> None:
    absent = (tmp_path / "absent").as_uri()
    with pytest.raises(SparkUnavailable, match=rf"^SPARK_STORAGE cannot be used: {tmp_path}/absent/start-.*no such"):
        storage_try(absent)


def test_a_storage_that_can_be_used_is_left_as_it_was(tmp_path: Path) -> None:
    storage_try(tmp_path.as_uri())
    assert list(tmp_path.iterdir()) == []


def test_a_library_of_another_version_is_served_whole_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "plotly.min.js", tmp_path / "data" / "plotly-8"
    target.parent.mkdir()
    source.write_text("let a = 1;\n" * 100)
    chart_library_copy(source, target)
    source.write_text("other")
    chart_library_copy(source, target)
    assert gzip.decompress((target / "plotly.min.js.gz").read_bytes()).decode() == "let a = 1;\n" * 100
    assert [each.name for each in target.parent.iterdir()] == ["plotly-8"]
    assert capsys.readouterr().err.count("served whole") == 1
