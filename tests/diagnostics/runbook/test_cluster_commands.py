"""Commands in the way of the cluster at hand."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from diagnostics.runbook.cluster_commands import ClusterCommands
from diagnostics.runbook.restarting import stop_and_start
from diagnostics.runbook.zookeeper_ensemble import zookeeper_ensemble
from tests.diagnostics.runbook.clusters import EACH, JOB, NATIVE, OPERATOR, STANDALONE, YARN, commands_of
from tests.reading.command_faults import command_faults


def cluster(facts: dict[str, Any], version: tuple[int, int] = (1, 20)) -> ClusterCommands:
    return ClusterCommands(facts.get, version)


@pytest.mark.parametrize(
    ("words", "smaller"),
    [
        (["a.jar"], "-p <lower-parallelism> a.jar"),
        (["-p", "12", "a.jar"], "-p <lower-parallelism> a.jar"),
        (["a.jar", "--rate", "600", "--par", "12"], "a.jar --rate 600 --par <lower-parallelism>"),
        (["a.jar", "--parallelism=8"], "a.jar --parallelism=<lower-parallelism>"),
        (["a.jar", "-p", "9092"], "-p <lower-parallelism> a.jar -p 9092"),
    ],
)
def test_a_lower_parallelism_stands_where_the_job_takes_it_from(words: list[str], smaller: str) -> None:
    assert cluster(STANDALONE | {"deployment.program": words}).smaller_program == smaller


def test_standalone_commands_name_address_folder_and_program() -> None:
    stop, start = commands_of(STANDALONE)
    assert stop.startswith("/opt/flink/bin/flink stop -m 10.0.0.1:18081 --savepointPath ")
    assert start == (
        "/opt/flink/bin/flink run -d -m 10.0.0.1:18081 -s <savepoint-path> "
        "-c a.Job /jobs/a.jar --note 'two words; rm -rf /' --token <secret>"
    )
    assert cluster(STANDALONE).needed[0][1] == "export FLINK_CONF_DIR=/etc/flink\nexport FLINK_LOG_DIR=/var/log/flink"


def test_a_process_writes_its_log_where_it_did() -> None:
    """Started without FLINK_LOG_DIR it writes to `log` of Flink's home, where nobody looks for it."""
    own = STANDALONE | {"deployment.config_file": "/opt/flink/conf/config.yaml"}
    assert cluster(own).exports == ["export FLINK_LOG_DIR=/var/log/flink"]
    assert cluster(own | {"deployment.jobmanager_log": "/opt/flink/log/flink-a.log"}).exports == []
    assert cluster(own | {"deployment.task_manager_log": "/data/log/flink-b.log"}).exports == []
    assert cluster(own | {"deployment.kind": "yarn"}).exports == []


def test_each_process_has_the_folder_of_its_own_log() -> None:
    two = {"deployment.jobmanager_log": "/jm/log/a.log", "deployment.task_manager_log": "/tm/log/b.log"}
    apart = cluster(STANDALONE | two)
    assert apart.logs("jobmanager", "grep x").startswith("grep x /jm/log/")
    assert apart.logs("taskmanager", "grep x").startswith("grep x /tm/log/")
    assert apart.derived("cluster.log_folder") == "/tm/log", "RocksDB logs there"


@pytest.mark.parametrize(("version", "action"), [((1, 20), "stop --type canonical"), ((1, 14), "stop")])
def test_a_savepoint_for_another_state_backend_is_canonical(version: tuple[int, int], action: str) -> None:
    folder = {"settings.savepoint_dir": "file:///savepoints"}
    stop = cluster(STANDALONE | folder, version).canonical_stop
    assert stop == f"/opt/flink/bin/flink {action} -m 10.0.0.1:18081 --savepointPath file:///savepoints"


def test_native_kubernetes_commands_name_the_cluster() -> None:
    stop, start = commands_of(NATIVE)
    assert "--target kubernetes-application -Dkubernetes.cluster-id=orders -Dkubernetes.namespace=shop" in stop
    assert start.startswith("flink run-application --target kubernetes-application ")
    assert cluster(NATIVE).needed[0][1] == "kubectl -n shop port-forward svc/orders-rest 8081:8081"


def test_the_operator_stops_and_starts_by_the_resource() -> None:
    first, second, third = commands_of(OPERATOR)
    assert first.startswith("kubectl -n shop patch flinkdeployment orders ")
    assert "savepoint" in first
    assert (second, '"running"' in third) == ("kubectl -n shop edit flinkdeployment orders", True)
    failing = commands_of(OPERATOR, **{"checkpoint_progress.consecutive_failed": 3})
    assert "last-state" in failing[0]


def test_yarn_commands_name_the_application_in_the_words_of_the_version() -> None:
    assert commands_of(YARN)[0].startswith("flink stop --target yarn-session -Dyarn.application.id=application_17")
    assert cluster(YARN, (1, 10)).flink("stop") == "flink stop -yid application_1700000000000_0007"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (STANDALONE, "grep -n 'x' /var/log/flink/flink-*-standalonesession-*.log | tail"),
        (NATIVE, "kubectl -n shop logs -l app=orders,component=jobmanager --tail=-1 --prefix | grep -n 'x' | tail"),
        (YARN, "yarn logs -applicationId application_1700000000000_0007 | grep -n 'x' | tail"),
        ({}, "grep -n 'x' log/flink-*-standalonesession-*.log | tail"),
    ],
)
def test_logs_are_read_where_they_are(facts: dict[str, Any], expected: str) -> None:
    assert cluster(facts).logs("jobmanager", "grep -n 'x' | tail") == expected


def test_options_are_changed_where_the_cluster_loads_them() -> None:
    assert cluster(STANDALONE).config_place == "/etc/flink/config.yaml"
    assert cluster({"deployment.config_file": "/opt/flink/conf/flink-conf.yaml"}).config_file == "flink-conf.yaml"
    assert cluster(OPERATOR).config_place == "spec.flinkConfiguration of the FlinkDeployment orders"
    assert cluster({}, (1, 17)).config_file == "flink-conf.yaml"


LAST_COMPLETED = {"checkpoint_progress.completed_ids": [6, 7]}


def test_a_job_that_failed_is_not_stopped_and_never_started_without_its_state_by_a_failed_listing() -> None:
    failed = {
        "restarts.final_state": "FAILED",
        "job_overview.state": "RESTARTING",
        "settings.retention": "NO_EXTERNALIZED_CHECKPOINTS",
        "checkpoint_progress.last_path": "file:/ckpt/j/chk-8",
    }
    start, without_state = commands_of(STANDALONE, **failed)
    assert start.startswith("ls /ckpt/j/chk-8/_metadata && /opt/flink/bin/flink run -d ")
    assert " -s file:/ckpt/j/chk-8 " in start
    assert start.endswith("   # on the JobManager's host")
    assert without_state.startswith("# "), "pasted with the others, it does nothing"
    assert " -s " not in without_state
    savepoint = {**failed, "checkpoint_progress.last_savepoint_path": "file:/sp/savepoint-1"}
    assert [" -s file:/sp/savepoint-1 " in each for each in commands_of(STANDALONE, **savepoint)] == [True]
    kept = commands_of(STANDALONE, **{**failed, "settings.retention": "RETAIN_ON_CANCELLATION"})
    assert [each.split()[1] for each in kept] == ["run"]


def test_a_job_that_somebody_has_started_since_is_not_started_twice_by_commands_pasted_together() -> None:
    failed = {**STANDALONE, "subject.job": JOB, "restarts.final_state": "FAILED"}
    way = stop_and_start(failed.get)
    assert way["look"] == "/opt/flink/bin/flink list -m 10.0.0.1:18081"
    assert " list " not in way["command"]
    assert "Go on only when this job is not among them" in way["text"]
    assert stop_and_start({**STANDALONE, "subject.job": JOB}.get)["look"] == ""


def test_a_checkpoint_in_a_storage_without_a_listing_is_tried_before_the_state_is_given_up() -> None:
    failed = {
        "restarts.final_state": "FAILED",
        "settings.retention": "NO_EXTERNALIZED_CHECKPOINTS",
        "checkpoint_progress.last_path": "gs://b/j/chk-8",
    }
    start, without_state = commands_of(STANDALONE, **failed)
    assert " -s gs://b/j/chk-8 " in start
    assert without_state.startswith("# ")


def test_paths_of_the_evidence_take_the_place_of_placeholders() -> None:
    savepoint = {"checkpoint_progress.last_savepoint_path": "s3://b/savepoints/savepoint-1"}
    assert commands_of(STANDALONE, **savepoint)[0].endswith(f" --savepointPath s3://b/savepoints {JOB}")
    numbered = cluster({"settings.checkpoint_dir": "s3://b/c/", "subject.job": JOB, **LAST_COMPLETED})
    assert numbered.derived("cluster.last_checkpoint") == f"s3://b/c/{JOB}/chk-7"
    stated = cluster({"checkpoint_progress.last_path": f"s3://b/d/{JOB}/chk-7", **LAST_COMPLETED})
    assert stated.derived("cluster.last_checkpoint") == f"s3://b/d/{JOB}/chk-7"
    assert cluster(LAST_COMPLETED).derived("cluster.last_checkpoint") is None
    assert cluster(savepoint).derived("cluster.older_state") == "s3://b/savepoints/savepoint-1"
    broken = {"restore_failures.path": "s3://b/savepoints/savepoint-1"}
    assert cluster({**savepoint, **broken}).derived("cluster.older_state") is None


def test_a_path_that_a_shell_interprets_is_not_filled_in() -> None:
    facts = {"checkpoint_progress.last_path": "s3://b/$(reboot)/chk-7"}
    assert cluster(facts).derived("cluster.last_checkpoint") is None
    assert all("reboot" not in each for each in commands_of(STANDALONE, **facts))


def test_a_job_that_restarts_again_and_again_is_cancelled_first() -> None:
    commands = commands_of(
        STANDALONE, **{"job_overview.state": "RESTARTING", "settings.retention": "RETAIN_ON_CANCELLATION"}
    )
    assert [each.split()[1] for each in commands] == ["cancel", "curl", "run"]


def test_options_of_processes_restart_them() -> None:
    known = {**STANDALONE, "subject.job": JOB}
    commands = stop_and_start(known.get, "taskmanager.memory.task.heap.size: 512m")["command"].splitlines()
    assert "/opt/flink/bin/taskmanager.sh stop" in commands[1]
    assert len(stop_and_start(known.get, "execution.checkpointing.timeout: 1 min")["command"].splitlines()) == 2


AGAIN = "on each TaskManager's host, with the arguments (-D) and JVM options that each had"
OTHERS = (
    "stop-all also ends TaskManagers of other clusters that this user runs there: if there are any, "
    "stop this cluster's by their process ids"
)


@pytest.mark.parametrize(
    ("by_host", "registered", "expected"),
    [
        (
            [1, 1],
            2,
            [f"T stop && T start   # {AGAIN}"],
        ),
        (
            [2],
            2,
            [f"T stop-all && T start && T start   # {AGAIN}; {OTHERS}"],
        ),
        (
            [2, 2],
            4,
            [f"T stop-all && T start && T start   # {AGAIN}; {OTHERS}"],
        ),
        (
            [2],
            None,
            [
                f"T stop-all   # on each TaskManager's host; {OTHERS}",
                f"T start   # {EACH}",
            ],
        ),
        (
            [2],
            1,
            [
                f"T stop-all   # on each TaskManager's host; {OTHERS}",
                f"T start   # {EACH}",
            ],
        ),
        (
            [1, 2],
            3,
            [
                f"T stop-all   # on each TaskManager's host; {OTHERS}",
                f"T start   # {EACH}",
            ],
        ),
    ],
)
def test_all_task_managers_of_a_host_are_restarted(
    by_host: list[int], registered: int | None, expected: list[str]
) -> None:
    seen = {"deployment.task_managers_by_host": by_host, "task_manager_loss.all.registered_end": registered}
    known = {**STANDALONE, **seen, "subject.job": JOB}
    _, *restarts, _ = stop_and_start(known.get, "taskmanager.memory.task.heap.size: 512m")["command"].splitlines()
    assert [each.replace("/opt/flink/bin/taskmanager.sh", "T") for each in restarts] == expected
    assert [fault for each in restarts for fault in command_faults(each)] == []


def test_new_code_is_built_before_a_running_job_is_stopped() -> None:
    running = {**STANDALONE, "subject.job": JOB}
    first = "The job's code changes: build the new JAR or image before the job is stopped"
    assert stop_and_start(running.get, changes_code=True)["text"].startswith(first)
    assert first not in stop_and_start(running.get)["text"]
    assert first not in stop_and_start({**running, "job_overview.state": "FAILED"}.get, changes_code=True)["text"]


def test_a_loopback_address_says_where_to_run_commands_and_not_what_the_cluster_listens_at() -> None:
    """`rest.address` is what clients are told; `rest.bind-address`, often 0.0.0.0, is where the process listens."""
    place = cluster({**STANDALONE, "deployment.rest_address": "127.0.0.1"}).place
    assert place == "127.0.0.1 is an address that each host gives itself: run the commands on the JobManager's host."
    assert cluster(STANDALONE).place is None


def test_without_a_completed_checkpoint_the_job_starts_without_state() -> None:
    failed = {"restarts.final_state": "FAILED", "checkpoint_progress.completed": 0}
    [start] = commands_of(STANDALONE, **failed)
    assert " -s " not in start


def test_with_high_availability_a_restart_of_the_processes_suffices() -> None:
    known = {**STANDALONE, "settings.ha_type": "zookeeper", "subject.job": JOB}
    changed = "high-availability.zookeeper.client.session-timeout: 40000"
    commands = stop_and_start(known.get, changed)["command"].splitlines()
    assert [each.split()[0] for each in commands] == ["/opt/flink/bin/jobmanager.sh", "/opt/flink/bin/taskmanager.sh"]


def test_options_of_a_recovered_job_are_said_to_stay_as_they_were_submitted() -> None:
    known = {**STANDALONE, "settings.ha_type": "zookeeper", "subject.job": JOB}
    changed = "high-availability.zookeeper.client.session-timeout: 40000"
    retention = "execution.checkpointing.externalized-checkpoint-retention"
    both = stop_and_start(known.get, f"{changed}\n{retention}: RETAIN_ON_CANCELLATION")["text"]
    assert f"{retention} will take effect only when the job is submitted anew" in both
    assert "submitted anew" not in stop_and_start(known.get, changed)["text"]


def test_the_directory_of_savepoints_of_a_recovered_job_is_that_of_its_new_job_manager() -> None:
    """Flink's CheckpointStorageLoader reads it from the JobManager's configuration unless the job states one."""
    known = {**STANDALONE, "settings.ha_type": "zookeeper", "subject.job": JOB}
    changed = "high-availability.type: zookeeper\nexecution.checkpointing.savepoint-dir: file:///savepoints"
    assert "submitted anew" not in stop_and_start(known.get, changed)["text"]
    stated = known | {"settings.savepoint_dir": "file:///older"}
    assert "savepoint-dir will take effect only when" in stop_and_start(stated.get, changed)["text"]


def test_an_option_of_a_job_that_is_recovered_waits_for_its_next_submission() -> None:
    """It was told to change the retention in the restart of the TaskManagers, after which the job keeps its own."""
    known = {**STANDALONE, "subject.job": JOB, "settings.ha_type": "zookeeper"}
    known |= {"task_manager_loss.all.registered_end": 0}
    retention = "execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION"
    way = stop_and_start(known.get, retention)
    assert "does not bring execution.checkpointing.externalized-checkpoint-retention into effect" in way["text"]
    stop, start = way["command"].splitlines()
    assert stop.startswith("# /opt/flink/bin/flink stop ")
    assert start.startswith("# /opt/flink/bin/flink run -d ")
    assert not way["repeats"]


def test_an_ensemble_names_no_address_that_each_host_gives_itself() -> None:
    assert zookeeper_ensemble(["127.0.0.1:2182"]) == (
        "<first-zookeeper-host>:2182,<second-zookeeper-host>:2181,<third-zookeeper-host>:2181"
    )
    assert zookeeper_ensemble(["zk1:2181", "localhost:2182"]) == (
        "zk1:2181,<second-zookeeper-host>:2182,<third-zookeeper-host>:2181"
    )


def test_a_job_manager_that_something_starts_again_is_not_started_twice() -> None:
    known = {**STANDALONE, "settings.ha_type": "zookeeper", "subject.job": JOB}
    known |= {"high_availability.jobmanager_restarts": 3}
    [stop, *_] = stop_and_start(known.get, "high-availability.type: zookeeper")["command"].splitlines()
    assert "jobmanager.sh stop" in stop
    assert "jobmanager.sh start" not in stop


def test_without_a_task_manager_no_savepoint_is_advised() -> None:
    known = {**STANDALONE, "subject.job": JOB, "task_manager_loss.all.registered_end": 0}
    assert stop_and_start(known.get)["text"].startswith("No TaskManager is registered")
    assert "in the restart that starts the TaskManagers again" in stop_and_start(known.get)["text"]


@pytest.mark.parametrize(
    ("changed", "kind"),
    [("taskmanager.memory.task.heap.size: 512m", "standalone"), ("pipeline.object-reuse: true", "yarn")],
)
def test_task_managers_that_start_with_the_change_or_with_the_job_are_not_asked_for_first(
    changed: str, kind: str
) -> None:
    known = {**STANDALONE, "deployment.kind": kind, "subject.job": JOB, "task_manager_loss.all.registered_end": 0}
    assert "in the restart that starts the TaskManagers again" not in stop_and_start(known.get, changed)["text"]


def test_a_change_that_waits_for_the_task_managers_has_no_commands_of_its_own() -> None:
    """ "Alone it can wait" was followed by the commands that cancel the job and start it where no slot is."""
    known = {**STANDALONE, "subject.job": JOB, "task_manager_loss.all.registered_end": 0}
    way = stop_and_start(known.get, "execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION")
    assert way["text"].endswith("Alone it can wait until the job runs again.")
    assert way["command"] == ""
    assert "taskmanager.sh" in stop_and_start(known.get, "taskmanager.memory.task.heap.size: 1g")["command"]


@pytest.mark.parametrize("down", [{"restarts.final_state": "FAILED"}, {"task_manager_loss.all.registered_end": 0}])
def test_another_state_backend_waits_for_a_canonical_savepoint_and_never_starts_from_a_checkpoint(
    down: dict[str, Any],
) -> None:
    retained = {"checkpoint_progress.last_path": f"file:/c/{JOB}/chk-7", "settings.retention": "RETAIN_ON_CANCELLATION"}
    known = {**STANDALONE, **retained, **down, "subject.job": JOB, "job_overview.flink_version": "1.20.1"}
    changed = stop_and_start(known.get, "state.backend.type: rocksdb")
    assert "stop it with a savepoint in canonical format" in changed["text"]
    assert "--type canonical" in changed["command"]
    assert "chk-7" not in changed["command"]
    assert "chk-7" in stop_and_start(known.get, "taskmanager.memory.task.heap.size: 512m")["command"]


def test_processes_restart_only_for_a_change_of_theirs_and_an_alternative_says_that_it_needs_it() -> None:
    facts = {**STANDALONE, "subject.job": JOB, "job_overview.state": "RUNNING"}
    of_job = "execution.checkpointing.unaligned.enabled: true"
    of_processes = "taskmanager.network.memory.buffer-debloat.enabled: true"
    first = stop_and_start(facts.get, of_job, others=of_processes)
    assert first["command"].splitlines()[1].startswith("# /opt/flink/bin/taskmanager.sh")
    assert "jobmanager.sh" not in first["command"]
    assert "only if you make a change that is not decided here" in first["text"]
    assert "taskmanager.sh" in stop_and_start(facts.get, of_processes, others=of_job)["command"]


def test_a_heartbeat_that_waits_for_an_answer_shows_the_restart_of_every_process_after_a_hash() -> None:
    """Started without it, JobManager and TaskManagers keep the old timeout."""
    facts = {**STANDALONE, "subject.job": JOB, "restarts.final_state": "FAILED"}
    waiting = stop_and_start(facts.get, "restart-strategy.type: exponential-delay", others="heartbeat.timeout: 2 min")
    scripts = [line.split()[1] for line in waiting["command"].splitlines() if line.startswith("# /opt/flink/bin/")]
    assert scripts == ["/opt/flink/bin/jobmanager.sh", "/opt/flink/bin/taskmanager.sh"]
    of_workers = stop_and_start(facts.get, "taskmanager.numberOfTaskSlots: 2", others="heartbeat.timeout: 2 min")
    lines = of_workers["command"].splitlines()
    assert [line.startswith("# ") for line in lines if "manager.sh" in line] == [True, False]


def test_a_step_with_alternatives_restarts_for_the_one_that_comes_first() -> None:
    of_job = {"subject": {"job": JOB}, "level": "job", "citations": [], "citation_count": 0}
    facts: dict[str, dict[str, Any]] = {
        "settings": {"mode": "EXACTLY_ONCE", "max_concurrent": 1},
        "checkpoint_phases": {"barrier_share_ratio": 0.9},
        "deployment": {"kind": "standalone"},
    }
    signals = [{"key": key, "facts": known, **of_job} for key, known in facts.items()]
    steps = fill(runbooks()["slow-sink"], {"subject": {"job": JOB}}, signals)["steps"]
    step = next(each for each in steps if each["id"] == "checkpoints")
    assert len(step["change"]) == 2
    lines = step["savepoint"]["command"].splitlines()
    assert [line for line in lines if "taskmanager.sh" in line and not line.startswith("# ")] == []
