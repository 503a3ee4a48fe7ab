"""Environment variables: invalid values end the start with a hint instead of falling back."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.machine.environment import SPARK_REMOTE_FORM, Environment
from workbench.machine.secret import kept_secret

PROJECT = Path(__file__).resolve().parents[3]


def test_what_is_not_set_has_its_default() -> None:
    environment = Environment({"WORKBENCH_PORT": ""})
    assert environment.number("WORKBENCH_PORT", 8000, 1, 65_535) == 8000
    assert environment.words("WORKBENCH_HOSTS", ["localhost"]) == ["localhost"]
    assert environment.problems == []


@pytest.mark.parametrize("port", ["eighty", "0", "65536", "80.5", "-1", "٨٠"])
def test_an_invalid_port_is_a_problem(port: str) -> None:
    environment = Environment({"WORKBENCH_PORT": port})
    environment.number("WORKBENCH_PORT", 8000, 1, 65_535)
    assert [problem.id for problem in environment.problems] == ["workbench.E001"]
    assert "whole number from 1 to 65535" in str(environment.problems[0].hint)


@pytest.mark.parametrize("url", ["mysql://localhost/x", "redis://[", "redis://host:port", "localhost"])
def test_a_url_of_another_kind_is_a_problem(url: str) -> None:
    environment = Environment({"REDIS_URL": url})
    environment.url("REDIS_URL", "redis://127.0.0.1:6379/0", ("redis", "rediss", "unix"))
    assert [problem.id for problem in environment.problems] == ["workbench.E003"]


def test_a_password_is_not_repeated_in_the_problem() -> None:
    environment = Environment({"DATABASE_URL": "mysql://user:hunter2@host/db"})
    environment.url("DATABASE_URL", "sqlite:///x", ("sqlite",))
    assert "hunter2" not in environment.problems[0].msg


@pytest.mark.parametrize(
    ("remote", "good"), [("sc://spark:15002", True), ("sc://[::1]:1/;a=b", True), ("spark:15002", False)]
)
def test_a_spark_remote_is_a_connect_url(remote: str, good: bool) -> None:
    environment = Environment({"SPARK_REMOTE": remote})
    environment.matching("SPARK_REMOTE", "sc://127.0.0.1:15002", SPARK_REMOTE_FORM, "sc://127.0.0.1:15002")
    assert (environment.problems == []) is good


def test_a_data_folder_that_cannot_be_made_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = Environment({"WORKBENCH_DATA": str(tmp_path / "file" / "data")})
    environment.folder("WORKBENCH_DATA", tmp_path)
    assert [problem.id for problem in environment.problems] == ["workbench.E005"]


def run(command: list[str], data: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    given = os.environ | {"WORKBENCH_DATA": str(data)} | variables
    return subprocess.run(
        [sys.executable, *command], cwd=PROJECT, env=given, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_data_folder_that_others_could_read_is_closed_at_the_next_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for folder in (data, data / "uploads"):
        folder.mkdir()
        folder.chmod(0o755)
    ended = run(["-c", f"import workbench.wsgi, pathlib; pathlib.Path({str(data / 'made')!r}).touch()"], data)
    assert ended.returncode == 0, ended.stderr
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (data, data / "uploads", data / "made")}
    assert modes == {"data": 0o700, "uploads": 0o700, "made": 0o600}


def test_a_folder_that_all_users_share_is_refused_and_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    environment = Environment({"WORKBENCH_DATA": str(tmp_path)})
    environment.folder("WORKBENCH_DATA", tmp_path)
    assert "which all users share" in environment.problems[0].msg
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777


@pytest.mark.parametrize(
    "command",
    [
        ["manage.py", "check"],
        ["manage.py", "create_token", "admin"],
        ["-c", "import workbench.wsgi"],
        ["-m", "celery", "--app", "workbench.worker.program", "worker", "--pool", "solo"],
    ],
    ids=["manage", "command", "web", "worker"],
)
def test_every_process_refuses_to_start_with_a_wrong_environment(command: list[str], tmp_path: Path) -> None:
    wrong = {"WORKBENCH_PORT": "many", "SPARK_REMOTE": "spark", "SPARK_STORAGE": "gs://bucket"}
    ended = run(command, tmp_path, **wrong)
    assert ended.returncode != 0
    assert "WORKBENCH_PORT is 'many'" in ended.stderr
    assert "SPARK_REMOTE is 'spark'" in ended.stderr
    assert "SPARK_STORAGE is 'gs://bucket'" in ended.stderr


def test_the_secret_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    secret = kept_secret(folder / "secret-key")
    assert len(secret) > 50
    assert kept_secret(folder / "secret-key") == secret
    assert stat.S_IMODE((folder / "secret-key").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["secret-key"]


@pytest.mark.parametrize(
    ("query", "prepares", "has_cursors"),
    [("", 2, True), ("?prepare_threshold=5", 5, True), ("?server_side_binding=false", None, False)],
)
def test_behind_a_pooler_nothing_is_kept_on_a_connection(
    query: str, prepares: int | None, has_cursors: bool, tmp_path: Path
) -> None:
    shown = (
        "from workbench.settings import DATABASES as all; import json; one = all['default'];"
        "print(json.dumps([one['OPTIONS'].get('prepare_threshold'), not one['DISABLE_SERVER_SIDE_CURSORS']]))"
    )
    variables = {"DATABASE_URL": f"postgres://person@127.0.0.1/name{query}", "WORKBENCH_DATA": str(tmp_path)}
    command = [sys.executable, "-c", shown]
    printed = subprocess.check_output(command, cwd=PROJECT, env=os.environ | variables, text=True)
    assert json.loads(printed) == [prepares, has_cursors]
