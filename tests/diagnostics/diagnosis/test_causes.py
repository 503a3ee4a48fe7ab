"""Which finding is the cause, which follows from it, and which is not claimed at all."""

from dataclasses import replace
from typing import Any

import pytest

from diagnostics.diagnosis.causes import order_causes
from diagnostics.diagnosis.finding import Began, Finding, Gain
from diagnostics.evidence.subject import Subject
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import Rule
from diagnostics.wording.phrase import Piece


def finding(rule_id: str, symptom_class: str, confidence: float, vertex: str | None = None, **rule: Any) -> Finding:
    entries: dict[str, Any] = {
        "id": rule_id,
        "version": 1,
        "symptom_class": symptom_class,
        "level": "job",
        "title": rule_id,
        "severity": "critical",
        "when": {"fact": "load.skew", "op": ">", "value": 1},
        "confidence": {"base": 0.5},
        "statement": "It holds.",
    }
    return Finding(
        rule=Rule.from_mapping(entries | rule, rule_id),
        subject=Subject(vertex=vertex),
        job=None,
        confidence=confidence,
        reasons=(),
        severity=rule.get("severity", "critical"),
        sentences=((Piece("It holds."),),),
        facts={},
        checks=(),
        citations=(),
    )


def roles(*findings: Finding) -> list[tuple[str, str, str | None]]:
    return [(each.rule.id, each.role, each.cause.rule.id if each.cause else None) for each in order_causes(findings)]


def test_the_surest_cause_is_the_root() -> None:
    assert roles(finding("sink", "slow_sink", 0.6), finding("skew", "data_skew", 0.9)) == [
        ("skew", "root_cause", None),
        ("sink", "contributing", None),
    ]


@pytest.mark.parametrize(
    ("sure", "share", "severity", "of", "root"),
    [
        (0.7, 0.9, "critical", "time", "sink"),
        (0.6, 0.9, "critical", "time", "skew"),
        (0.7, 0.55, "critical", "time", "skew"),
        (0.7, 0.9, "warning", "time", "skew"),
        (0.7, 0.9, "critical", "memory", "skew"),
    ],
)
def test_of_causes_that_are_nearly_as_sure_the_one_worth_most_is_the_root(
    sure: float, share: float, severity: str, of: str, root: str
) -> None:
    sink = finding("sink", "slow_sink", sure, "out", severity=severity)
    skew = finding("skew", "data_skew", 0.8, "window")
    ordered = roles(replace(sink, gain=Gain(share, of)), replace(skew, gain=Gain(0.5, "time")))
    assert ordered[0] == (root, "root_cause", None)


def test_of_two_causes_of_one_task_the_surer_is_the_root() -> None:
    sink = replace(finding("sink", "slow_sink", 0.7, "out"), gain=Gain(0.9, "time"))
    skew = replace(finding("skew", "data_skew", 0.8, "out"), gain=Gain(0.5, "time"))
    assert roles(sink, skew)[0] == ("skew", "root_cause", None)


def test_a_remark_is_never_the_root() -> None:
    assert roles(finding("note", "data_skew", 0.95, severity="info")) == [("note", "contributing", None)]


def test_a_cause_that_another_explains_follows_from_it() -> None:
    heap = finding("heap", "resource_shortage", 0.7, explains=["network_partition"])
    network = finding("network", "network_partition", 0.8)
    assert roles(heap, network) == [("heap", "root_cause", None), ("network", "consequence", "heap")]


def test_within_a_class_the_rule_that_precedes_is_the_root_however_sure_the_other_is() -> None:
    clocks = finding("clocks", "out_of_order_events", 0.6, precedes=["late"])
    late, stalled = (finding(name, "out_of_order_events", 0.95) for name in ("late", "stalled"))
    assert roles(late, clocks) == [("clocks", "root_cause", None), ("late", "consequence", "clocks")]
    assert roles(stalled, clocks) == [("stalled", "root_cause", None), ("clocks", "contributing", None)]


def test_a_warning_follows_from_the_cause_of_what_it_warns_of() -> None:
    upload = finding("upload", "rocksdb_slow_upload", 0.9, explains=["checkpoint_timeout"])
    warned = finding("in-a-row", "early_warning", 0.9, severity="info", follows=["checkpoint_timeout"])
    other = finding("growth", "early_warning", 0.9, severity="info")
    assert roles(upload, warned, other) == [
        ("upload", "root_cause", None),
        ("growth", "consequence", None),
        ("in-a-row", "consequence", "upload"),
    ]


@pytest.mark.parametrize(("eases", "said"), [(True, "Raise the timeout."), (False, None)])
def test_beside_its_cause_a_consequence_says_only_what_helps_until_that_is_repaired(
    eases: bool, said: str | None
) -> None:
    upload = finding("upload", "rocksdb_slow_upload", 0.9, explains=["checkpoint_timeout"])
    expired = replace(finding("expired", "checkpoint_timeout", 0.9), first_step="Raise the timeout.", step_eases=eases)
    assert [each.first_step for each in order_causes([upload, expired])] == [None, said]
    assert [each.first_step for each in order_causes([expired])] == ["Raise the timeout."]


def test_of_two_causes_that_explain_each_other_the_surer_one_wins() -> None:
    skew = finding("skew", "data_skew", 0.9, explains=["resource_shortage"])
    heap = finding("heap", "resource_shortage", 0.7, explains=["data_skew"])
    assert roles(skew, heap) == [("skew", "root_cause", None), ("heap", "consequence", "skew")]


def test_an_unsure_cause_vetoes_nothing() -> None:
    skew = finding("skew", "data_skew", 0.4, vetoes=["slow_sink"])
    assert len(order_causes([skew, finding("sink", "slow_sink", 0.3)])) == 2


def test_a_less_sure_cause_does_not_veto_a_surer_one() -> None:
    skew = finding("skew", "data_skew", 0.6, vetoes=["slow_sink"])
    assert [each.rule.id for each in order_causes([skew, finding("sink", "slow_sink", 0.9)])] == ["sink", "skew"]


def test_a_reading_is_not_stated_beside_a_stronger_finding_that_measures_the_same() -> None:
    kind = {"fact": "alarming_readings.slow_dimension_join.kind", "measured": True}
    reading = replace(
        finding("reading", "slow_dimension_join", 0.6, severity="warning", when=kind),
        facts={"kind": "look-up-has-no-time-left"},
    )
    held = Check("back_pressure.origin.busy_median_ratio", ">", 0.8, 1.0, True, None)
    measured = replace(finding("origin", "slow_dimension_join", 0.9, "enrich"), checks=(held,))
    by_stacks = replace(measured, checks=(replace(held, fact="hot_frames.ratio"),))
    assert roles(reading, measured) == [("origin", "root_cause", None)]
    assert [rule for rule, _, _ in roles(reading, by_stacks)] == ["origin", "reading"]
    assert [rule for rule, _, _ in roles(reading, replace(measured, confidence=0.3))] == ["reading", "origin"]


def test_a_cause_in_one_task_does_not_veto_a_cause_in_another() -> None:
    look_up = finding("look-up", "slow_dimension_join", 0.9, "enrich", vetoes=["slow_sink"])
    assert roles(look_up, finding("sink", "slow_sink", 0.8, "write")) == [
        ("look-up", "root_cause", None),
        ("sink", "contributing", None),
    ]
    assert roles(look_up, finding("sink", "slow_sink", 0.8, "enrich")) == [("look-up", "root_cause", None)]


def test_a_cause_of_the_whole_job_vetoes_in_every_task() -> None:
    limit = finding("limit", "misconfiguration", 0.9, vetoes=["slow_sink"])
    assert roles(limit, finding("sink", "slow_sink", 0.8, "write")) == [("limit", "root_cause", None)]


def test_a_cause_that_began_later_does_not_explain_one_before_it() -> None:
    """Storage that refuses checkpoints from 9:33 on is not why the job's code fails since 9:06: repair both."""
    code = replace(finding("code", "user_code", 0.9), began=Began(1_716_195_960_000))
    later = finding("storage", "checkpoint_declined", 0.88, explains=["user_code", "restart_loop"])
    late = replace(later, began=Began(1_716_197_580_000))
    assert roles(code, late) == [("code", "root_cause", None), ("storage", "contributing", None)]
    soon = replace(later, began=Began(1_716_195_990_000))
    older = replace(later, began=Began(1_716_197_580_000, at_start=True))
    for each in (soon, older, later):
        assert roles(code, each) == [("storage", "root_cause", None), ("code", "consequence", "storage")]
    restarts = replace(finding("loop", "restart_loop", 0.9), began=Began(1_716_195_960_000))
    assert roles(restarts, late)[1] == ("loop", "consequence", "storage"), "the first sample of a consequence says less"
