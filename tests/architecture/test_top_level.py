"""What is kept at the top level, and how large a kept file may be."""

from __future__ import annotations

import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TOP_LEVEL = frozenset(
    [
        *("manage.py", "requirements.txt", "README.md", "README.zh-hans.md"),
        *("workbench", "diagnostics", "templates", "static", "tests"),
        *("Makefile", "Dockerfile", "compose.yaml"),
    ]
)
LARGEST_FILE = 1024 * 1024
"""Bytes. Our choice: twice the largest catalogue of translations; dumps of measurements are larger."""


def _kept_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.split("\0") if name]


def test_only_what_the_owner_named_and_tools_need_lies_at_the_top() -> None:
    top = {path.parts[0] for path in _kept_files()}
    assert {name for name in top if not name.startswith(".")} == TOP_LEVEL


def test_no_kept_file_is_larger_than_a_megabyte() -> None:
    sizes = {str(path): (PROJECT / path).stat().st_size for path in _kept_files() if (PROJECT / path).exists()}
    assert {name: size for name, size in sizes.items() if size > LARGEST_FILE} == {}
