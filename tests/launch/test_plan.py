"""What the launcher decides before it starts anything, and what it refuses in one line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from workbench.launch.plan import LaunchRefused, plan_from, refuse_taken_port
from workbench.launch.presence import only_one, shared_with_commands, variables_of_the_running
from workbench.launch.programs import programs, write_configuration


def test_without_variables_redis_and_spark_are_our_own(tmp_path: Path) -> None:
    plan = plan_from({"WORKBENCH_DATA": str(tmp_path)})
    assert [program.name for program in programs(plan)] == ["redis", "spark", "worker", "books", "web"]
    assert plan.redis_port != plan.spark_port
    assert plan.variables["SPARK_REMOTE"] == f"sc://localhost:{plan.spark_port}"
    assert plan.address == "http://127.0.0.1:8000"


def test_servers_from_outside_are_used_and_not_started(tmp_path: Path) -> None:
    given = {"WORKBENCH_DATA": str(tmp_path), "REDIS_URL": "redis://queue/1", "SPARK_REMOTE": "sc://spark:15002"}
    plan = plan_from(given)
    assert [program.name for program in programs(plan)] == ["worker", "books", "web"]
    assert {name: plan.variables[name] for name in given} == given


def test_every_program_keeps_compiled_code(tmp_path: Path) -> None:
    plan = plan_from({"WORKBENCH_DATA": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"})
    assert "PYTHONDONTWRITEBYTECODE" not in plan.variables


def test_a_cold_start_leaves_out_the_warm_up_of_spark(tmp_path: Path) -> None:
    variables = {"WORKBENCH_DATA": str(tmp_path)}
    for cold, expected in (({}, False), ({"WORKBENCH_COLD": "1"}, True)):
        (spark,) = [each for each in programs(plan_from(variables | cold)) if each.name == "spark"]
        assert ("--cold" in spark.command) is expected


def test_analyses_run_behind_pages(tmp_path: Path) -> None:
    commands = {each.name: each.command for each in programs(plan_from({"WORKBENCH_DATA": str(tmp_path)}))}
    behind = {name for name, command in commands.items() if command[:2] == ("nice", "-n")}
    assert behind == {"spark", "worker", "books"}
    assert int(commands["books"][2]) > int(commands["worker"][2]) == int(commands["spark"][2]) > 0


def test_two_starts_never_share_a_password(tmp_path: Path) -> None:
    first, second = (plan_from({"WORKBENCH_DATA": str(tmp_path)}) for _ in range(2))
    assert first.redis_password != second.redis_password


@pytest.mark.parametrize("port", ["0", "70000", "eight"])
def test_an_invalid_port_is_refused(tmp_path: Path, port: str) -> None:
    with pytest.raises(LaunchRefused, match="WORKBENCH_PORT"):
        plan_from({"WORKBENCH_DATA": str(tmp_path), "WORKBENCH_PORT": port})


def test_a_storage_that_is_no_url_of_one_is_refused_without_its_password(tmp_path: Path) -> None:
    given = "s3a://key:hunter2@bucket/a?secret_key=hunter2"
    with pytest.raises(LaunchRefused, match=r"SPARK_STORAGE is 's3a://\*\*\*@bucket.*s3a://bucket/prefix") as refused:
        plan_from({"WORKBENCH_DATA": str(tmp_path), "SPARK_STORAGE": given})
    assert "hunter2" not in str(refused.value)


def test_a_port_in_use_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        plan = plan_from({"WORKBENCH_DATA": str(tmp_path), "WORKBENCH_PORT": str(port)})
        with pytest.raises(LaunchRefused, match=rf"127\.0\.0\.1:{port} is in use.*WORKBENCH_PORT="):
            refuse_taken_port(plan)


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LaunchRefused, match=r"WORKBENCH_DATA.*Give a folder"):
        plan_from({"WORKBENCH_DATA": str(tmp_path / "file" / "data")})


def test_configuration_with_the_password_is_for_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / 'odd %name "quoted"'
    plan = plan_from({"WORKBENCH_DATA": str(folder)})
    plan.run.mkdir()
    supervisord = write_configuration(plan)
    for written in (supervisord, plan.run / "redis.conf"):
        assert written.stat().st_mode & 0o077 == 0
    assert plan.redis_password not in supervisord.read_text()


def test_one_data_folder_has_one_workbench_and_others_find_it(tmp_path: Path) -> None:
    plan = plan_from({"WORKBENCH_DATA": str(tmp_path), "WORKBENCH_PORT": "8123"})
    plan.run.mkdir()
    assert variables_of_the_running(plan) == {}
    with only_one(plan), shared_with_commands(plan):
        assert variables_of_the_running(plan)["REDIS_URL"] == plan.variables["REDIS_URL"]
        with pytest.raises(LaunchRefused, match=r"already runs .* port 8123"), only_one(plan):
            pytest.fail("two launchers held one data folder")
    assert variables_of_the_running(plan) == {}
