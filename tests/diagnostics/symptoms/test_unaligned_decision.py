"""For which jobs unaligned checkpoints are proposed: the traits of the job decide, one line of the table each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from diagnostics.diagnosis.sample import Kind, Sample
from diagnostics.rules.shipped import shipped_rules
from diagnostics.signals import DEFINITIONS

JOB = "a" * 32
COMPLEX: dict[str, dict[str, Any]] = {
    "checkpoint_phases": {"barrier_share_ratio": 0.95, "async_share_ratio": 0.02},
    "checkpoint_progress": {"unaligned_count": 0, "expired": 2, "max_duration_to_timeout_ratio": 1.0},
    "back_pressure.job": {"worst_ratio": 0.9},
    "settings": {"mode": "EXACTLY_ONCE", "unaligned": False, "max_concurrent": 1},
}
"""A back-pressured job whose barriers wait until its checkpoints expire."""


ENDS_IN_TIME = {"expired": 0, "max_duration_to_timeout_ratio": 0.1}
SLOW = {"expired": 0, "max_duration_to_timeout_ratio": 0.6}


@pytest.mark.parametrize(
    ("trait", "key", "facts", "is_proposed"),
    [
        ("high back pressure, barriers wait, checkpoints expire", "settings", {}, True),
        ("slow checkpoints that do not expire yet", "checkpoint_progress", SLOW, True),
        ("an ETL job whose checkpoints are far from the timeout", "checkpoint_progress", ENDS_IN_TIME, False),
        ("no back pressure", "back_pressure.job", {"worst_ratio": 0.2}, False),
        (
            "the upload takes the time",
            "checkpoint_phases",
            {"barrier_share_ratio": 0.2, "async_share_ratio": 0.8},
            False,
        ),
        ("storage near its limit", "checkpoint_phases", {"barrier_share_ratio": 0.55, "async_share_ratio": 0.4}, False),
        ("at-least-once: no channel is blocked", "settings", {"mode": "AT_LEAST_ONCE"}, False),
        ("several checkpoints at once", "settings", {"max_concurrent": 2}, False),
        ("unaligned already", "settings", {"unaligned": True}, False),
        ("some checkpoints are unaligned already", "checkpoint_progress", {"unaligned_count": 4}, False),
    ],
)
def test_the_traits_of_a_job_decide(trait: str, key: str, facts: dict[str, Any], is_proposed: bool) -> None:
    changed = {**COMPLEX, key: {**COMPLEX[key], **facts}}
    signals = [{"key": name, "subject": {"job": JOB}, "facts": values} for name, values in changed.items()]
    (rule,) = (each for each in shipped_rules() if each.id == "warning.unaligned-would-help")
    assert rule.advice
    kind: Kind = "fires" if is_proposed else "silent"

    assert Sample.from_yaml(json.dumps({"signals": signals}), trait, DEFINITIONS).passes(rule, kind)
