"""`make setup` on machines where it cannot work: one clear line, and a status that is not zero."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.launch import install
from workbench.launch.install import PROJECT

INSTALL = PROJECT / "workbench" / "launch" / "install.py"


def make(folder: Path, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    """Runs make in a copy of what setup needs, with nothing else on the PATH than given."""
    (folder / "workbench" / "launch").mkdir(parents=True)
    for name in ("Makefile", "requirements.txt", "workbench/launch/install.py"):
        shutil.copy(PROJECT / name, folder / name)
    command = [str(shutil.which("make")), *arguments]
    return subprocess.run(command, cwd=folder, env={"PATH": path}, capture_output=True, text=True, check=False)


def test_an_old_python_can_read_the_script() -> None:
    assert ast.parse(INSTALL.read_text("utf-8"), feature_version=(3, 6)).body


def test_an_old_python_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    assert install.install(Path("/nowhere/.venv"), Path("/nowhere/stamp")) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Python 3.11 or newer is needed" in said
    assert "3.9.18" in said


def test_a_machine_without_python_gets_a_clear_message(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sh").symlink_to("/bin/sh")
    done = make(tmp_path / "clone", "setup", path=str(programs))
    assert done.returncode != 0
    assert "no python3 on the PATH" in done.stderr


@pytest.mark.skipif(os.getuid() == 0 and not Path("/proc/sys").exists(), reason="root may write everywhere here")
def test_a_folder_that_cannot_be_written_is_named() -> None:
    unwritable = Path("/proc/self") if os.getuid() == 0 else Path("/")
    with pytest.raises(OSError, match=r"."):
        install.write_to(unwritable)


def test_a_broken_virtual_environment_is_not_taken_for_a_working_one(tmp_path: Path) -> None:
    assert not install.runs(tmp_path / "nothing")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(shutil.which("false") or "/bin/false")
    assert not install.runs(tmp_path)
    assert install.runs(Path(sys.prefix))
