"""The health score: what each finding costs, and in which band a job lands."""

from __future__ import annotations

from diagnostics.diagnosis.causes import order_causes
from diagnostics.diagnosis.health import health
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
    assert [(each.finding.rule.id, each.points) for each in found.deductions] == [("skew", 45.0), ("expired", 13.5)]
    assert abs(found.score - 41.5) <= 0.5


def test_a_sure_warning_lands_where_one_watches() -> None:
    """100 - 25 x 0.9 = 77.5."""
    assert 60 <= health(order_causes([finding("sink", "slow_sink", 0.9, severity="warning")])).score <= 80


def test_a_remark_leaves_a_job_in_good_health() -> None:
    assert health(order_causes([REMARK])).score > 80


def test_more_than_everything_is_zero() -> None:
    assert health([finding(f"rule-{number}", "slow_sink", 0.9) for number in range(5)]).score == 0
