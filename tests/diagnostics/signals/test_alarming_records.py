"""The most severe log records: which are kept, which is quoted, and which are harmless."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.alarming_records import measure
from diagnostics.signals.signal import Signal
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only
from tests.diagnostics.signals.incident_rows import switched

LOGGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"


def record(seconds: int, level: str, message: str, **more: Any) -> dict[str, Any]:
    return {"ts_ms": START + 1000 * seconds, "level": level, "logger": LOGGER, "message": message, **more}


def test_the_error_that_prints_an_exception_is_quoted_with_its_root_cause() -> None:
    evidence = hand_made(
        log_record=[
            record(0, "INFO", "Starting"),
            record(1, "ERROR", "Something is off"),
            record(
                2,
                "ERROR",
                "Could not write.",
                exception_class="java.lang.RuntimeException",
                root_cause_class="java.io.IOException",
                root_cause_message="disk full",
                root_cause_frame="org.example.Sink.write",
            ),
        ]
    )
    signal = only(measure(evidence), "alarming_records")
    assert (signal.facts["error_count"], signal.facts["fatal_count"]) == (2, 0)
    assert signal.facts["error_text"] == "Could not write: IOException: disk full"
    assert signal.facts["error_frame"] == "org.example.Sink.write"
    assert [each.line for each in signal.citations] == [3, 2]


def test_an_error_with_which_a_process_ends_is_fatal() -> None:
    evidence = hand_made(
        log_record=[record(0, "ERROR", "Fatal error occurred in the cluster entrypoint."), record(1, "FATAL", "Over.")]
    )
    assert only(measure(evidence), "alarming_records").facts["fatal_count"] == 2


def test_a_fatal_error_comes_with_what_repairs_it_where_its_message_is_known() -> None:
    known = record(0, "FATAL", "Thread 'SourceCoordinator' caused the coordinator executor thread to exit.")
    for said, repaired in ((known, True), (record(0, "FATAL", "Over."), False)):
        facts = only(measure(hand_made(log_record=[said])), "alarming_records").facts
        assert ("connector" in str(facts.get("fatal_remedy"))) is repaired


@pytest.mark.parametrize("is_there", [False, True])
def test_the_cause_is_asked_for_only_where_the_record_does_not_print_it(is_there: bool) -> None:
    said = "An error occurred while calling o10.executeAsync."
    root = ("java.io.IOException", "no directory") if is_there else ("py4j.protocol.Py4JJavaError", said)
    causes = "\n".join([f"py4j.protocol.Py4JJavaError: {said}", *([": ".join(root)] if is_there else [])])
    thrown = {"exception_class": "py4j.protocol.Py4JJavaError", "exception_message": said, "causes": causes}
    row = record(0, "ERROR", f"py4j.protocol.Py4JJavaError: {said}", **thrown)
    row |= {"root_cause_class": root[0], "root_cause_message": root[1]}
    facts = only(measure(hand_made(log_record=[row])), "alarming_records").facts
    assert ("Add the lines below" in str(facts.get("error_remedy"))) is not is_there


def test_an_exception_that_a_program_around_the_client_prints_as_information_is_an_error() -> None:
    thrown = {"exception_class": "org.apache.flink.table.api.ValidationException", "exception_message": "no column"}
    repeated = record(0, "INFO", "ValidationException: no column", **thrown) | {"logger": None}
    by_root = {**repeated, "logger": "root"}
    of_flink = record(1, "INFO", "switched from RUNNING to FAILED", **thrown)
    quiet = record(2, "INFO", "submitted") | {"logger": None}
    facts = only(measure(hand_made(log_record=[repeated, by_root, of_flink, quiet])), "alarming_records").facts
    assert (facts["error_count"], facts["warning_count"]) == (2, 0)


def test_a_process_that_ends_with_its_session_reports_it_as_information() -> None:
    ended = record(0, "INFO", "RECEIVED SIGNAL 1: SIGHUP. Shutting down as requested.")
    asked = record(1, "INFO", "RECEIVED SIGNAL 15: SIGTERM. Shutting down as requested.")
    facts = only(measure(hand_made(log_record=[ended, asked])), "alarming_records").facts
    assert (facts["error_count"], facts["error_text"]) == (1, ended["message"])


def test_a_warning_counts_only_with_an_exception() -> None:
    plain, thrown = record(0, "WARN", "Slow"), record(1, "WARN", "Retrying", exception_class="java.io.IOException")
    facts = only(measure(hand_made(log_record=[plain, thrown])), "alarming_records").facts
    assert (facts["warning_count"], facts["warning_text"]) == (1, "Retrying: IOException")


def test_a_warning_of_a_connector_counts_when_it_reports_a_failure() -> None:
    sink = "org.apache.doris.flink.sink.writer.DorisStreamLoad"
    failed = record(0, "WARN", "Get error write response, retrying", logger=sink)
    quiet = record(1, "WARN", "The option is deprecated", logger=sink)
    own = record(2, "WARN", "Could not report metrics")
    facts = only(measure(hand_made(log_record=[failed, quiet, own])), "alarming_records").facts
    assert (facts["outside_count"], facts["warning_count"]) == (1, 0)
    assert facts["outside_logger"] == "DorisStreamLoad"


LOCKED = "retry 2 of 3: Lock wait timeout exceeded; try restarting transaction"


def test_a_warning_whose_text_is_known_needs_no_exception_and_no_word_of_failure() -> None:
    locked = record(0, "WARN", LOCKED, logger="com.acme.etl.JdbcUpsertSink")
    facts = only(measure(hand_made(log_record=[locked])), "alarming_records").facts
    assert facts["outside_count"] == 1
    assert "holds the lock" in str(facts["outside_remedy"])


def test_an_answer_of_a_system_that_is_logged_as_information_is_no_warning() -> None:
    informed = record(0, "INFO", LOCKED, logger="com.zaxxer.hikari.pool.PoolBase")
    assert only(measure(hand_made(log_record=[informed])), "alarming_records").facts["outside_count"] == 0


def test_a_container_that_the_cluster_refuses_is_repaired_by_its_message() -> None:
    said = "Failed requesting worker with resource spec WorkerResourceSpec {cpuCores=2.0}, current pending count: 1"
    refused = record(
        0,
        "WARN",
        said,
        logger="org.apache.flink.runtime.resourcemanager.active.ActiveResourceManager",
        exception_class="io.fabric8.kubernetes.client.KubernetesClientException",
        exception_message='pods "tm-1" is forbidden: exceeded quota: compute-quota',
    )
    facts = only(measure(hand_made(log_record=[refused])), "alarming_records").facts
    assert (facts["outside_count"], facts["warning_count"]) == (1, 0)
    assert "ResourceQuota" in str(facts["outside_remedy"])


def test_an_exception_without_a_level_counts_as_an_error() -> None:
    thrown = {"message": "java.lang.IllegalStateException: no", "exception_class": "java.lang.IllegalStateException"}
    assert only(measure(hand_made(log_record=[thrown])), "alarming_records").facts["error_count"] == 1


def test_what_a_browser_or_a_probe_causes_is_left_out() -> None:
    handler = "org.apache.flink.runtime.rest.handler.job.JobDetailsHandler"
    evidence = hand_made(log_record=[record(0, "ERROR", "Exception occurred in REST handler", logger=handler)])
    assert only(measure(evidence), "alarming_records").facts["error_count"] == 0


def test_an_error_of_the_jvm_counts_whoever_logs_it() -> None:
    """A class that is missing in Flink itself shows first where somebody asks the REST API."""
    handler = "org.apache.flink.runtime.rest.handler.job.JobExecutionResultHandler"
    thrown = {"logger": handler, "exception_class": "java.lang.NoClassDefFoundError"}
    evidence = hand_made(log_record=[record(1, "ERROR", "Request processing failed.", **thrown)])
    assert only(measure(evidence), "alarming_records").facts["error_count"] == 1


def test_a_record_that_names_a_job_is_that_jobs_and_one_that_names_none_is_everybodys() -> None:
    other = "b" * 32
    jobs = [{"job_id": each, "name": each[-1], "state": "RUNNING", "ts_ms": START} for each in (JOB, other)]
    evidence = hand_made(job=jobs, log_record=[record(0, "ERROR", "Of one", job_id=JOB), record(1, "ERROR", "Of none")])
    found = {each.subject.job: each.facts["error_count"] for each in measure(evidence) if hasattr(each, "facts")}
    assert found == {JOB: 2, other: 1}


def test_without_a_log_nothing_is_measured() -> None:
    assert needs(measure(hand_made())) == {"alarming_records": "jobmanager-log"}


def test_an_error_that_healthy_clusters_log_too_is_left_out() -> None:
    noise = record(0, "ERROR", "Authentication failed", event="noise.sasl_failed")
    real = record(1, "ERROR", "Could not write.")
    facts = only(measure(hand_made(log_record=[noise, real])), "alarming_records").facts
    assert (facts["error_count"], facts["error_text"]) == (1, "Could not write.")


def test_a_process_that_ends_over_its_ports_is_fatal_whoever_logs_it() -> None:
    netty = "org.apache.pekko.remote.transport.netty.NettyTransport"
    taken = record(0, "ERROR", "failed to bind to host:localhost port:6122", logger=netty, event="noise.bind_port")
    over = record(1, "ERROR", "Terminating TaskManagerRunner with exit code 1.")
    facts = only(measure(hand_made(log_record=[taken, over])), "alarming_records").facts
    assert (facts["error_count"], facts["fatal_count"]) == (0, 1)


def test_a_harmless_error_is_named_with_what_somebody_may_do_about_it() -> None:
    bean = "javax.management.InstanceAlreadyExistsException"
    shown = record(1, "ERROR", "Error registering AppInfo mbean", exception_class=bean, logger="root")
    signal = only(measure(hand_made(log_record=[record(0, "INFO", "Starting"), shown])), "alarming_records")
    assert signal.facts["error_count"] == 0
    assert signal.facts["harmless"] == ["two Kafka clients have one name"]
    assert "client.id.prefix" in str(signal.facts["harmless_advice"])


def test_of_a_whole_log_only_rare_harmless_records_are_named() -> None:
    netty = "org.apache.pekko.remote.transport.netty.NettyTransport"
    taken = [
        record(number, "ERROR", "failed to bind to host:localhost port:6122", logger=netty, event="noise.bind_port")
        for number in range(11)
    ]
    others = [record(number, "INFO", "Completed checkpoint") for number in range(11, 40)]
    hadoop = record(41, "WARN", "Unable to load native-hadoop", logger="org.apache.hadoop.util.NativeCodeLoader")
    stdout = record(42, "ERROR", "Unhandled exception.", logger="a.TaskManagerStdoutFileHandler")
    facts = only(measure(hand_made(log_record=[*taken, *others, hadoop, stdout])), "alarming_records").facts
    named = ["the stdout file of a TaskManager was asked for, and its process writes none"]
    assert facts["harmless"] == named, "the others are in most logs"
    excerpt = only(measure(hand_made(log_record=[hadoop])), "alarming_records").facts
    assert excerpt["harmless"] == ["Hadoop's native library is not there, and its Java code does the same work"]


def test_a_harmless_warning_is_no_error_of_the_log() -> None:
    former = "Config uses deprecated configuration key 'state.backend' instead of proper key 'state.backend.type'"
    warning = record(1, "WARN", former, event="noise.deprecated_key")
    facts = only(measure(hand_made(log_record=[warning])), "alarming_records").facts
    assert (facts["error_count"], facts["warning_count"]) == (0, 0)
    assert "former name" in str(facts["harmless"])


def test_a_repair_may_be_known_by_an_exception_below_the_message() -> None:
    below = "org.apache.flink.runtime.checkpoint.CheckpointException: a Failure reason: Task has failed."
    declined = record(1, "ERROR", "Something is off", exception_class="a.BException", causes=below)
    signal = only(measure(hand_made(log_record=[declined])), "alarming_records")
    assert "Task name with subtask" in str(signal.facts["error_remedy"])


def test_the_traceback_of_a_python_program_counts_though_its_driver_repeats_it_as_information() -> None:
    driver = "org.apache.flink.client.python.PythonDriver"
    plain = record(0, "INFO", "Job has been submitted with JobID 1", logger=driver)
    raised = record(1, "INFO", "ModuleNotFoundError: No module named 'pandas'", logger=driver)
    other = record(2, "INFO", "ValueError: kept", logger="com.acme.Job")
    facts = only(measure(hand_made(log_record=[plain, raised, other])), "alarming_records").facts
    assert (facts["error_count"], facts["error_text"]) == (1, raised["message"])


@pytest.mark.parametrize(("level", "is_repaired"), [("ERROR", True), ("WARN", False)])
def test_an_error_about_a_class_comes_with_what_its_artifact_asks_for(level: str, is_repaired: bool) -> None:
    """A warning of a missing class is mostly of an optional one."""
    thrown = {
        "exception_class": "java.lang.NoSuchMethodError",
        "exception_message": "'void io.debezium.jdbc.JdbcConnection.<init>(io.debezium.config.Configuration)'",
        "logger": "com.acme.Submitter",
    }
    facts = only(measure(hand_made(log_record=[record(0, level, "Not created.") | thrown])), "alarming_records").facts
    remedies = [str(facts.get(f"{rank}_remedy")) for rank in ("error", "outside")]
    assert any("debezium-*" in each for each in remedies) is is_repaired


def test_what_a_message_says_behind_a_printed_event_is_known() -> None:
    event = (
        "Encountered change event 'Event{header=EventHeaderV4{" + "timestamp=0, " * 40 + "}}' at offset {} for table "
    )
    logged = record(
        0, "ERROR", event + "shop.orders whose schema isn't known to this connector.", logger="io.debezium.x"
    )
    facts = only(measure(hand_made(log_record=[logged])), "alarming_records").facts
    assert "scan.newly-added-table.enabled" in str(facts["error_remedy"])


@pytest.mark.parametrize(
    ("logger", "said", "counts"),
    [
        ("com.acme.jobs.Enricher", ">>>>> enter processElement key=17", False),
        ("com.acme.jobs.Enricher", "could not reach the price service", True),
        ("org.apache.kafka.clients.NetworkClient", "Node 3 is gone", True),
        ("o.a.f.k.o.c.FlinkDeploymentController", "Node 3 is gone", True),
    ],
)
def test_what_the_program_itself_traces_at_the_level_of_an_error_is_no_trouble(
    logger: str, said: str, counts: bool
) -> None:
    traced = record(0, "ERROR", said) | {"logger": logger}
    facts = only(measure(hand_made(log_record=[traced])), "alarming_records").facts
    assert (facts["error_count"] == 1) is counts


THROWN = {
    "exception_class": "javax.net.ssl.SSLHandshakeException",
    "exception_message": "PKIX path building failed: unable to find valid certification path to requested target",
    "causes": "javax.net.ssl.SSLHandshakeException: PKIX path building failed: unable to find valid certification path",
}


@pytest.mark.parametrize("level", ["WARN", "INFO"])
def test_the_last_word_of_a_log_has_its_repair_whatever_its_level(level: str) -> None:
    lasting = hand_made(log_record=[record(0, level, "Retrying", **THROWN)])
    assert "certificate" in str(only(measure(lasting), "alarming_records").facts["warning_remedy"])


def test_a_warning_after_which_its_log_goes_on_has_no_repair() -> None:
    passed = hand_made(log_record=[record(0, "WARN", "Retrying", **THROWN), record(3_600, "INFO", "Goes on")])
    facts = only(measure(passed), "alarming_records").facts
    assert facts["warning_count"] == 1
    assert "warning_remedy" not in facts


def test_a_record_that_informs_of_an_exception_without_a_known_repair_is_no_warning() -> None:
    other = {"exception_class": "a.B", "exception_message": "c", "causes": "a.B: c"}
    evidence = hand_made(log_record=[record(0, "INFO", "Retrying", **other)])
    assert only(measure(evidence), "alarming_records").facts["warning_count"] == 0


@pytest.mark.parametrize(("handler", "errors"), [("JarRunHandler", 1), ("JarListHandler", 0)])
def test_a_request_that_starts_a_job_is_no_harmless_one(handler: str, errors: int) -> None:
    logger = f"org.apache.flink.runtime.webmonitor.handlers.{handler}"
    thrown = {"exception_class": "java.io.IOException", "exception_message": "disk full"}
    evidence = hand_made(log_record=[record(0, "ERROR", "Unhandled exception.", **thrown) | {"logger": logger}])
    assert only(measure(evidence), "alarming_records").facts["error_count"] == errors


@pytest.mark.parametrize(
    ("message", "errors"),
    [
        ('>>> Status[Job]      | Error   | UPGRADING       | {"type":"ReconciliationException"}', 1),
        (">>> Event  | Warning | VALIDATIONERROR | jarURI must include a scheme", 1),
        (">>> Event  | Warning | SOMETHING | that nothing is known of", 0),
        (">>> Status | Info    | STABLE          | The resource deployment is considered to be stable", 0),
    ],
)
def test_an_error_that_the_operator_audits_is_one(message: str, errors: int) -> None:
    evidence = hand_made(log_record=[record(0, "INFO", message) | {"logger": "o.a.f.k.o.l.AuditUtils"}])
    assert only(measure(evidence), "alarming_records").facts["error_count"] == errors


def test_a_failed_task_counts_for_the_job_that_fell_right_after_it_alone() -> None:
    other = "c" * 32
    failed = record(9, "WARN", "pay (1/1) (x) switched from RUNNING to FAILED.", exception_class="java.io.IOException")
    fell = switched(9, "RUNNING", "RESTARTING") | {"job_id": other}
    jobs = [{"job_id": each, "name": each[:3], "ts_ms": START} for each in (JOB, other)]
    measured = measure(hand_made(log_record=[failed, fell], job=jobs))
    counts = {each.subject.job: each.facts["warning_count"] for each in measured if isinstance(each, Signal)}
    assert counts == {JOB: 0, other: 1}
