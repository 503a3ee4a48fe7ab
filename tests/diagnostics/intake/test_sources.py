"""Paths on the command line become sources; each refused file has a line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diagnostics.intake import Limits, sources_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`case/`: two logs, one of them below a folder."""
    below = tmp_path / "case" / "logs"
    below.mkdir(parents=True)
    (below / "tm.log").write_text("x")
    (tmp_path / "case" / "z.json").write_text("{}")
    return tmp_path / "case"


def names(paths: list[Path], limits: Limits | None = None) -> list[str]:
    """The names of the sources."""
    return [source.name for source in sources_in(paths, limits or Limits())[0]]


def test_a_file_has_its_own_name(folder: Path) -> None:
    [source], refused = sources_in([folder / "logs" / "tm.log"])
    assert (source.name, source.path, refused) == ("tm.log", folder / "logs" / "tm.log", [])


def test_a_folder_gives_every_file_below_it_in_order(folder: Path) -> None:
    (folder / "a.log").write_text("x")
    assert names([folder]) == ["a.log", "logs/tm.log", "z.json"]


def test_a_relative_folder_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    sources, _ = sources_in([Path()])
    assert [source.name for source in sources] == ["logs/tm.log", "z.json"]
    assert all(source.path.is_absolute() for source in sources)


def test_two_folders_keep_their_names_apart_only_when_they_collide(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "logs").mkdir(parents=True)
    (other / "q.log").write_text("x")
    assert names([folder, other]) == ["logs/tm.log", "z.json", "q.log"]
    (other / "logs" / "tm.log").write_text("y")
    assert names([folder, other]) == ["case/logs/tm.log", "case/z.json", "other/logs/tm.log", "other/q.log"]


def test_files_of_one_name_are_distinguished_by_their_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tm.log").write_text("x")
    (tmp_path / "same").mkdir()
    (tmp_path / "same" / "tm.log").write_text("x")
    assert names([folder / "logs" / "tm.log", tmp_path / "same" / "tm.log"]) == ["logs/tm.log", "same/tm.log"]
    assert names([tmp_path / "tm.log"] * 2)[1].endswith("tm (2).log")


def test_links_pipes_and_what_is_not_there_are_refused_by_name(folder: Path, tmp_path: Path) -> None:
    (folder / "logs" / "link.log").symlink_to(folder / "z.json")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    sources, refused = sources_in([folder, tmp_path / "gone"])
    assert [source.name for source in sources] == ["logs/tm.log", "z.json"]
    assert sorted(refused) == sorted(
        [
            "loop: a link, which is not followed; name the file itself",
            "pipe: a device, pipe or socket, not a file",
            "logs/link.log: a link, which is not followed; name the file itself",
            f"{tmp_path / 'gone'}: No such file or directory",
        ]
    )


def test_a_folder_without_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "case" / "logs" / "old").mkdir(parents=True)
    assert sources_in([tmp_path / "case"]) == ([], [f"{tmp_path / 'case'}: holds no file"])


def test_more_files_than_the_bound_are_said(folder: Path) -> None:
    for number in range(10):
        (folder / f"{number}.log").write_text("x")
    sources, refused = sources_in([folder, folder / "z.json"], Limits(files=4))
    assert len(sources) == 4
    assert refused == [f"{folder}: more than 4 files, which is the bound; the rest is not read"]


def test_as_many_files_as_the_bound_are_all_read(folder: Path) -> None:
    sources, refused = sources_in([folder], Limits(files=2))
    assert (len(sources), refused) == (2, [])


def test_a_name_that_is_no_utf8_or_does_not_print_is_shown(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode("日志.log".encode("gbk"))).write_text("x")
    (tmp_path / "new\nline.log").write_text("x")
    sources, _ = sources_in([tmp_path])
    assert sorted(source.name for source in sources) == ["new_line.log", "日志.log"]
    assert all(source.path.is_file() for source in sources)
