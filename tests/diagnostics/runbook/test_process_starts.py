"""A process that is started again has the options that it had, those of its JVM too."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from diagnostics.runbook.cluster_commands import ClusterCommands
from diagnostics.runbook.restarting import stop_and_start
from tests.diagnostics.runbook.clusters import EACH, JOB, STANDALONE

GC = "'-Xlog:gc*:file=/log/gc-{}.log:time,tags:filecount=0'"
TWO = {
    **STANDALONE,
    "subject.job": JOB,
    "deployment.task_managers_by_host": [2],
    "deployment.task_manager_arguments": ["data.port=1", "data.port=2"],
    "deployment.task_manager_jvm_options": [GC.format(0), GC.format(1) + " -Dx=1"],
    "task_manager_loss.all.registered_end": 2,
}
CHANGE = "taskmanager.memory.task.heap.size: 384m"


def restarts(**facts: Any) -> list[str]:
    commands = str(stop_and_start({**TWO, **facts}.get, CHANGE)["command"]).splitlines()
    return [each for each in commands if "manager.sh" in each or each.startswith("mv ")]


def test_each_task_manager_starts_with_the_jvm_options_that_it_had() -> None:
    script = "/opt/flink/bin/taskmanager.sh"
    starts = [
        f"JVM_ARGS='-Xlog:gc*:file=/log/gc-0.log:time,tags:filecount=0' {script} start -D data.port=1",
        f"JVM_ARGS='-Xlog:gc*:file=/log/gc-1.log:time,tags:filecount=0 -Dx=1' {script} start -D data.port=2",
    ]
    assert restarts()[-1].startswith(
        f"{script} stop-all && {starts[0]} && {starts[1]}   # on each TaskManager's host; stop-all also ends"
    )
    said = subprocess.run(
        ["/bin/bash", "-c", starts[1].replace(script, "env")], capture_output=True, text=True, check=False
    )
    assert "syntax" not in said.stderr


def test_the_gc_log_of_before_is_kept_where_the_new_jvm_would_begin_it_anew() -> None:
    assert [each.partition("   #")[0] for each in restarts()[:-1]] == [
        "mv /log/gc-0.log /log/gc-0.log.$(date +%s)",
        "mv /log/gc-1.log /log/gc-1.log.$(date +%s)",
    ]
    rotated = {"deployment.task_manager_jvm_options": ["-Xlog:gc:file=/log/a.log", "-Xlog:gc:file=/log/b.log"]}
    assert not [each for each in restarts(**rotated) if each.startswith("mv ")]


def test_a_start_keeps_the_gc_log_of_the_process_that_ended() -> None:
    """Its JVM would begin the file anew, and with it the evidence of the incident would be gone."""
    starts = ClusterCommands(TWO.get, (1, 20)).task_manager_starts
    assert [each.partition("   #")[0].partition(" '")[0].split()[0] for each in starts[:2]] == ["mv", "mv"]
    assert [each.startswith("JVM_ARGS=") for each in starts] == [False, False, True, True]
    hosts = {
        "deployment.task_managers_by_host": [1, 1],
        "deployment.task_manager_arguments": ["taskmanager.host=10.0.0.11", "taskmanager.host=10.0.0.12"],
    }
    kept, start, *_ = ClusterCommands((TWO | hosts).get, (1, 20)).task_manager_starts
    assert kept.endswith("# on 10.0.0.11: keeps the GC log, which the new process begins anew")
    assert start.endswith("   # on 10.0.0.11")


def test_options_are_written_only_where_no_shell_interprets_them() -> None:
    for hostile in ("'-Da=$(reboot)'", "'-Da={subject.job}'", "'-Da=b c'"):
        [restart] = restarts(**{"deployment.task_manager_jvm_options": [hostile, GC.format(1)]})
        assert "JVM_ARGS" not in restart
        assert "and JVM options that each had" in restart


def test_a_start_whose_options_are_not_known_of_each_waits_after_a_hash_with_that_of_the_job() -> None:
    """Pasted with the others it would start another process, on which the job finds no slots."""
    for unsure in ({"deployment.task_managers_by_host": [3]}, {"deployment.task_managers_by_host": [1, 1]}):
        way = stop_and_start({**TWO, **unsure}.get, CHANGE)
        lines = str(way["command"]).splitlines()
        assert [line for line in lines if not line.startswith("# ")] == lines[:1]
        assert " run -d " in lines[-1]
        assert "complete the starts after `#` with them" in way["text"]
    unstated = {name: None for name in TWO if name.startswith("deployment.task_manager_")}
    assert "complete the starts" not in stop_and_start({**TWO, **unstated}.get, CHANGE)["text"]
    assert " run -d " in str(stop_and_start({**TWO, **unstated}.get, CHANGE)["command"]).splitlines()[-1]


def test_each_host_keeps_its_gc_log_and_starts_with_its_own_options() -> None:
    by_host = {
        "deployment.task_managers_by_host": [1, 1],
        "deployment.task_manager_arguments": ["taskmanager.host=10.0.0.11", "taskmanager.host=10.0.0.12"],
    }
    script = "/opt/flink/bin/taskmanager.sh"
    kept, first, _, second = restarts(**by_host)
    assert kept.startswith("mv /log/gc-0.log /log/gc-0.log.$(date +%s)   # on 10.0.0.11: ")
    assert first == (
        f"{script} stop && JVM_ARGS={GC.format(0)} {script} start -D taskmanager.host=10.0.0.11   # on 10.0.0.11"
    )
    assert second.endswith("-D taskmanager.host=10.0.0.12   # on 10.0.0.12")


def test_several_ways_to_start_a_jobmanager_leave_its_restart_after_a_hash() -> None:
    facts = {**TWO, "deployment.jobmanager_arguments": ["rest.port=1", "rest.port=2"]}
    lines = str(stop_and_start(facts.get, "heartbeat.timeout: 2 min")["command"]).splitlines()
    assert [line for line in lines if "jobmanager.sh" in line and not line.startswith("# ")] == []
    assert lines[-1].startswith("# /opt/flink/bin/flink run -d ")


def test_a_start_of_the_job_on_new_task_managers_restarts_them_first() -> None:
    *_, restart, run = ClusterCommands(TWO.get, (1, 20)).run_on_new_task_managers.splitlines()
    assert "taskmanager.sh stop-all && JVM_ARGS=" in restart
    assert run == "/opt/flink/bin/flink run -d -m 10.0.0.1:18081"
    unsure = {**TWO, "deployment.task_managers_by_host": [3]}
    assert all(
        each.startswith("# ") for each in ClusterCommands(unsure.get, (1, 20)).run_on_new_task_managers.splitlines()
    )
    assert ClusterCommands({**TWO, "deployment.kind": "yarn"}.get, (1, 20)).run_on_new_task_managers.startswith(
        "flink run"
    )


def test_a_secret_stays_a_place_to_fill() -> None:
    options = ["-Djavax.net.ssl.keyStorePassword='******'", "-Dx=1"]
    assert "keyStorePassword=<secret>' " in restarts(**{"deployment.task_manager_jvm_options": options})[-1]


def test_a_collector_that_a_change_replaces_is_not_given_again() -> None:
    """A JVM that is given two collectors does not start."""
    facts = {**TWO, "deployment.task_manager_jvm_options": ["-XX:+UseSerialGC -Dx=1", "-XX:+UseSerialGC -Dx=2"]}
    change = f"{CHANGE}\nenv.java.opts.taskmanager: -XX:+UseG1GC"
    assert "SerialGC" not in str(stop_and_start(facts.get, change)["command"])
    assert "JVM_ARGS='-XX:+UseSerialGC -Dx=1'" in str(stop_and_start(facts.get, CHANGE)["command"])


def test_processes_start_with_the_options_that_they_had() -> None:
    """Without them two TaskManagers of one host want the same port for their metrics."""
    facts = {
        **STANDALONE,
        "deployment.task_managers_by_host": [2],
        "deployment.task_manager_arguments": ["metrics.port=19151 rpc.port=1", "metrics.port=19152 rpc.port=2"],
        "deployment.jobmanager_arguments": ["metrics.port=19150"],
        "task_manager_loss.all.registered_end": 2,
    }
    start = "/opt/flink/bin/taskmanager.sh start"
    cluster = ClusterCommands(facts.get, (1, 20))
    assert cluster.task_manager_starts == [
        f"{start} -D metrics.port=19151 -D rpc.port=1",
        f"{start} -D metrics.port=19152 -D rpc.port=2",
    ]
    of_all = stop_and_start(facts.get, "rest.port: 8082")["command"]
    assert "/opt/flink/bin/jobmanager.sh stop && /opt/flink/bin/jobmanager.sh start -D metrics.port=19150 " in of_all
    [restart] = [
        each
        for each in stop_and_start(facts.get, "taskmanager.memory.task.heap.size: 384m")["command"].splitlines()
        if "taskmanager.sh" in each
    ]
    assert restart.startswith(
        f"/opt/flink/bin/taskmanager.sh stop-all && {start} -D metrics.port=19151 -D rpc.port=1 && "
    )
    assert "with the arguments" not in restart
    facts["task_manager_loss.all.registered_end"] = 0
    assert restart in stop_and_start(facts.get, "taskmanager.memory.task.heap.size: 384m")["command"].splitlines()


def test_each_host_starts_its_task_manager_with_the_options_that_name_it() -> None:
    facts = {
        **STANDALONE,
        "deployment.task_managers_by_host": [1, 1],
        "deployment.task_manager_arguments": [
            "rpc.port=2 taskmanager.host=10.0.0.12",
            "rpc.port=1 taskmanager.host=10.0.0.11",
        ],
    }
    change, script = "taskmanager.memory.task.heap.size: 384m", "/opt/flink/bin/taskmanager.sh"
    commands = stop_and_start(facts.get, change)["command"].splitlines()
    assert [each for each in commands if script in each] == [
        f"{script} stop && {script} start -D rpc.port=1 -D taskmanager.host=10.0.0.11   # on 10.0.0.11",
        f"{script} stop && {script} start -D rpc.port=2 -D taskmanager.host=10.0.0.12   # on 10.0.0.12",
    ]
    facts["deployment.task_manager_arguments"] = ["taskmanager.host=10.0.0.11"]
    assert "with the arguments" in stop_and_start(facts.get, change)["command"]


@pytest.mark.parametrize(
    "unsure",
    [
        {"deployment.task_managers_by_host": [1, 1]},
        {"deployment.task_manager_arguments": ["metrics.port=19151"]},
        {"deployment.task_manager_arguments": ["a=1;reboot", "b=2"]},
    ],
)
def test_options_that_are_not_known_of_each_process_are_not_written(unsure: dict[str, Any]) -> None:
    facts = {
        **STANDALONE,
        "deployment.task_managers_by_host": [2],
        "deployment.task_manager_arguments": ["metrics.port=19151", "metrics.port=19152"],
    }
    [start] = ClusterCommands((facts | unsure).get, (1, 20)).task_manager_starts
    assert start == f"# /opt/flink/bin/taskmanager.sh start   # {EACH}"


def test_a_task_manager_that_was_started_with_the_change_is_not_restarted_for_it() -> None:
    """An earlier step starts the TaskManagers that are gone, after the change was written into the files."""
    change = "high-availability.zookeeper.client.session-timeout: 40000"
    recovers = {**TWO, "settings.ha_type": "zookeeper"}
    for registered, is_said in ((0, True), (2, False)):
        text = stop_and_start({**recovers, "task_manager_loss.all.registered_end": registered}.get, change)["text"]
        assert ("leave out their restart" in text) == is_said
