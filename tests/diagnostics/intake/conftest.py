"""A desk for each test: a folder of uploads and an empty workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.intake.uploads import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty desk."""
    return Desk(tmp_path)
