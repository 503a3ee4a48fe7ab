"""Each rule that can be wrong says when: a known false alarm, or what speaks against it."""

from __future__ import annotations

from diagnostics.rules.shipped import shipped_rules

SURE = 0.7
"""A base above it is of rules that repeat what Flink, the JVM or an outside system says of itself."""

QUOTES_A_MESSAGE = {
    "conf.unaligned-concurrent",
    "conf.heartbeat",
    "conf.oversized-message",
    "rocks.many-files",
    "time.watermark-at-maximum",
    "eos.audit",
}
"""They hold by Flink's own statement, or list what files say; only what follows from it is less sure."""


def test_a_rule_that_can_be_wrong_names_a_false_alarm_or_a_doubt_f120() -> None:
    silent = {
        rule.id
        for rule in shipped_rules()
        if rule.base <= SURE and not rule.false_alarms and not any(each.delta < 0 for each in rule.adjustments)
    }

    assert {rule_id for rule_id in silent if not rule_id.startswith("bug.")} <= QUOTES_A_MESSAGE


def test_half_of_the_rules_say_when_they_are_wrong() -> None:
    rules = shipped_rules()
    named = [rule for rule in rules if rule.false_alarms or any(each.delta < 0 for each in rule.adjustments)]

    assert len(named) >= len(rules) / 2
