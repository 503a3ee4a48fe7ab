"""From signals to a verdict, with hand-made rules."""

from typing import Any

import pytest

from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.problem_time import problem_onset
from diagnostics.rules.rule import Rule, Ruleset

JOB, OTHER_JOB = "a" * 32, "b" * 32


def rule(rule_id: str, symptom_class: str, fact: str, **more: Any) -> Rule:
    """A job-level rule that holds when the fact is at least 1."""
    entries: dict[str, Any] = {
        "id": rule_id,
        "version": 1,
        "symptom_class": symptom_class,
        "level": "job",
        "title": f"Title of {rule_id}",
        "severity": "critical",
        "when": {"fact": fact, "op": ">=", "value": 1},
        "confidence": {"base": 0.8},
        "statement": "It measures {" + fact + "}.",
    }
    return Rule.from_mapping(entries | more, rule_id)


def signal(key: str, job: str | None = JOB, **facts: Any) -> dict[str, Any]:
    return {
        "key": key,
        "level": "job",
        "subject": {"job": job} if job else {},
        "facts": facts,
        "citations": [{"file_id": 0, "line": 7, "kind": "log", "text": "a line"}],
        "citation_count": 1,
        "window": None,
    }


INPUTS = [{"file": "jm.log", "format": "flink-log"}]
SKEW = rule("skew", "data_skew", "load.skew", explains=["checkpoint_timeout"], vetoes=["slow_sink"])
SINK = rule("sink", "slow_sink", "sink.busy", confidence={"base": 0.7})
EXPIRED = rule("expired", "checkpoint_timeout", "checkpoints.expired")
FIT = rule("fit", "healthy", "checkpoints.completed", severity="info", confidence={"base": 0.9})
RULES = Ruleset.of([SKEW, SINK, EXPIRED, FIT])


def verdict_of(*signals: dict[str, Any]) -> dict[str, Any]:
    return judge(signals, INPUTS, RULES)


def test_the_cause_is_the_verdict_and_the_expired_checkpoint_its_consequence() -> None:
    document = verdict_of(signal("load", skew=3), signal("checkpoints", expired=2))
    assert document["verdict"]["symptom_class"] == "data_skew"
    assert [(each["role"], each["caused_by"]) for each in document["findings"]] == [
        ("root_cause", None),
        ("consequence", 0),
    ]


def test_a_job_that_failed_for_good_or_has_no_task_manager_has_no_health() -> None:
    """A score of the findings alone would call it healthier than a job that runs badly."""
    failed = verdict_of(signal("sink", busy=3), signal("restarts", final_state="FAILED"))
    gone = signal("task_manager_loss.all", registered_end=0)
    assert (failed["health"]["score"], failed["health"]["trouble"]["is_stop"]) == (0, True)
    assert verdict_of(signal("sink", busy=3), gone, signal("slots", missing=2))["health"]["score"] == 0
    assert verdict_of(signal("sink", busy=3), signal("restarts", final_state="RUNNING"))["health"]["score"] > 0


def test_a_consequence_alone_is_inconclusive() -> None:
    assert verdict_of(signal("checkpoints", expired=2))["verdict"]["symptom_class"] == "inconclusive"


def test_a_finding_cites_no_signal_of_a_remark_that_is_not_made() -> None:
    idle_host = {
        **signal("host", busy=0.1),
        "citations": [{"file_id": 0, "line": 9, "kind": "log", "text": "iowait 0"}],
    }
    slow_disk = {
        "when": {"fact": "host.busy", "op": ">=", "value": 0.9},
        "say": "The disk is busy {host.busy|percent}.",
    }
    rules = Ruleset.of([rule("skew", "data_skew", "load.skew", also=[slow_disk])])

    def lines(busy: float) -> list[int]:
        host = {**idle_host, "facts": {"busy": busy}}
        (finding,) = judge([signal("load", skew=3), host], INPUTS, rules)["findings"]
        return [each["line"] for each in finding["evidence"]]

    assert (lines(0.1), lines(0.95)) == ([7], [7, 9])


def test_a_finding_begins_with_the_fact_that_its_rule_names() -> None:
    rules = Ruleset.of([rule("skew", "data_skew", "load.skew", onset="load.held_since_ms")])
    facts = {"skew": 3, "onset_ms": 1_000, "onset_at_start": True, "held_since_ms": 60_000}
    for at_start in (False, True):
        (finding,) = judge([signal("load", **facts, held_since_at_start=at_start)], INPUTS, rules)["findings"]
        assert finding["onset"]["ts"].startswith("1970-01-01T00:01:00")
        assert finding["onset"]["at_start"] is at_start


def test_nobody_is_asked_for_metrics_over_time_beside_them() -> None:
    rules = Ruleset.of([EXPIRED, rule("late", "out_of_order_events", "late_records.dropped")])
    missing = [{"key": "late_records", "needs": "metric-scrapes", "reason": "no metric shows dropped records"}]
    expired = signal("checkpoints", expired=2)
    alone = judge([expired, *missing], INPUTS, rules)["missing_evidence"]
    given = judge([expired, *missing, signal("throughput", rate=9)], INPUTS, rules)["missing_evidence"]
    assert ([each["what"] for each in alone], given) == (["Metrics over time"], [])


def test_health_is_low_while_the_last_checkpoints_fail() -> None:
    for failed, most in ((2, 100), (3, 60)):
        skewed = signal("load", skew=3), signal("checkpoint_progress", consecutive_failed=failed, completed=12)
        rules = Ruleset.of([rule("skew", "data_skew", "load.skew", severity="warning")])
        document = judge(list(skewed), INPUTS, rules)
        assert document["health"]["score"] <= most
        assert bool(document["health"]["trouble"]) is (failed >= 3)


def test_samples_without_a_time_show_no_onset() -> None:
    """They stand at 0, and moments are computed back from them."""
    for onset_ms in (0, -10_000):
        undated = signal("load", skew=3, onset_ms=onset_ms, onset_at_start=True)
        (finding,) = verdict_of(undated)["findings"]
        assert (finding["onset"]["ts"], finding["onset"]["at_start"]) == (None, False)


def test_a_vetoed_rival_is_not_claimed() -> None:
    document = verdict_of(signal("load", skew=3), signal("sink", busy=1))
    assert [each["symptom_class"] for each in document["findings"]] == ["data_skew"]


def test_evidence_that_shows_fitness_and_no_problem_is_healthy() -> None:
    document = verdict_of(signal("load", skew=0), signal("checkpoints", expired=0, completed=12))
    assert (document["verdict"]["symptom_class"], document["findings"], document["health"]["score"]) == (
        "healthy",
        [],
        100,
    )


def test_no_problem_but_no_proof_of_fitness_is_inconclusive() -> None:
    assert verdict_of(signal("load", skew=0))["verdict"]["symptom_class"] == "inconclusive"


def test_a_quiet_job_whose_files_do_not_show_whether_it_is_well_has_no_full_health() -> None:
    failures = signal("exceptions", failures=0)
    blind = verdict_of(signal("load", skew=0), failures)
    assert blind["verdict"]["symptom_class"] == "inconclusive"
    assert (blind["health"]["score"], blind["health"]["trouble"]["finding"]) == (60, None)
    assert blind["health"]["trouble"]["title"] == "these files do not show whether the job is well"
    seen = verdict_of(
        failures, signal("checkpoint_progress", completed=0), signal("back_pressure.job", worst_ratio=0.0)
    )
    assert (seen["verdict"]["symptom_class"], seen["health"]["score"]) == ("inconclusive", 100)


def test_the_verdict_is_that_of_the_worst_job_and_the_healthy_one_stays_healthy() -> None:
    document = verdict_of(
        signal("load", skew=3),
        signal("checkpoints", OTHER_JOB, expired=0, completed=12),
        signal("load", OTHER_JOB, skew=0),
    )
    assert [(each["job_id"], each["verdict"]["symptom_class"]) for each in document["jobs"]] == [
        (JOB, "data_skew"),
        (OTHER_JOB, "healthy"),
    ]


def test_of_two_jobs_with_a_cause_the_less_healthy_one_is_the_worst() -> None:
    surer = rule("surer", "outside_system", "requests.refused", severity="warning", confidence={"base": 0.95})
    document = judge(
        [signal("requests", refused=3), signal("sink", OTHER_JOB, busy=1)], INPUTS, Ruleset.of([SINK, surer])
    )
    assert [(each["job_id"], each["health"]) for each in document["jobs"]] == [(OTHER_JOB, 60), (JOB, 76)]
    assert (document["verdict"]["symptom_class"], document["health"]["score"]) == ("slow_sink", 60)


def test_an_unsure_cause_is_only_a_guess() -> None:
    unsure = rule("unsure", "slow_sink", "sink.busy", confidence={"base": 0.3})
    document = judge([signal("sink", busy=1)], INPUTS, Ruleset.of([unsure]))
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert "best guess" in document["verdict"]["summary"]


def test_an_inconclusive_verdict_asks_for_what_was_not_measured() -> None:
    not_measured = {"key": "load", "needs": "job-rest", "reason": "no vertex was uploaded"}
    document = judge([signal("checkpoints", expired=2), not_measured], INPUTS, RULES)
    assert "--rest http://<jobmanager>:8081" in document["missing_evidence"][0]["how"]
    address = {**signal("rest_api", job=None, address="http://jm:8081"), "level": "case"}
    known = judge([signal("checkpoints", expired=2), address, not_measured], INPUTS, RULES)
    assert "--rest http://jm:8081" in known["missing_evidence"][0]["how"]


def test_the_file_that_distinguishes_the_two_nearest_causes_is_asked_for_first() -> None:
    settings = rule("settings", "misconfiguration", "settings.wrong")
    missing = [
        {"key": "load", "needs": "job-rest", "reason": "no vertex"},
        {"key": "sink", "needs": "job-rest", "reason": "no vertex"},
        {"key": "settings", "needs": "configuration", "reason": "no configuration"},
    ]
    rules = Ruleset.of([SKEW, SINK, EXPIRED, FIT, settings])
    asked = judge([signal("checkpoints", expired=2), *missing], INPUTS, rules)["missing_evidence"]
    assert asked[0]["what"] == "The job and its vertices from the REST API"
    assert asked[0]["why"].endswith("it would tell data skew from slow sink.")


def test_where_the_job_failed_its_logs_are_asked_for_first() -> None:
    restarted = rule("restarted", "restart_loop", "restarts.restarts")
    partition = rule("partition", "network_partition", "tcp.lost", explains=["restart_loop"])
    missing = [
        {"key": "tcp", "needs": "tcp-counters", "reason": "no numbers"},
        {"key": "restarts", "needs": "taskmanager-log", "reason": "no log of a TaskManager"},
    ]
    rules = Ruleset.of([restarted, partition])
    asked = judge([signal("restarts", restarts=4), *missing], INPUTS, rules)["missing_evidence"]
    assert [each["what"][:18] for each in asked] == ["The TaskManagers' ", "The kernels' TCP n"]
    assert asked[0]["why"] == "Shows what failed inside the tasks first."


def test_a_mere_remark_on_a_consequence_asks_for_no_evidence() -> None:
    remark = rule("remark", "early_warning", "sink.busy", severity="info")
    not_measured = {"key": "sink", "needs": "job-rest", "reason": "no vertex was uploaded"}
    document = judge([signal("checkpoints", expired=2), not_measured], INPUTS, Ruleset.of([EXPIRED, remark]))
    assert document["missing_evidence"] == []


@pytest.mark.parametrize("times", [2, 5])
def test_the_same_signals_give_the_same_document(times: int) -> None:
    signals = [signal("load", skew=3), signal("sink", busy=1), signal("checkpoints", expired=2)]
    documents = [verdict_of(*reversed(signals)) if turn % 2 else verdict_of(*signals) for turn in range(times)]
    assert all(document == documents[0] for document in documents)


def test_a_finding_carries_its_evidence_with_file_and_line() -> None:
    evidence = verdict_of(signal("load", skew=3))["findings"][0]["evidence"]
    assert evidence == [{"file": "jm.log", "line": 7, "kind": "log", "text": "a line"}]


def test_a_finding_shows_measured_value_against_bound() -> None:
    checks = verdict_of(signal("load", skew=3))["findings"][0]["checks"]
    assert [(each["value"], each["op"], each["bound"], each["holds"]) for each in checks] == [(3, ">=", 1, True)]


FATAL = rule("fatal", "unexplained_error", "records.fatal")
LOGGED = rule("logged", "unexplained_error", "records.errors", severity="warning", confidence={"base": 0.6})
WARNED = rule("warned", "unexplained_error", "records.warnings", severity="info", confidence={"base": 0.3})
WITH_ERRORS = Ruleset.of([SKEW, EXPIRED, FIT, FATAL, LOGGED, WARNED])


def test_an_error_that_nothing_explains_is_named_with_its_place_and_bounds_the_health() -> None:
    document = judge([signal("records", errors=2)], INPUTS, WITH_ERRORS)
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert document["verdict"]["summary"] == "It measures 2. The evidence does not show why. Read jm.log:7 first."
    assert document["health"]["score"] == 60


def test_an_error_beside_a_cause_is_no_finding() -> None:
    document = judge([signal("records", errors=2), signal("load", skew=3)], INPUTS, WITH_ERRORS)
    assert [each["symptom_class"] for each in document["findings"]] == ["data_skew"]


def test_an_error_does_not_make_a_job_ill_that_is_shown_to_do_its_work() -> None:
    document = judge([signal("records", errors=2), signal("checkpoints", completed=12)], INPUTS, WITH_ERRORS)
    assert (document["verdict"]["symptom_class"], document["health"]["score"]) == ("healthy", 100)


def test_a_fatal_error_keeps_a_job_from_being_healthy() -> None:
    document = judge([signal("records", fatal=1), signal("checkpoints", completed=12)], INPUTS, WITH_ERRORS)
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert document["health"]["score"] <= 60


def test_a_warning_is_said_and_costs_no_more_than_a_remark() -> None:
    document = judge([signal("records", warnings=1)], INPUTS, WITH_ERRORS)
    assert document["verdict"]["summary"].endswith("It measures 1.")
    assert document["health"]["deductions"][0]["points"] < 5


def test_a_finding_is_advice_when_its_rule_is() -> None:
    option = rule("option", "early_warning", "load.skew", severity="info", advice=True)
    document = judge([signal("load", skew=3)], INPUTS, Ruleset.of([SKEW, option]))
    assert {each["rule"]["id"]: each["advice"] for each in document["findings"]} == {"skew": False, "option": True}


def test_a_finding_begins_at_the_onset_of_what_its_rule_rests_on() -> None:
    onset = signal("load", skew=3, onset_ms=1_795_222_000_000, onset_at_start=False)
    assert verdict_of(onset)["findings"][0]["onset"] == {
        "ts": "2026-11-21T00:46:40.000Z",
        "at_start": False,
        "ended": None,
        "job_started": None,
    }
    unknown = {"ts": None, "at_start": False, "ended": None, "job_started": None}
    assert verdict_of(signal("load", skew=3))["findings"][0]["onset"] == unknown
    excluded = {
        "all": [{"fact": "load.skew", "op": ">=", "value": 1}, {"none": [{"fact": "heap.full", "op": ">", "value": 0}]}]
    }
    silent = [signal("load", skew=3), signal("heap", full=0, onset_ms=1_795_222_000_000)]
    document = judge(silent, INPUTS, Ruleset.of([rule("excluded", "data_skew", "load.skew", when=excluded)]))
    assert document["findings"][0]["onset"]["ts"] is None
    named = rule("named", "data_skew", "load.skew", onset="load.still_since_ms")
    document = judge([signal("load", skew=3, still_since_ms=1_795_222_000_000)], INPUTS, Ruleset.of([named]))
    assert document["findings"][0]["onset"]["ts"] == "2026-11-21T00:46:40.000Z"


@pytest.mark.parametrize(("started_ms", "is_no_older"), [(990_000, True), (900_000, False), (1_010_000, False)])
def test_what_the_first_look_at_a_job_that_just_started_shows_is_no_older_than_the_job(
    started_ms: int, is_no_older: bool
) -> None:
    load = signal("load", skew=3, onset_ms=1_000_000, onset_at_start=True)
    (finding,) = verdict_of(load, signal("job_overview", started_ms=started_ms))["findings"]
    onset = problem_onset(finding)
    assert onset is not None
    assert onset.at_start
    assert (onset.job_started is not None) is is_no_older


def test_trouble_of_checkpoints_began_with_the_first_one_and_not_with_the_job() -> None:
    rules = Ruleset.of([rule("near", "checkpoint_timeout", "checkpoint_phases.slow")])
    phases = signal("checkpoint_phases", slow=3, onset_ms=1_000_000, onset_at_start=True)
    (finding,) = judge([phases, signal("job_overview", started_ms=990_000)], INPUTS, rules)["findings"]
    onset = problem_onset(finding)
    assert onset is not None
    assert (onset.at_start, onset.job_started) == (False, None)


WAITS = "the time for which the tasks above wait"


def test_two_causes_are_both_named_and_the_one_whose_repair_gives_back_most_goes_first() -> None:
    slow = rule("slow", "slow_sink", "sink.busy", repair={"share": "sink.waits_ratio", "of": WAITS})
    heap = rule("heap", "resource_shortage", "heap.full", repair={"share": "heap.waits_ratio", "of": WAITS})
    measured = [signal("sink", busy=1, waits_ratio=0.2), signal("heap", full=1, waits_ratio=0.7)]
    document = judge(measured, INPUTS, Ruleset.of([slow, heap]))
    assert [document["findings"][place]["symptom_class"] for place in document["causes"]] == [
        "resource_shortage",
        "slow_sink",
    ]
    assert (
        f"What a repair gives back: Resource shortage up to 70 % of {WAITS}; Slow sink up to 20 % of {WAITS}."
        in (document["verdict"]["summary"])
    )
    assert "A cause of its own beside it: It measures 1." in document["verdict"]["summary"]


def test_what_is_not_measured_of_both_is_not_compared() -> None:
    slow = rule("slow", "slow_sink", "sink.busy", confidence={"base": 0.7})
    heap = rule("heap", "resource_shortage", "heap.full", repair={"share": "heap.waits_ratio", "of": WAITS})
    document = judge([signal("sink", busy=1), signal("heap", full=1)], INPUTS, Ruleset.of([slow, heap]))
    assert [document["findings"][place]["symptom_class"] for place in document["causes"]] == [
        "resource_shortage",
        "slow_sink",
    ]
    assert [each["gain"] for each in document["findings"]] == [None, None]


def test_a_second_rule_of_the_same_class_is_no_second_cause() -> None:
    again = rule("again", "data_skew", "load.again")
    document = judge([signal("load", skew=3, again=1)], INPUTS, Ruleset.of([SKEW, again]))
    assert len(document["causes"]) == 1
    assert "A cause of its own" not in document["verdict"]["summary"]


def test_a_class_is_as_sure_as_what_follows_from_its_root_cause_within_it() -> None:
    sink = rule("sink", "data_skew", "sink.busy", confidence={"base": 0.6}, precedes=["skew"], statement="It is busy.")
    document = judge([signal("sink", busy=1), signal("load", skew=3)], INPUTS, Ruleset.of([sink, SKEW]))
    verdict, root = document["verdict"], document["findings"][0]
    assert (verdict["symptom_class"], verdict["confidence"]) == ("data_skew", 0.8)
    assert verdict["summary"] == "It is busy. It measures 3."
    assert (root["role"], root["confidence"]) == ("root_cause", 0.8), "one number for the verdict and its finding"
    assert sum(each["delta"] for each in root["reasons"]) == pytest.approx(0.8)
    assert root["reasons"][-1]["because"].startswith("what follows from it is that sure: ")


def test_nothing_alarming_is_said_only_where_trouble_would_have_shown() -> None:
    unread = judge([signal("load", skew=0)], INPUTS, RULES)
    assert "alarming" not in unread["verdict"]["summary"]
    assert {each["what"] for each in unread["looked_at"] if each["read"]} == set()
    quiet = [
        signal("exceptions", failures=0),
        signal("checkpoint_progress", completed=1, failed=0),
        signal("back_pressure.job", high_share_ratio=0.0),
    ]
    read = judge(quiet, INPUTS, RULES)
    assert (
        "Nothing alarming was found in failures of tasks and of the job, checkpoints and back pressure"
        in (read["verdict"]["summary"])
    )
    assert "They hold nothing about errors in the logs, restarts," in read["verdict"]["summary"]
    assert [each["what"] for each in read["looked_at"] if each["read"]] == [
        "failures of tasks and of the job",
        "checkpoints",
        "back pressure",
    ]
