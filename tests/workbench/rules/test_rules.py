from __future__ import annotations

import pytest

from diagnostics import rule as diagnostics_rule
from diagnostics.errors import InvalidRule
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case
from tests.workbench.people import People
from workbench.analyses.trial import rule_try
from workbench.rules.forms import NEW_RULE
from workbench.rules.models import Rule, Ruleset, RuleVersion, VersionState
from workbench.rules.selectors import rules_of
from workbench.rules.services import (
    draft_from,
    draft_save,
    rule_publish,
    rule_roll_back,
    rule_switch,
    rules_load,
    ruleset_make,
    ruleset_published,
)


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The shipped rules, replaced by one of the test's own that can be changed."""
    texts = {"skew.test": SKEW_RULE}
    monkeypatch.setattr(diagnostics_rule, "shipped_rule_texts", lambda: texts)
    monkeypatch.setattr(
        diagnostics_rule,
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
    assert [rule.id for rule in ruleset.rules] == sorted(diagnostics_rule.shipped_rule_texts())
    assert ruleset.version == diagnostics_rule.Ruleset.of(diagnostics_rule.shipped_rules()).version


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
    draft = draft_from(version=RuleVersion.objects.get(), user=people.rita)
    rule_publish(version=draft, user=people.rita)
    shipped["skew.test"] = SKEW_RULE.replace("value: 2", "value: 3").replace("version: 1", "version: 9")
    assert rules_load().kept_local == ["skew.test"]
    assert counting() == [("skew.test", 2, "local")]
    assert Rule.objects.get().versions.count() == 3


def test_rolling_back_to_the_shipped_version_lets_later_shipped_ones_count_again(
    people: People, shipped: dict[str, str]
) -> None:
    rules_load()
    original = RuleVersion.objects.get()
    rule_publish(version=draft_from(version=original, user=people.rita), user=people.rita)
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
    first = draft_from(version=RuleVersion.objects.get(), user=people.rita)
    rule_publish(version=first, user=people.rita)
    rule_publish(version=draft_from(version=first, user=people.rita), user=people.rita)
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


def test_the_text_of_a_new_rule_is_a_valid_rule(people: People) -> None:
    assert draft_save(text=NEW_RULE, user=people.rita).state == VersionState.DRAFT


def test_a_draft_with_several_errors_names_all_of_them_with_their_lines(people: People) -> None:
    wrong = SKEW_RULE.replace("severity: critical", "severity: bad").replace("base: 0.9", "base: 7")
    with pytest.raises(InvalidRule) as refused:
        draft_save(text=wrong, user=people.rita)
    assert [error.split(":")[0] for error in refused.value.errors] == ["rule line 6", "rule line 11"]


def test_a_draft_that_asks_for_an_unknown_fact_is_refused(people: People) -> None:
    with pytest.raises(InvalidRule, match="has no fact 'skewness'"):
        draft_save(text=SKEW_RULE.replace("load_balance.skew_ratio", "load_balance.skewness"), user=people.rita)


def test_a_version_is_never_written_twice(people: People, shipped: dict[str, str]) -> None:
    rules_load()
    with pytest.raises(InvalidRule, match="versions are never overwritten"):
        draft_save(text=SKEW_RULE.replace("value: 2", "value: 3"), user=people.rita)


def test_a_stored_rule_that_no_longer_loads_is_named_and_the_rest_judges(db: None, shipped: dict[str, str]) -> None:
    rules_load()
    broken = RuleVersion.objects.create(
        rule=Rule.objects.create(rule_id="old.rule"), number=1, origin="local", state="published", text="id: old.rule"
    )
    ruleset, unreadable = rules_of(ruleset_make(reason="test", user=None))
    assert [rule.id for rule in ruleset.rules] == ["skew.test"]
    assert len(unreadable) == 1
    assert f"Rule {broken.rule}" in unreadable[0]


def test_a_draft_tried_on_old_cases_says_where_it_fires_and_which_verdict_changes(
    people: People, shipped: dict[str, str]
) -> None:
    rules_load()
    strong, weak = diagnosed_case(people.alice, 4.0), diagnosed_case(people.alice, 1.5)
    diagnosed_case(people.charlie, 4.0)
    draft = draft_save(
        text=SKEW_RULE.replace("value: 2", "value: 1.2").replace("version: 1", "version: 2"), user=people.rita
    )
    trial = rule_try(version=draft, user=people.rita)
    assert [(each.analysis, each.fires, each.changes_verdict) for each in trial.cases] == [
        (weak, True, True),
        (strong, True, False),
    ]
    assert trial.sentence == "fires on 2, stays silent on 0, changes the verdict of 1"
    assert trial.cases[0].after == "data_skew"
    assert Ruleset.objects.count() == 1
