"""The ranked hypotheses of a case whose cause could not be judged."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.possible_causes import causes_heading, causes_note, split_heading
from diagnostics.diagnosis.ranking import hints, priors
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import symptoms
from tests.diagnostics.diagnosis.test_verdict import EXPIRED, FIT, INPUTS, JOB, SINK, SKEW, rule, signal

RULES = Ruleset.of([SKEW, SINK, EXPIRED, FIT])
MISSING = [
    {"key": "load", "needs": "job-rest", "reason": "no vertex"},
    {"key": "sink", "needs": "job-rest", "reason": "no vertex"},
]


def hypotheses_of(*stored: dict[str, Any], rules: Ruleset = RULES) -> dict[str | None, dict[str, Any]]:
    document = judge(stored, INPUTS, rules)
    assert document["verdict"]["symptom_class"] == "inconclusive"
    return {each["symptom_class"]: each for each in document["hypotheses"]}


def test_the_probabilities_add_up_to_one_with_something_else_last() -> None:
    found = hypotheses_of(signal("checkpoints", expired=2), *MISSING)
    assert sum(each["probability"] for each in found.values()) == pytest.approx(1.0)
    assert list(found)[-1] is None
    shares = [each["probability"] for name, each in found.items() if name]
    assert shares == sorted(shares, reverse=True)


def test_a_probability_is_the_product_of_its_steps_over_all_products() -> None:
    slow = rule("slow", "slow_sink", "sink.busy", explains=["checkpoint_timeout"])
    missing = signal("checkpoints", expired=2), *MISSING
    sink = hypotheses_of(*missing, rules=Ruleset.of([slow, EXPIRED]))["slow_sink"]
    assert [step["factor"] for step in sink["steps"]] == [pytest.approx(priors()["slow"]["slow_sink"], abs=0.001), 1.5]
    assert sink["for"] == ["It would explain: checkpoints that expire or come near the timeout."]


def test_a_rule_that_holds_without_being_sure_ranks_first_and_says_so() -> None:
    unsure = rule("unsure", "slow_sink", "sink.busy", confidence={"base": 0.3})
    found = hypotheses_of(signal("sink", busy=1), rules=Ruleset.of([unsure]))
    assert next(iter(found)) == "slow_sink"
    assert found["slow_sink"]["for"][0] == "It measures 1."


def test_a_measure_below_its_bound_counts_against_a_cause() -> None:
    full = rule("full", "misconfiguration", "heap.full")
    found = hypotheses_of(signal("heap", full=0), rules=Ruleset.of([full]))
    assert found["misconfiguration"]["against"] == ["Full (heap): 0; a rule needs at least 1."]


def test_a_measure_that_excludes_a_cause_is_said_to() -> None:
    condition = {
        "all": [
            {"fact": "heap.full", "op": ">=", "value": 1},
            {"none": [{"fact": "heap.idle", "op": ">=", "value": 5}]},
        ]
    }
    excluded = rule("excluded", "misconfiguration", "heap.full", when=condition)
    found = hypotheses_of(signal("heap", full=3, idle=9), rules=Ruleset.of([excluded]))
    assert found["misconfiguration"]["against"] == ["Idle (heap): 9; a rule needs below 5."]


def test_state_on_the_heap_excludes_an_upload_of_rocksdb() -> None:
    slow = rule("slow", "rocksdb_slow_upload", "upload.slow", explains=["checkpoint_timeout"])
    late = rule("late", "slow_sink", "sink.busy", explains=["checkpoint_timeout"])
    seen = signal("checkpoints", expired=2), *MISSING
    rules = Ruleset.of([slow, late, EXPIRED])
    assert "rocksdb_slow_upload" in hypotheses_of(*seen, signal("settings", state_backend="rocksdb"), rules=rules)
    on_heap = hypotheses_of(*seen, signal("settings", state_backend="hashmap"), rules=rules)
    assert "rocksdb_slow_upload" not in on_heap


def test_a_usual_value_that_tells_two_rules_apart_speaks_for_none() -> None:
    """A timeout of five times the interval: less would be wrong, the usual value is no sign of anything."""
    usual = {"all": [{"fact": "heap.times", "op": ">", "value": 1}, {"fact": "sink.busy", "op": ">=", "value": 1}]}
    apart = rule("apart", "misconfiguration", "heap.times", when=usual, explains=["checkpoint_timeout"])
    wrong = rule("wrong", "misconfiguration", "heap.times", when={"fact": "heap.times", "op": "<=", "value": 1})
    seen = signal("heap", times=5), signal("checkpoints", expired=2), *MISSING
    alone = hypotheses_of(*seen, rules=Ruleset.of([apart, EXPIRED]))
    both = hypotheses_of(*seen, rules=Ruleset.of([apart, wrong, EXPIRED]))
    assert alone["misconfiguration"]["for"][-1] == "Times (heap): 5; a rule needs above 1."
    assert not any("Times" in line for line in both["misconfiguration"]["for"])


def test_the_words_of_an_error_speak_for_a_cause() -> None:
    error = signal("alarming_records", error_count=1, error_text="Could not connect: UnknownHostException: db")
    named = hypotheses_of(error)
    assert "network_partition" in named
    assert "'unknownhostexception'" in named["network_partition"]["for"][0]


def test_the_one_file_that_distinguishes_the_first_two_is_named() -> None:
    document = judge([signal("checkpoints", expired=2), *MISSING], INPUTS, RULES)
    assert document["split"] is None or document["split"]["how"]
    both = Ruleset.of([rule("a", "slow_sink", "heap.full"), rule("b", "misconfiguration", "conf.wrong"), EXPIRED])
    missing = [
        {"key": "heap", "needs": "gc-log", "reason": "no log"},
        {"key": "conf", "needs": "configuration", "reason": "no configuration"},
    ]
    split = judge([signal("checkpoints", expired=2), *missing], INPUTS, both)["split"]
    assert split["why"].endswith("it would tell misconfiguration from slow sink.")


def test_logs_of_processes_in_which_nothing_failed_tell_no_two_causes_apart() -> None:
    both = Ruleset.of(
        [
            rule("a", "slow_sink", "heap.full", explains=["back_pressure"]),
            rule("b", "misconfiguration", "heap.full", explains=["back_pressure"]),
            rule("c", "slow_sink", "frames.hot"),
            rule("held", "back_pressure", "load.held"),
        ]
    )
    missing = [
        {"key": "heap", "needs": "taskmanager-log", "reason": "no log"},
        {"key": "frames", "needs": "flame-graph", "reason": "no profile"},
    ]
    document = judge([signal("load", held=1), *missing], INPUTS, both)
    assert document["split"]["what"] == "A flame graph of the busy operator"


def test_where_something_failed_the_log_that_says_why_tells_the_first_two_apart() -> None:
    rules = Ruleset.of(
        [
            rule("a", "user_code", "load.high"),
            rule("b", "outside_system", "load.high"),
            rule("c", "restore_failure", "restores.refused"),
            rule("lost", "task_manager_loss", "processes.lost"),
        ]
    )
    missing = [
        {"key": "load", "needs": "metric-scrapes", "reason": "no metrics"},
        {"key": "restores", "needs": "taskmanager-log", "reason": "no log"},
    ]
    document = judge([signal("processes", lost=1), *missing], INPUTS, rules)
    assert document["split"]["what"] == "The TaskManagers' logs of the time of the incident"


def test_causes_that_nothing_speaks_for_are_called_frequencies() -> None:
    quiet = judge([signal("checkpoints", expired=0), *MISSING], INPUTS, RULES)
    ill = judge([signal("checkpoints", expired=2), *MISSING], INPUTS, RULES)
    assert causes_heading(quiet) == "Possible causes, if the job is in trouble"
    assert "no reason to look for one of them" in causes_note(quiet)
    assert split_heading(quiet).startswith("To see whether the job is well, add: ")
    assert causes_heading(ill) == "Possible causes"
    assert split_heading(ill).startswith("To tell the first two apart, add: ")


def test_nothing_is_not_said_to_speak_of_trouble_beside_a_remark() -> None:
    full = signal("back_pressure.job", busy_ratio=0.99, busy_vertex="Window", worst_ratio=0.0, high_share_ratio=0.0)
    document = judge([{**full, "level": "job"}, *MISSING], INPUTS, Ruleset.of(shipped_rules()))
    assert [each["rule"]["id"] for each in document["findings"]] == ["warning.no-room"]
    assert "Nothing in these files speaks of trouble" not in causes_note(document)
    assert "What was noticed in these files" in causes_note(document)


def test_a_lost_node_is_not_first_of_all_the_fault_of_the_job() -> None:
    lost = {
        **signal("kubernetes", None, nodes_lost=1, nodes_lost_text="NodeNotReady: Node a is not ready"),
        "level": "case",
    }
    document = judge([lost], INPUTS, Ruleset.of(shipped_rules()))
    ranked = [each["symptom_class"] for each in document["hypotheses"]]
    assert ranked[:2] == ["resource_shortage", "network_partition"]


def test_a_verdict_has_no_hypotheses() -> None:
    document = judge([signal("load", skew=3)], INPUTS, RULES)
    assert (document["hypotheses"], document["split"]) == ([], None)


def test_priors_and_hints_speak_of_causes_that_exist() -> None:
    causes = {each.id for each in symptoms().values() if each.kind == "cause"}
    assert all(set(shares) == causes for shares in priors().values())
    assert set(hints()) <= causes
    assert all(word == word.lower() for words in hints().values() for word in words)


def test_several_jobs_have_hypotheses_of_their_own() -> None:
    other = "b" * 32
    document = judge([signal("checkpoints", expired=2), signal("load", other, skew=3)], INPUTS, RULES)
    ranked = {each["job_id"]: bool(each["hypotheses"]) for each in document["jobs"]}
    assert ranked == {JOB: True, other: False}


def test_the_shipped_rules_rank_causes_of_a_failed_attempt() -> None:
    failed = signal(
        "exceptions", failures=1, kinds=1, first_name="X", first_class="X", first_message="Connection refused"
    )
    document = judge([failed, signal("restarts", restarts=1)], INPUTS, Ruleset.of(shipped_rules()))
    assert document["hypotheses"][0]["symptom_class"] == "outside_system"


@pytest.mark.parametrize(
    ("seen", "one", "other", "expected"),
    [
        (signal("restarts", count=3), "user_code", "outside_system", "The TaskManagers' logs"),
        (signal("checkpoints", expired=2), "misconfiguration", "slow_sink", "garbage collection logs"),
    ],
)
def test_after_a_failure_the_missing_log_distinguishes_before_anything_else(
    seen: dict[str, Any], one: str, other: str, expected: str
) -> None:
    """Without one it is what both of the first two wait for."""
    both = {"all": [{"fact": name, "op": ">=", "value": 1} for name in ("heap.full", "log.said")]}
    rules = [rule("a", one, "heap.full"), rule("b", other, "heap.full", when=both)]
    fallen = rule("fallen", "restart_loop", "restarts.count")
    missing = [
        {"key": "heap", "needs": "gc-log", "reason": "no log"},
        {"key": "log", "needs": "taskmanager-log", "reason": "no log"},
    ]
    split = judge([seen, *missing], INPUTS, Ruleset.of([*rules, fallen, EXPIRED]))["split"]
    assert expected in split["what"]


def test_where_nothing_stands_out_what_shows_whether_a_job_is_well_is_asked_for_first() -> None:
    """Not the statistics of a host, which some rule happens to be nearest to."""
    quiet = [signal("exceptions", failures=0), signal("checkpoint_progress", completed=5, expired=0)]
    missing = [
        {"key": "back_pressure.job", "needs": "back-pressure", "reason": "no file"},
        {"key": "back_pressure.origin", "needs": "back-pressure", "reason": "no file"},
        {"key": "host_load", "needs": "host-statistics", "reason": "no file"},
        {"key": "cpu_load", "needs": "host-statistics", "reason": "no file"},
    ]
    document = judge([*quiet, *missing], INPUTS, Ruleset.of(shipped_rules()))
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert document["missing_evidence"][0]["what"] == "The back pressure of each vertex"


def test_what_every_job_shows_brings_no_rule_nearer() -> None:
    """That nothing was killed holds for nearly all jobs: the file for the rule with a telling number comes first."""
    kills = {
        "all": [
            {"fact": "host.kills", "op": ">=", "value": 1},
            {"none": [{"fact": "memory.killed", "op": ">=", "value": 1}]},
        ]
    }
    full = {
        "all": [{"fact": name, "op": ">=", "value": 1} for name in ("load.skew", "load.held", "load.cost", "heap.full")]
    }
    rules = [rule("a", "resource_shortage", "host.kills", when=kills), rule("b", "data_skew", "load.skew", when=full)]
    missing = [
        {"key": "host", "needs": "host-statistics", "reason": "no file"},
        {"key": "load", "needs": "job-rest", "reason": "no file"},
    ]
    seen = [signal("memory", killed=0), signal("heap", full=3), signal("checkpoints", expired=2)]
    asked = judge([*seen, *missing], INPUTS, Ruleset.of([*rules, EXPIRED]))["missing_evidence"]
    assert asked[0]["what"] == "The job and its vertices from the REST API"


def test_a_cause_that_cannot_explain_a_lost_task_manager_counts_less() -> None:
    lost = rule("lost", "task_manager_loss", "checkpoints.expired")
    full = rule("full", "resource_shortage", "heap.full", explains=["task_manager_loss"])
    own = rule("own", "user_code", "load.busy", explains=["restart_loop"])
    found = hypotheses_of(signal("checkpoints", expired=2), *MISSING, rules=Ruleset.of([lost, full, own]))
    assert next(iter(found)) == "resource_shortage"
    assert found["user_code"]["steps"][-1]["because"] == "it would not explain: lost TaskManager"


def test_where_nothing_is_seen_a_number_speaks_for_no_cause() -> None:
    """A state above the bound of a rule is what each large job has."""
    conditions = [{"fact": "checkpoints.size", "op": ">", "value": 5}, {"fact": "load.skew", "op": ">", "value": 2}]
    large = rule("large", "misconfiguration", "load.skew", explains=["checkpoint_timeout"], when={"all": conditions})
    rules = Ruleset.of([large, EXPIRED])
    quiet = hypotheses_of(signal("checkpoints", expired=0, size=24), *MISSING, rules=rules)
    assert [each["for"] for each in quiet.values() if each.get("for")] == []
    slow = hypotheses_of(signal("checkpoints", expired=2, size=24), *MISSING, rules=rules)
    assert any("24" in line for line in slow["misconfiguration"]["for"])


@pytest.mark.parametrize(
    ("frame", "factor"),
    [
        ("org.apache.flink.runtime.operators.coordination.SubtaskGatewayImpl.openGatewayAndUnmarkCheckpoint", 0),
        ("org.apache.flink.table.runtime.typeutils.StringDataSerializer.serialize", 5.0),
    ],
)
def test_an_exception_of_flinks_coordination_speaks_for_no_code_of_the_job(frame: str, factor: float) -> None:
    own = rule("own", "user_code", "load.busy", explains=["checkpoint_timeout"])
    error = signal("alarming_records", error_text="NullPointerException: no value", error_frame=frame)

    found = hypotheses_of(signal("checkpoints", expired=2), error, *MISSING, rules=Ruleset.of([own, EXPIRED]))

    factors = [step["factor"] for step in found["user_code"]["steps"]] if "user_code" in found else []
    assert (5.0 in factors) == bool(factor)
