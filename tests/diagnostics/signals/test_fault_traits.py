"""Failures that no catalogue knows by their message: the cause that they resemble; what is left to others."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.fault_traits import measure
from diagnostics.symptoms import symptoms
from diagnostics.vocabulary.fault_traits import Thrower, fault_traits, resemblance_of
from tests.diagnostics.hand_made import START, hand_made, line_of_jobs, needs, only


def failed(exception: str, message: str, frame: str | None = None) -> dict[str, Any]:
    return {
        "ts_ms": START + 5000,
        "process": "jobmanager",
        "level": "INFO",
        "logger": "org.apache.flink.runtime.executiongraph.ExecutionGraph",
        "message": "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1 @ host.",
        "vertex": "enrich",
        "subtask": 0,
        "exception_class": exception,
        "root_cause_class": exception,
        "root_cause_message": message,
        "root_cause_frame": frame,
        "thrown_in": frame,
        "causes": f"{exception}: {message}",
    }


def facts_of(*log: dict[str, Any]) -> dict[str, Any]:
    return dict(only(measure(hand_made(**line_of_jobs(), log_record=log)), "fault_traits").facts)


@pytest.mark.parametrize(
    ("exception", "message", "frame", "cause"),
    [
        ("org.example.db.LeaseRefusedException", "lease 7 was rejected by the server", None, "outside_system"),
        ("org.example.app.PriceGapException", "gap", "org.example.app.Enrich.map", "user_code"),
        ("org.example.conf.MissingOptionException", "option 'x' is required", None, "misconfiguration"),
        ("java.lang.IllegalStateException", "the savepoint is of an older release", None, "restore_failure"),
        ("java.lang.Exception", "Job leader for job 7 has no leadership", None, "zookeeper_ha"),
        ("java.lang.Exception", "not enough memory for 7 pages", None, "resource_shortage"),
        ("org.example.Exception", "lost connection to the JobManager", None, "network_partition"),
    ],
)
def test_traits_speak_for_a_cause(exception: str, message: str, frame: str | None, cause: str) -> None:
    resemblance = resemblance_of(Thrower(exception, message, (frame,) if frame else ()), [])
    assert resemblance is not None
    assert resemblance.symptom_class == cause
    assert resemblance.says


def test_two_causes_that_are_equally_near_decide_nothing() -> None:
    """A resource and a setting are named, and neither leads."""
    assert resemblance_of(Thrower("java.lang.Exception", "no slot for this option"), []) is None


def test_a_message_without_traits_decides_nothing() -> None:
    assert resemblance_of(Thrower("java.lang.Exception", "oh"), []) is None


def test_the_names_of_tasks_are_no_traits_of_a_failure() -> None:
    said = "Cannot initialize task '{}': no such thing"
    plain, named = (
        resemblance_of(Thrower("org.acme.Exception", said.format(each)), [], 2) for each in ("a", "Sink: b")
    )
    assert plain is None
    assert named is None
    assert resemblance_of(Thrower("org.acme.Exception", "the sink b has no connection"), [], 2) is not None


def test_what_an_outer_exception_says_counts_half() -> None:
    trait = Thrower("org.example.conf.MissingOptionException", "x")
    inner, outer = resemblance_of(trait, []), resemblance_of(Thrower("java.lang.Exception", "oh"), [trait])
    assert inner is not None
    assert outer is None or outer.points < inner.points


def test_the_signal_names_the_cause_and_the_traits_of_an_unknown_failure() -> None:
    facts = facts_of(failed("org.example.db.LeaseRefusedException", "lease 7 was rejected by the server"))
    assert facts["resembles"] == "outside_system"
    assert "the other side refuses, limits or is not ready" in facts["because"]
    assert (facts["unknown"], facts["is_first"], facts["vertices"]) == (1, True, ["enrich"])


def test_one_trait_that_often_decides_suffices_for_a_failure_but_not_for_an_error_in_a_log() -> None:
    refused = failed("java.lang.IllegalArgumentException", "offset (0) + length (8) exceeds 6")
    assert facts_of(refused)["resembles"] == "user_code"
    logged = {**refused, "level": "ERROR", "message": "a lookup was skipped", "logger": "org.example.cache.Refresh"}
    logged["vertex"] = logged["subtask"] = None
    facts = facts_of(logged)
    assert facts["unknown"] == 1
    assert "resembles" not in facts


def test_that_a_recovery_is_suppressed_speaks_for_no_cause() -> None:
    refused = failed("org.example.authz.AuthzException", "Access Denied: user a may not insert")
    report = "org.apache.flink.runtime.JobException: Recovery is suppressed by NoRestartBackoffTimeStrategy"
    facts = facts_of({**refused, "causes": f"{report}\n{refused['causes']}"})
    assert (facts["resembles"], facts["lead"]) == ("outside_system", 2)


def test_a_failure_that_a_catalogue_knows_is_left_to_its_signal() -> None:
    facts = facts_of(failed("java.io.IOException", "No space left on device"))
    assert facts == {"failures": 1, "unknown": 0}


def test_without_logs_nothing_is_measured() -> None:
    assert needs(measure(hand_made(**line_of_jobs()))) == {"fault_traits": "jobmanager-log"}


def test_every_trait_speaks_for_causes_that_exist() -> None:
    causes = {each.id for each in symptoms().values() if each.kind == "cause"}
    for trait in fault_traits():
        assert set(trait.speaks_for) <= causes, trait.says
        assert trait.classes or trait.packages or trait.said or trait.own_code, trait.says


def test_an_error_of_a_logger_of_the_job_is_no_failure_of_its_code() -> None:
    assert resemblance_of(Thrower("", "order 7 was skipped", (), "com.acme.Orders"), []) is None
    thrown = resemblance_of(Thrower("com.acme.Oops", "order 7", ("com.acme.Orders.map",), "com.acme.Orders"), [])
    assert thrown is not None
    assert thrown.symptom_class == "user_code"


def test_a_failure_told_by_its_traits_brings_the_repair_of_its_message() -> None:
    facts = facts_of(failed("java.io.FileNotFoundException", "File does not exist: hdfs://shop:8020/flink/plugins"))
    assert "hadoop fs -mkdir" in facts["remedy"]


def test_the_words_of_an_unknown_refusal_show_its_kind_and_repair() -> None:
    facts = facts_of(failed("org.example.AuthzException", "Access Denied: user flink not authorized for data:Insert"))
    assert facts["resembles"] == "outside_system"
    assert facts["kind"] == "it does not allow what the job asks for"
    assert facts["advice"].startswith("Grant the job's user the right")


def test_an_error_that_the_job_logs_without_an_exception_resembles_nothing() -> None:
    """Its level is its author's choice; a library's means what it says."""
    said = "lost connection to the server while the request was refused"
    line = {"ts_ms": START + 5000, "process": "taskmanager", "level": "ERROR", "message": said}
    of_job = facts_of({**line, "logger": "com.acme.trace.Tracer"})
    of_library = facts_of({**line, "logger": "org.apache.kafka.clients.NetworkClient"})
    assert "resembles" not in of_job
    assert of_library["unknown"] == 1


LISTENER = "org.apache.flink.runtime.scheduler.VertexEndOfDataListener.recordTaskEndOfData"


@pytest.mark.parametrize(
    ("exception", "frame", "own_frames", "is_defect"),
    [
        ("java.lang.NullPointerException", LISTENER, None, True),
        ("java.lang.NullPointerException", LISTENER, "com.acme.Job.main", None),
        (
            "java.lang.NullPointerException",
            "org.apache.flink.api.common.typeutils.base.LongSerializer.copy",
            None,
            None,
        ),
        ("java.lang.ClassCastException", LISTENER, None, None),
    ],
)
def test_a_defect_of_flinks_own_code_has_none_of_the_jobs_frames_on_its_stack(
    exception: str, frame: str, own_frames: str | None, is_defect: bool | None
) -> None:
    facts = facts_of({**failed(exception, "", frame), "own_frames": own_frames})
    assert facts.get("in_flink") is is_defect


def test_a_message_that_names_an_outside_system_is_left_to_that_system() -> None:
    """The traits of a programming error would stand beside it as a cause of its own, which it is not."""
    of_hudi = failed(
        "java.util.NoSuchElementException",
        "FileID 8e3f0d3b-7c0b-4ee9-9f3a-3f2c0d2b8f17-0 of partition path dt=2019-02-20 does not exist.",
        "org.apache.hudi.io.HoodieMergeHandle.getLatestBaseFile",
    )
    assert "resembles" not in facts_of(of_hudi)
