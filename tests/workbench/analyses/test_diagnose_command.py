"""What `manage.py diagnose` writes where; whole runs of it are in tests/hostile and tests/incidents."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Ruleset, shipped_rules
from workbench.analyses.management.commands.diagnose import Command


def test_the_diagnosis_is_printed_though_its_file_cannot_be_written(tmp_path: Path) -> None:
    document = judge([], [], Ruleset.of(shipped_rules()))
    printed = io.StringIO()
    command = Command(stdout=printed)
    with pytest.raises(CommandError, match="cannot be written: No such file or directory") as refused:
        command._write(document, str(tmp_path / "gone" / "diagnosis.json"))
    assert refused.value.returncode == 1
    assert "inconclusive" in printed.getvalue()
    command._write(document, str(tmp_path / "diagnosis.json"))
    assert json.loads((tmp_path / "diagnosis.json").read_text("utf-8"))["schema"] == 1
