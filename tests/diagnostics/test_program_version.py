"""The version of the program that reads and measures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from diagnostics import program_version as module


def version_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(module, "FOLDER", folder)
    return module.program_version.__wrapped__()


def test_the_version_is_the_same_for_the_same_program_and_another_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = tmp_path / "formats" / "flink_log.py"
    reader.parent.mkdir()
    reader.write_text("one")
    first = version_of(tmp_path, monkeypatch)

    (tmp_path / "formats" / "sample.log").write_text("no code")
    assert version_of(tmp_path, monkeypatch) == first
    reader.write_text("two")
    assert version_of(tmp_path, monkeypatch) != first


def test_the_version_is_of_this_library() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", module.program_version())
