"""The health score: what each finding costs, and in which band a job lands."""

from __future__ import annotations

from diagnostics.diagnosis.causes import order_causes
from diagnostics.diagnosis.health import MOST_IN_TROUBLE, Trouble, health, trouble_in
from tests.diagnostics.diagnosis.test_causes import finding

SKEW = finding("skew", "data_skew", 0.9, explains=["checkpoint_timeout"])
EXPIRED = finding("expired", "checkpoint_timeout", 0.9)
REMARK = finding("remark", "misconfiguration", 0.9, severity="info")


def test_nothing_found_is_the_full_score() -> None:
    found = health([])
    assert (found.score, set(found.dimensions.values()), found.deductions) == (100, {100}, ())


def test_a_sure_critical_cause_with_its_consequence_lands_where_one_must_act() -> None:
    """100 - 50 x 0.9 - 15 x 0.9 = 41.5."""
    found = health(order_causes([SKEW, EXPIRED]))
    assert found.score < 60
    assert [(each.title, each.points) for each in found.deductions] == [
        (SKEW.rule.title, 45.0),
        (EXPIRED.rule.title, 13.5),
    ]
    assert abs(found.score - 41.5) <= 0.5


def test_a_sure_warning_lands_where_one_watches() -> None:
    """100 - 25 x 0.9 = 77.5."""
    assert 60 <= health(order_causes([finding("sink", "slow_sink", 0.9, severity="warning")])).score <= 80


def test_a_remark_leaves_a_job_in_good_health() -> None:
    assert health(order_causes([REMARK])).score > 80


def test_a_rule_may_lower_another_dimension_than_its_class() -> None:
    """1.6 x 50 x 0.5 = 40 points of the dimension; a setting by which the job fails says nothing of checkpoints."""
    found = health([finding("fault", "misconfiguration", 0.5, dimension="stability")])
    assert (found.dimensions["stability"], found.dimensions["checkpointing"]) == (60, 100)


def test_more_than_everything_is_zero() -> None:
    assert health([finding(f"rule-{number}", "slow_sink", 0.9) for number in range(5)]).score == 0


def test_a_failed_attempt_bounds_the_score_and_the_bound_is_the_last_deduction() -> None:
    """A consequence with 8 x 0.9 = 7.2 points leaves 92.8; 32.8 more bring it down to 60."""
    failed = finding("failed", "restart_loop", 0.9, severity="warning")
    findings = order_causes([failed])
    found = health(findings, trouble_in(findings))
    assert found.score == MOST_IN_TROUBLE == 60
    assert [each.points for each in found.deductions] == [7.2, 32.8]
    assert found.deductions[-1].title.startswith("Never above 60: ")


def test_a_remark_is_no_trouble_and_a_critical_cause_is() -> None:
    assert list(trouble_in(order_causes([REMARK]))) == []
    assert len(list(trouble_in(order_causes([finding("sink", "slow_sink", 0.6)])))) == 1


def test_a_job_that_does_not_run_has_no_health_and_no_stability() -> None:
    found = health(order_causes([SKEW]), [Trouble("it has failed", None, is_stop=True)])
    assert (found.score, found.dimensions["stability"]) == (0, 0)
    assert found.deductions[-1].title == "Never above 0: it has failed"


def test_a_score_below_the_bound_is_unchanged() -> None:
    findings = order_causes([SKEW, EXPIRED])
    assert health(findings, [Trouble("anything")]).score == health(findings).score
