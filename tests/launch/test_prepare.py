"""What is made ready before the first request."""

from __future__ import annotations

import gzip
from pathlib import Path

from workbench.launch.prepare import compress


def test_a_large_script_gets_a_compressed_copy_once(tmp_path: Path) -> None:
    source, target = tmp_path / "package", tmp_path / "data" / "plotly-7"
    source.mkdir()
    (tmp_path / "data").mkdir()
    (source / "a.js").write_bytes(b"let a = 1;\n" * 100)

    compress(source, target, "a.js")
    (source / "a.js").write_bytes(b"other")
    compress(source, target, "a.js")

    assert gzip.decompress((target / "a.js.gz").read_bytes()) == (target / "a.js").read_bytes() == b"let a = 1;\n" * 100
    assert [each.name for each in target.parent.iterdir()] == ["plotly-7"]
