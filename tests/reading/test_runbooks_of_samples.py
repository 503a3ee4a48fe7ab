"""The runbook of every rule's sample reads well: nothing in it would fail when it is copied."""

import pytest
import yaml

from diagnostics.diagnosis.sample import Sample, shipped_samples
from diagnostics.rules.rule import Rule
from diagnostics.rules.shipped import shipped_rules
from diagnostics.signals import DEFINITIONS
from tests.reading.runbook_faults import faults

WITH_RUNBOOK = [rule for rule in shipped_rules() if rule.runbook]


@pytest.mark.parametrize("rule", WITH_RUNBOOK, ids=lambda rule: rule.id)
def test_the_runbook_of_a_rule_s_sample_can_be_followed(rule: Rule) -> None:
    text = shipped_samples()[rule.id]["fires"]
    sample = Sample.from_yaml(text, rule.id, DEFINITIONS)
    signals = [
        {"subject": {}, "citations": [], "citation_count": 0, "level": DEFINITIONS[each["key"]].level, **each}
        for each in yaml.safe_load(text)["signals"]
    ]
    found = sample.judged_by(rule).findings
    findings = [{"runbook": rule.runbook, "subject": each.subject.as_json(), "role": "root_cause"} for each in found]
    assert findings
    assert faults(findings, signals) == []
