"""The data folder of an older version is backed up, restored and taken over; what is damaged is refused whole.

`older_data_folder.zip` was made by commit 6e06d9d, which ran its own Spark on the files of
`tests/incidents/slow_lookup_seen_in_thread_dumps`: 35 migrations lie between it and its first test.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.throwaway_postgres import postgres
from tests.running_workbench import PROJECT, inherited_variables, prepared_data
from tests.small_disk import fill

OLDER = Path(__file__).with_name("older_data_folder.zip")
MIB = 1024**2
OPENED = """
import io, json, zipfile
from django.conf import settings
from django.test import Client
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.models import Case
from workbench.cases.services import note_add
settings.ALLOWED_HOSTS = ["testserver"]
user, case = User.objects.get(username="admin"), Case.objects.get()
client = Client()
client.force_login(user)
page = client.get(case.get_absolute_url()).content.decode()
assert "waits for the answer" in page or "look-up" in page, page[:2000]
note_add(case=case, user=user, text="Opened by a newer version")
assert "Orders wait for the look-up" in client.get("/?q=connections").content.decode(), "the search texts were moved"
"""
JUDGED = (
    OPENED
    + """
from workbench.analyses.tasks import run_next_analysis
from workbench.rules.services import rules_load
rules_load()
again = analysis_request(case=case, user=user)
run_next_analysis()
again.refresh_from_db()
bundle = b"".join(client.get(f"/reports/{case.pk}/bundle.zip").streaming_content)
with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
    files = [name for name in archive.namelist() if name.startswith("files/")]
print(json.dumps({
    "status": again.status,
    "verdict": again.document["verdict"]["symptom_class"] if again.document else again.error,
    "before": case.analyses.last().document["verdict"]["symptom_class"],
    "bundled": len(files),
    "markdown": client.get(f"/reports/{case.pk}/report.md").status_code,
}))
"""
)


def manage(data: Path, *command: str, status: int = 0, **variables: str) -> str:
    """What a command says, in a process of its own with that data folder."""
    ended = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=PROJECT,
        env=inherited_variables() | {"WORKBENCH_DATA": str(data)} | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == status, ended.stderr
    return ended.stdout + ended.stderr


def unpacked(folder: Path) -> Path:
    """A data folder as the older version left it."""
    folder.mkdir()
    with zipfile.ZipFile(OLDER) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return unpacked(tmp_path / "older")


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every test reads and none changes."""
    folder = tmp_path_factory.mktemp("backup")
    target = folder / "backup.tar"
    assert "rows and 2 files" in manage(unpacked(folder / "older"), "backup", str(target))
    return target


@pytest.fixture(scope="module")
def restored(backup: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backup in a new data folder, which no test changes: this restore runs all migrations."""
    data = tmp_path_factory.mktemp("restored") / "data"
    assert "rows and 2 files are back" in manage(data, "restore", str(backup))
    return data


@pytest.fixture(scope="module")
def recent(restored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backup of this version with the same contents, which no test changes. Into `migrated` it is restored without
    a migration: all of them are most of the processor time of a restore.
    """
    target = tmp_path_factory.mktemp("recent") / "backup.tar"
    assert "rows and 2 files" in manage(restored, "backup", str(target))
    return target


def migrated(data: Path) -> Path:
    """A data folder, which may exist, with the database of this version and nobody in it."""
    data.mkdir(mode=0o700, exist_ok=True)
    database = Path(shutil.copy(prepared_data() / "workbench.sqlite3", data))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM accounts_user")  # else it holds a workbench
        connection.commit()
    return data


def rows_of(backup: Path) -> dict[str, list[dict[str, object]]]:
    """The rows of each table, whose columns of JSON each database orders in its own way."""
    with tarfile.open(backup) as archive:
        parts = [entry for entry in archive if entry.name.startswith("rows/")]
        opened = {entry.name: gzip.decompress(archive.extractfile(entry).read()) for entry in parts}  # type: ignore[union-attr]
    return {name: [json.loads(line) for line in text.splitlines()] for name, text in opened.items()}


@pytest.mark.spark
def test_a_case_of_an_older_version_opens_is_judged_again_and_leaves_as_a_bundle(
    restored: Path, tmp_path: Path, spark_remote: str
) -> None:
    data = shutil.copytree(restored, tmp_path / "new")
    said = manage(data, "shell", "--no-imports", "-c", JUDGED, SPARK_REMOTE=spark_remote)
    assert json.loads(next(line for line in said.splitlines() if line.startswith("{"))) == {
        "status": "done",
        "verdict": "slow_dimension_join",
        "before": "slow_dimension_join",
        "bundled": 1,
        "markdown": 200,
    }


def test_an_upgrade_is_tried_on_a_copy_and_changes_nothing(older: Path) -> None:
    def state() -> str:
        return hashlib.sha256((older / "workbench.sqlite3").read_bytes()).hexdigest()

    before = state()
    said = manage(older, "check_upgrade", "--hashes")
    assert "migrations are to be applied." in said
    assert "The migrations were tried on a copy of the database and went well." in said
    assert state() == before
    assert not list(older.glob("rehearsal-*"))
    [stored] = (older / "uploads" / "1").iterdir()
    stored.write_bytes(stored.read_bytes()[:-1] + b"x")
    assert "is not the file that was uploaded" in manage(older, "check_upgrade", "--hashes", status=1)
    stored.unlink()
    assert "could not be analysed again" in manage(older, "check_upgrade", status=1)


def test_an_empty_database_has_nothing_to_upgrade(tmp_path: Path) -> None:
    assert "there is nothing to upgrade" in manage(tmp_path / "new", "check_upgrade", status=1)


def test_a_workbench_moves_to_postgresql_with_all_its_rows(recent: Path, tmp_path: Path) -> None:
    on_postgresql = tmp_path / "postgresql"
    with postgres() as url:
        if url is None:
            pytest.skip("PostgreSQL's server programs are not installed")
        manage(on_postgresql, "restore", str(recent), DATABASE_URL=url)
        manage(on_postgresql, "backup", str(tmp_path / "postgresql.tar"), DATABASE_URL=url)
        assert rows_of(recent) == rows_of(tmp_path / "postgresql.tar")
        manage(on_postgresql, "shell", "--no-imports", "-c", OPENED, DATABASE_URL=url)


def test_what_is_damaged_or_cut_off_is_refused_and_nothing_of_it_is_stored(recent: Path, tmp_path: Path) -> None:
    whole = recent.read_bytes()
    data = migrated(tmp_path / "new")
    place = whole.index(b"PK\x03\x04") + 100
    for name, content, reason in (
        ("changed", whole[:place] + b"\x00\x01\x02" + whole[place + 3 :], "is not what was written"),
        ("cut", whole[: len(whole) * 3 // 4], "It is not complete|is no backup|unexpected end"),
        ("other", b"PK\x03\x04 something else", "is no backup of a workbench"),
    ):
        broken = tmp_path / name
        broken.write_bytes(content)
        said = manage(data, "restore", str(broken), status=1)
        assert any(part in said for part in reason.split("|")), said
    assert [path for path in (data / "uploads").rglob("*") if path.is_file()] == []
    assert "rows and 2 files are back" in manage(data, "restore", str(recent))


def test_nothing_is_written_over(older: Path, backup: Path, tmp_path: Path) -> None:
    assert "exists already" in manage(older, "backup", str(backup), status=1)
    newer = migrated(tmp_path / "newer")
    assert "of a newer version than the backup" in manage(newer, "restore", str(backup), status=1)
    assert "holds a workbench already" in manage(older, "restore", str(backup), status=1)
    fresh = tmp_path / "fresh"
    (fresh / "run").mkdir(parents=True)
    with (fresh / "run" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "A workbench runs on" in manage(fresh, "restore", str(backup), status=1)
    assert backup.stat().st_mode & 0o077 == 0


def test_a_disk_without_room_is_said_and_nothing_is_restored(recent: Path, small_disk: Path) -> None:
    data = small_disk / "data"
    data.mkdir(mode=0o700)
    for free in (0, 2 * MIB):
        ballast = fill(small_disk, leave=free)
        said = manage(data, "restore", str(recent), status=1)
        assert "Traceback" not in said, said
        assert "are needed" in said or "No space left on device" in said, said
        ballast.unlink()
        assert {path.name for path in data.rglob("*") if path.is_file()} <= {"secret-key", "workbench.sqlite3"}
    assert "rows and 2 files are back" in manage(migrated(data), "restore", str(recent))


def test_a_disk_that_gets_full_meanwhile_leaves_nothing_half_restored(
    recent: Path, small_disk: Path, tmp_path: Path
) -> None:
    """The database is on another disk than the one whose room was looked at."""
    data, database = tmp_path / "new", f"sqlite:///{small_disk}/workbench.sqlite3"
    data.mkdir(mode=0o700)
    (data / "secret-key").write_text("the key that was there")
    migrated(small_disk)
    ballast = fill(small_disk, leave=100_000)
    said = manage(data, "restore", str(recent), status=1, DATABASE_URL=database)
    assert "The disk got full; nothing was restored." in said
    assert [path for path in data.rglob("*") if path.is_file()] == [data / "secret-key"]
    assert (data / "secret-key").read_text() == "the key that was there"
    ballast.unlink()
    assert "rows and 2 files are back" in manage(data, "restore", str(recent), DATABASE_URL=database)
