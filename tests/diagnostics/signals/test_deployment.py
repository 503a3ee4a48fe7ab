"""How a cluster runs and how a job was started, from start-up messages."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.log_scan.process import options_of
from diagnostics.signals.deployment import measure
from tests.diagnostics.hand_made import JOB, hand_made, line_of_jobs, needs, only

STANDALONE = (
    " Starting StandaloneSessionClusterEntrypoint (Version: 1.20.1, Scala: 2.12, Rev:1, Date:x)",
    "INFO  [] - Using standard YAML parser to load flink configuration file from /etc/flink/flink-conf.yaml.",
    " JVM Options:",
    "    -Dlog.file=/var/log/flink/flink-root-standalonesession-0-a.log",
    " Classpath: /opt/flink/lib/flink-cep-1.20.1.jar:/opt/flink/lib/flink-dist-1.20.1.jar",
    "Loading configuration property: rest.address, 10.0.0.1",
    "Loading configuration property: rest.port, 18081",
)


def stated(*messages: str, role: str = "jobmanager", file_id: int = 0) -> list[dict[str, Any]]:
    """Rows of config_option from start-up messages, one a line."""
    rows = list(options_of(messages, range(len(messages)), role))
    return [{**row, "line": row.pop("record") + 1, "file_id": file_id} for row in rows]


def client(*arguments: str) -> tuple[str, ...]:
    return (" Program Arguments:", *(f"    {each}" for each in arguments), " Classpath: /opt/flink/lib/flink-cep.jar")


def facts_of(*rows: dict[str, Any], **tables: Any) -> dict[str, Any]:
    tables = {**line_of_jobs(), **tables}
    return dict(only(measure(hand_made(config_option=list(rows), **tables)), "deployment").facts)


def test_a_standalone_cluster_states_its_files_and_its_address() -> None:
    facts = facts_of(*stated(*STANDALONE))
    assert (facts["kind"], facts["mode"], facts["home"]) == ("standalone", "session", "/opt/flink")
    assert facts["config_file"] == "/etc/flink/flink-conf.yaml"
    assert facts["jobmanager_log"] == "/var/log/flink/flink-root-standalonesession-0-a.log"
    assert (facts["rest_address"], facts["rest_port"]) == ("10.0.0.1", 18_081)


@pytest.mark.parametrize(
    ("banner", "kind", "mode"),
    [
        ("YarnJobClusterEntrypoint", "yarn", "per-job"),
        ("YarnApplicationClusterEntryPoint", "yarn", "application"),
        ("KubernetesSessionClusterEntrypoint", "kubernetes", "session"),
        ("StandaloneApplicationClusterEntryPoint", "standalone", "application"),
    ],
)
def test_the_entry_point_names_the_kind_of_cluster(banner: str, kind: str, mode: str) -> None:
    facts = facts_of(*stated(f" Starting {banner} (Version: 1.18.1, Scala: 2.12)"))
    assert (facts["kind"], facts["mode"]) == (kind, mode)


def test_a_template_that_the_operator_wrote_names_it() -> None:
    option = (
        "Loading configuration property: kubernetes.pod-template-file.taskmanager, /tmp/flink_op_generated_podT_1.yaml"
    )
    facts = facts_of(*stated(" Starting KubernetesApplicationClusterEntrypoint (Version: 1.18.1, S)", option))
    assert facts["kind"] == "kubernetes operator"


def test_the_start_of_a_job_is_kept_without_what_a_later_start_states_anew() -> None:
    run = client(
        "run", "-d", "-m", "jm:8081", "-s", "file:/old", "-p", "4", "-c", "a.Job", "/jobs/a.jar", "--rate", "5"
    )
    facts = facts_of(*stated(*run, role="client"))
    assert facts["program"] == ["-p", "4", "-c", "a.Job", "/jobs/a.jar", "--rate", "5"]
    assert (facts["jar"], facts["entry_class"]) == ("/jobs/a.jar", "a.Job")


def test_a_password_among_the_arguments_of_a_program_is_not_kept() -> None:
    run = client("run", "/jobs/a.jar", "--db-password", "hunter2", "--api-token=abc")
    program = facts_of(*stated(*run, role="client"))["program"]
    assert program == ["/jobs/a.jar", "--db-password", "******", "--api-token=******"]


def test_each_of_two_jobs_has_its_own_start() -> None:
    other = "b" * 32
    rows = stated(*client("run", "/jobs/a.jar"), *client("run", "/jobs/b.jar"), role="client")
    submitted = [
        {"kinds": "submitted", "message": f"Submitting job 'x' ({job}).", "line": line, "file_id": 0}
        for job, line in ((JOB, 4), (other, 8))
    ]
    measured = {
        each.subject.job: each.facts.get("jar")  # type: ignore[union-attr]
        for each in measure(hand_made(**line_of_jobs(), config_option=rows, log_record=submitted))
    }
    assert measured[JOB] == "/jobs/a.jar"


def test_without_any_statement_nothing_is_measured() -> None:
    assert needs(measure(hand_made())) == {"deployment": "jobmanager-log"}


@pytest.mark.parametrize(
    ("arguments", "service"),
    [
        (("/jobs/a.jar", "http://10.0.0.7:9200/_bulk"), "http://10.0.0.7:9200"),
        (("/jobs/a.jar", "--sink=https://index.example/a,b"), "https://index.example"),
        (("/jobs/a.jar", "http://a:1/", "http://b:1/"), None),
        (("/jobs/a.jar", "http://user:secret@a:1/"), None),
    ],
)
def test_the_only_service_that_the_program_was_given_is_known(arguments: tuple[str, ...], service: str | None) -> None:
    assert facts_of(*stated(*client("run", *arguments), role="client")).get("service") == service


def test_the_task_managers_of_each_host_are_counted() -> None:
    hosts = ("localhost:18140", "127.0.0.1:18141", "tm-2:6122")
    listed = [{"task_manager": f"tm-{place}", "host": host} for place, host in enumerate(hosts)]
    evidence = hand_made(**line_of_jobs(), config_option=stated(*STANDALONE), task_manager=listed)
    assert only(measure(evidence), "deployment").facts["task_managers_by_host"] == [1, 2]


def database_of(*addresses: str) -> tuple[Any, ...]:
    facts = facts_of(*stated(*client("run", "/jobs/a.jar", *addresses), role="client"))
    return tuple(facts.get(f"database_{each}") for each in ("host", "port", "name", "user"))


def test_a_jdbc_address_states_the_database_and_its_user() -> None:
    assert database_of("jdbc:postgresql://db:5433/shop?ssl=true&user=reader&password=x") == (
        "db",
        "5433",
        "shop",
        "reader",
    )
    assert database_of("jdbc:postgresql://db:5432/shop?superuser=on") == ("db", "5432", "shop", None)


def test_addresses_that_differ_in_the_database_leave_its_name_open() -> None:
    assert database_of("jdbc:postgresql://db/shop?user=a", "jdbc:postgresql://db/stock?user=a") == (
        "db",
        None,
        None,
        "a",
    )


def test_options_of_a_process_are_those_that_the_start_script_did_not_add() -> None:
    def log(port: int) -> tuple[str, ...]:
        added = ("taskmanager.memory.managed.size=5b", "taskmanager.cpu.cores=2.0", "external-resources=none")
        given = (*added, "taskmanager.numberOfTaskSlots=2", f"metrics.reporter.prom.port={port}", "ssl.key-password=x")
        return (" Program Arguments:", *(line for each in given for line in ("    -D", f"    {each}")), "-----")

    rows = [*stated(*log(19152), role="taskmanager"), *stated(*log(19151), role="taskmanager", file_id=1)]
    facts = facts_of(*stated(*STANDALONE, file_id=2), *rows)

    assert [each.split()[0] for each in facts["task_manager_arguments"]] == [
        "metrics.reporter.prom.port=19151",
        "metrics.reporter.prom.port=19152",
    ]
    assert "password=x" not in str(facts["task_manager_arguments"])
    assert "jobmanager_arguments" not in facts


def test_the_options_of_one_start_stay_together_whatever_the_times_of_its_lines() -> None:
    """Lines of a start-up message differ by milliseconds, and options are kept with the latest first."""
    log = (" JVM Options:", "    -Xlog:gc*:file=/log/a.log", " Program Arguments:", "    -D", "    rpc.port=1", "-----")
    rows = [row | {"ts_ms": 1_000 + row["line"]} for row in stated(*log, role="taskmanager")]
    facts = facts_of(*stated(*STANDALONE, file_id=1), *rows)

    assert facts["task_manager_arguments"] == ["rpc.port=1"]
    assert facts["task_manager_jvm_options"] == ["'-Xlog:gc*:file=/log/a.log'"]


def test_jvm_options_of_a_process_are_those_that_neither_a_script_nor_the_configuration_states() -> None:
    def log(name: str) -> tuple[str, ...]:
        computed = ("-Xmx145961776", "-XX:MaxMetaspaceSize=268435456", "-XX:+UseSerialGC", "-Dlog.file=/log/a.log")
        options = (*computed, "--add-opens=java.base/java.net=ALL-UNNAMED", f"-Xlog:gc*:file=/log/{name}.log")
        return (
            "Loading configuration property: env.java.opts.taskmanager, -XX:+UseSerialGC",
            " JVM Options:",
            *(f"    {each}" for each in options),
            " Program Arguments:",
            "    -D",
            "    rpc.port=1",
            "-----",
        )

    rows = [*stated(*log("b"), role="taskmanager"), *stated(*log("a"), role="taskmanager", file_id=1)]
    facts = facts_of(*stated(*STANDALONE, file_id=2), *rows)

    assert facts["task_manager_arguments"] == ["rpc.port=1", "rpc.port=1"]
    assert facts["task_manager_jvm_options"] == ["'-Xlog:gc*:file=/log/a.log'", "'-Xlog:gc*:file=/log/b.log'"]
