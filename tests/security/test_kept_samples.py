"""A closed case that is kept as a test of rules shows its number and its names to nobody but its readers."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from diagnostics.diagnosis.sample import Sample
from diagnostics.errors import InvalidRule
from diagnostics.evidence.subject import Subject
from diagnostics.rules.rule import Rule
from diagnostics.signals import DEFINITIONS
from diagnostics.signals.signal import Signal
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, drafted, published
from tests.workbench.people import People, signed_in
from workbench.accounts.models import Role, User
from workbench.cases.models import Case
from workbench.cases.services import case_close
from workbench.drills.services import drill_start
from workbench.rules.models import RegressionSample, RuleEvent, RuleVersion
from workbench.rules.regression import case_keep, reduced
from workbench.rules.services import draft_publish

NAMED_RULE = """\
id: join.test
version: 1
symptom_class: slow_dimension_join
level: vertex
title: A look-up is slow
severity: warning
when:
  all:
    - {fact: hot_frames.hot_purpose, op: in, value: [regex, parsing]}
    - {fact: exceptions.first_message, op: contains, value: timed out}
    - {fact: exceptions.most_message, op: "!=", value: killed}
    - {fact: hot_frames.hot_frame, measured: true}
flink: ">=1.11"
confidence:
  base: 0.9
statement: "{hot_frames.hot_frame}"
facts: [hot_frames.hot_frame]
"""
SECRETS = ("acme", "payments", "db-7", "10.1.2.3", "Window", "aaaa")


class View:
    """The facts of one case."""

    def __init__(self, signals: list[Signal]) -> None:
        self.signals = {signal.key: signal for signal in signals}


def sample_of_named_case() -> str:
    subject = Subject(job="a" * 32, vertex="Window", host="db-7.acme.example")
    hot = {"hot_purpose": "regex", "hot_frame": "com.acme.payments.Enrich.map", "hot_function": "acme"}
    said = {
        "first_message": "call to db-7.acme.example 10.1.2.3 timed out",
        "most_message": "com.acme.Failed: 10.1.2.3",
    }
    signals = [
        Signal("hot_frames", subject, hot),
        Signal("exceptions", subject, said),
        Signal("job_overview", subject, {"flink_version": "1.20-acme", "name": "payments"}),
        Signal("load_balance", subject, {"skew_ratio": 3}),
    ]
    return reduced(Rule.from_yaml(NAMED_RULE, "test"), View(signals))  # type: ignore[arg-type]


def test_a_sample_holds_no_text_but_what_the_rule_compares_it_with() -> None:
    text = sample_of_named_case()
    assert [secret for secret in SECRETS if secret in text] == []
    assert "hot_purpose: regex" in text
    assert "first_message: timed out" in text
    assert "flink_version: '1.20'" in text
    assert "load_balance" not in text


def test_the_rule_judges_the_sample_as_it_judged_the_case() -> None:
    sample = Sample.from_yaml(sample_of_named_case(), "sample", DEFINITIONS)
    assert sample.passes(Rule.from_yaml(NAMED_RULE, "test", DEFINITIONS), "fires")


@pytest.fixture
def stranger(people: People) -> User:
    """A rule editor of another team."""
    people.charlie.role = Role.RULE_EDITOR
    people.charlie.save()
    return people.charlie


@pytest.fixture
def skew(people: People) -> RuleVersion:
    return published(SKEW_RULE, people.rita)


@pytest.fixture
def kept(people: People, skew: RuleVersion) -> Case:
    """A case of Alice's that is closed and kept."""
    case = diagnosed_case(people.alice).case
    case_close(case=case, user=people.alice, confirmed_class="data_skew", what_fixed_it="")
    assert "skew.test" in case_keep(case=case, user=people.alice)
    return case


def pages_of(user: User) -> str:
    """All pages that speak of kept samples."""
    browser = signed_in(user)
    shown = [browser.get("/rules/skew.test/"), browser.get("/rules/log/?kind=sample_kept")]
    shown += [browser.get(f"/rules/log/{event.pk}/") for event in RuleEvent.objects.filter(kind="sample_kept")]
    return "".join(answer.content.decode() for answer in shown if answer.status_code == 200)


def test_readers_of_the_case_see_which_one_is_kept(people: People, kept: Case) -> None:
    assert f"Case {kept.pk}" in pages_of(people.rita)
    assert "skew_ratio: 4.0" in pages_of(people.rita)


def test_a_rule_editor_of_another_team_sees_neither_number_nor_text(stranger: User, kept: Case) -> None:
    shown = pages_of(stranger)
    assert f"ase {kept.pk}" not in shown
    assert "skew_ratio: 4.0" not in shown


def test_a_sample_binds_a_rule_editor_of_another_team_without_revealing_the_case(
    stranger: User, kept: Case, skew: RuleVersion
) -> None:
    draft = drafted(SKEW_RULE.replace("value: 2,", "value: 8,"), stranger, skew)
    with pytest.raises(InvalidRule, match="no longer fires on a case that you may not read"):
        draft_publish(draft=draft, user=stranger, reason="stricter")


def test_a_rule_editor_of_another_team_cannot_take_the_sample_away(stranger: User, kept: Case) -> None:
    sample = RegressionSample.objects.get(rule__rule_id="skew.test")
    assert signed_in(stranger).post(f"/rules/samples/{sample.pk}/remove/", {"reason": "x"}).status_code == 404
    sample.refresh_from_db()


def test_no_page_of_the_rules_shows_the_cause_of_a_drill_under_way(people: People, kept: Case) -> None:
    drill_start(user=people.rita, case_id=kept.pk)
    shown = pages_of(people.rita)
    assert f"ase {kept.pk}" not in shown
    assert "Regression sample kept: skew.test" not in shown
    assert "skew_ratio: 4.0" not in shown


def test_the_sample_of_a_deleted_case_is_left_to_administrators(people: People, kept: Case) -> None:
    RegressionSample.objects.update(case=None)
    assert "A deleted case" not in pages_of(people.rita)
    assert "A deleted case" in pages_of(people.ada)


def test_numbers_that_an_earlier_release_wrote_into_reasons_become_links(people: People, kept: Case) -> None:
    """The migration, on what the earlier release left behind."""
    RuleEvent.objects.filter(kind="sample_kept").update(case=None, reason=f"Case {kept.pk} was closed")
    import_module("workbench.rules.migrations.0010_cases_of_kept_samples").link_cases(apps, None)
    event = RuleEvent.objects.get(kind="sample_kept", rule_id="skew.test")
    assert (event.case, event.reason) == (kept, "A case was closed")
