from __future__ import annotations

import pytest

from diagnostics.rules import rule as diagnostics_rule
from diagnostics.rules import shipped as diagnostics_shipped
from tests.workbench.diagnosed import SKEW_RULE, published
from tests.workbench.people import People
from workbench.rules.models import Rule, RuleVersion
from workbench.rules.selectors import rules_of
from workbench.rules.services import rule_roll_back, rule_switch, rules_load, ruleset_make, ruleset_published


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The shipped rules, replaced by one of the test's own that can be changed."""
    texts = {"skew.test": SKEW_RULE}
    monkeypatch.setattr(diagnostics_shipped, "shipped_rule_texts", lambda: texts)
    monkeypatch.setattr(
        diagnostics_shipped,
        "shipped_rules",
        lambda: tuple(diagnostics_rule.Rule.from_yaml(text, "test") for text in texts.values()),
    )
    return texts


def counting() -> list[tuple[str, int, str]]:
    return [(v.rule.rule_id, v.number, v.origin) for v in ruleset_published().versions.all()]


def test_every_shipped_rule_loads_and_is_published(db: None) -> None:
    loaded = rules_load()
    ruleset, unreadable = rules_of(loaded.ruleset)
    assert unreadable == []
    assert [rule.id for rule in ruleset.rules] == sorted(diagnostics_shipped.shipped_rule_texts())
    assert ruleset.version == diagnostics_rule.Ruleset.of(diagnostics_shipped.shipped_rules()).version


def test_loading_twice_changes_nothing(db: None, shipped: dict[str, str]) -> None:
    first, second = rules_load(), rules_load()
    assert (first.added, second.added, second.ruleset) == (["skew.test"], [], first.ruleset)


def test_a_new_shipped_version_replaces_the_shipped_one_and_old_rulesets_keep_theirs(
    db: None, shipped: dict[str, str]
) -> None:
    before = rules_load().ruleset
    shipped["skew.test"] = SKEW_RULE.replace("version: 1", "version: 2")
    rules_load()
    assert counting() == [("skew.test", 2, "shipped")]
    assert [version.number for version in before.versions.all()] == [1]


def test_a_local_edit_stays_when_a_newer_shipped_version_comes(people: People, shipped: dict[str, str]) -> None:
    rules_load()
    original = RuleVersion.objects.get()
    published(original.text, people.rita, original)
    shipped["skew.test"] = SKEW_RULE.replace("value: 2", "value: 3").replace("version: 1", "version: 9")
    assert rules_load().kept_local == ["skew.test"]
    assert counting() == [("skew.test", 2, "local")]
    assert Rule.objects.get().versions.count() == 3


def test_rolling_back_to_the_shipped_version_lets_later_shipped_ones_count_again(
    people: People, shipped: dict[str, str]
) -> None:
    rules_load()
    original = RuleVersion.objects.get()
    published(original.text, people.rita, original)
    rule_roll_back(version=original, user=people.rita, reason="it was better")
    assert counting() == [("skew.test", 1, "shipped")]
    shipped["skew.test"] = SKEW_RULE.replace("version: 1", "version: 9")
    rules_load()
    assert counting() == [("skew.test", 9, "shipped")]


def test_rolling_back_to_an_older_shipped_version_outlives_the_next_start(
    people: People, shipped: dict[str, str]
) -> None:
    rules_load()
    oldest = RuleVersion.objects.get()
    shipped["skew.test"] = SKEW_RULE.replace("value: 2", "value: 3").replace("version: 1", "version: 2")
    rules_load()
    rule_roll_back(version=oldest, user=people.rita, reason="it was better")
    rules_load()
    counts = ruleset_published().versions.get()
    assert (counts.number, counts.origin) == (3, "local")
    assert "value: 2," in counts.text


def test_rolling_back_to_an_earlier_local_version_keeps_its_number(people: People, shipped: dict[str, str]) -> None:
    rules_load()
    original = RuleVersion.objects.get()
    first = published(original.text, people.rita, original)
    published(first.text, people.rita, first)
    rule_roll_back(version=first, user=people.rita, reason="it was better")
    assert counting() == [("skew.test", 2, "local")]


def test_the_shipped_samples_are_stored_with_the_shipped_rules(db: None) -> None:
    rules_load()
    assert not RuleVersion.objects.filter(fires_sample="").exists()
    assert not RuleVersion.objects.filter(silent_sample="").exists()


def test_a_rule_that_is_shipped_no_longer_does_not_count(db: None, shipped: dict[str, str]) -> None:
    rules_load()
    shipped.clear()
    assert rules_load().dropped == ["skew.test"]
    assert counting() == []


def test_a_rule_that_is_switched_off_keeps_its_versions(people: People, shipped: dict[str, str]) -> None:
    rules_load()
    rule_switch(rule=Rule.objects.get(), enabled=False, user=people.rita)
    assert counting() == []
    rule_switch(rule=Rule.objects.get(), enabled=True, user=people.rita)
    assert counting() == [("skew.test", 1, "shipped")]


def test_a_stored_rule_that_no_longer_loads_is_named_and_the_rest_judges(db: None, shipped: dict[str, str]) -> None:
    rules_load()
    broken = RuleVersion.objects.create(
        rule=Rule.objects.create(rule_id="old.rule"), number=1, origin="local", state="published", text="id: old.rule"
    )
    ruleset, unreadable = rules_of(ruleset_make(reason="test", user=None))
    assert [rule.id for rule in ruleset.rules] == ["skew.test"]
    assert len(unreadable) == 1
    assert f"Rule {broken.rule}" in unreadable[0]
