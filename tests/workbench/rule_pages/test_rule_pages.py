"""The list of rules, their help pages and versions, as editors and readers get them."""

from __future__ import annotations

import pytest

from diagnostics.rules.shipped import shipped_rules
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, published
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Finding
from workbench.cases.services import case_close
from workbench.rule_pages.history import Record, records_of_rules, refuted_claims
from workbench.rule_pages.reliability import reliability_of
from workbench.rules.models import EventKind, Rule, RuleEvent, RuleVersion
from workbench.rules.services import rules_load, ruleset_published


@pytest.fixture
def skew(people: People) -> RuleVersion:
    """A rule that was written here and counts."""
    return published(SKEW_RULE, people.rita)


def closed(user: User, confirmed_class: str, skew_ratio: float = 4.0) -> None:
    case = diagnosed_case(user, skew_ratio).case
    case_close(case=case, user=user, confirmed_class=confirmed_class, what_fixed_it="")


def record(user: User) -> tuple[int, int, int]:
    found = records_of_rules(user).get("skew.test", Record())
    return found.fired, found.confirmed, found.refuted


def test_a_case_counts_once_however_often_it_was_analysed(people: People, skew: RuleVersion) -> None:
    diagnosed_case(people.alice)
    assert record(people.alice) == (1, 0, 0)


def test_closing_with_the_rules_class_confirms_it(people: People, skew: RuleVersion) -> None:
    closed(people.alice, "data_skew")
    assert record(people.alice) == (1, 1, 0)


def test_closing_with_another_class_refutes_it(people: People, skew: RuleVersion) -> None:
    closed(people.alice, "slow_sink")
    assert record(people.alice) == (1, 0, 1)


def test_a_cause_that_nobody_found_neither_confirms_nor_refutes(people: People, skew: RuleVersion) -> None:
    closed(people.alice, "inconclusive")
    assert record(people.alice) == (1, 0, 0)


def test_cases_of_strangers_do_not_count(people: People, skew: RuleVersion) -> None:
    closed(people.alice, "data_skew")
    assert record(people.charlie) == (0, 0, 0)


def test_the_list_shows_every_shipped_rule_to_a_viewer(people: People) -> None:
    rules_load()
    page = signed_in(people.vera).get("/rules/").content.decode()
    assert [rule.id for rule in shipped_rules() if rule.id not in page] == []


def test_the_list_is_searched_and_filtered_by_class_and_status(people: People) -> None:
    rules_load()
    published(SKEW_RULE.replace("severity: critical", "severity: critical\nstatus: experimental"), people.rita)
    vera = signed_in(people.vera)
    for asked in ({"text": "one SUBTASK"}, {"symptom_class": "data_skew"}, {"status": "experimental"}):
        page = vera.get("/rules/", asked).content.decode()
        assert "skew.test" in page
        assert "sink.origin" not in page
    assert "No rule fits" in vera.get("/rules/", {"text": "nothing-like-it"}).content.decode()


def test_a_stranger_sees_no_rule(client: object, skew: RuleVersion) -> None:
    for path in ("/rules/", "/rules/skew.test/", f"/rules/skew.test/versions/{skew.pk}/"):
        answer = client.get(path)  # type: ignore[attr-defined]
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/login/")


def test_every_shipped_rule_has_a_help_page(people: People) -> None:
    rules_load()
    vera = signed_in(people.vera)
    assert [rule.id for rule in shipped_rules() if vera.get(f"/rules/{rule.id}/").status_code != 200] == []


def test_the_help_page_shows_trigger_bound_source_clearing_and_false_alarms(people: People) -> None:
    text = SKEW_RULE + "false_alarms:\n  - A backlog of one partition looks the same.\n"
    published(text, people.rita)
    page = signed_in(people.vera).get("/rules/skew.test/").content.decode()
    for told in ("at least 2 times", "below 2 times", "made up for the test", "A backlog of one partition"):
        assert told in page


def test_a_case_that_refuted_a_rule_is_a_known_false_alarm_of_it_f120(people: People, skew: RuleVersion) -> None:
    closed(people.alice, "slow_sink")
    closed(people.alice, "data_skew")
    closed(people.alice, "inconclusive")

    [claim] = refuted_claims(people.bob, "skew.test")
    page = signed_in(people.bob).get("/rules/skew.test/").content.decode()

    assert claim.confirmed == "slow_sink"
    assert f'href="{claim.case.get_absolute_url()}"' in page.split("Known false alarms")[1]
    assert refuted_claims(people.charlie, "skew.test") == []
    assert claim.case.get_absolute_url() not in signed_in(people.charlie).get("/rules/skew.test/").content.decode()


def test_the_confirmed_cause_of_one_job_refutes_no_claim_about_another_one(people: People, skew: RuleVersion) -> None:
    """Two jobs had two causes; the one that people confirmed made the other a false alarm."""
    analysis = diagnosed_case(people.alice)
    other = analysis.findings.get()
    other.position, other.subject = 1, {**other.subject, "job": "b" * 32}
    other.save()
    first = {"subject": {"job": "a" * 32}, "rule_id": "sink.test", "symptom_class": "slow_sink", "position": 0}
    Finding.objects.create(analysis=analysis, role="root_cause", confidence=0.9, rule_version=1, **first)
    case_close(case=analysis.case, user=people.alice, confirmed_class="slow_sink", what_fixed_it="")

    assert record(people.alice) == (1, 0, 0)
    assert records_of_rules(people.alice)["sink.test"].confirmed == 1
    assert refuted_claims(people.alice, "skew.test") == []
    assert reliability_of(people.alice, "skew.test").cases == 0

    Finding.objects.filter(position=1).update(subject={"vertex": "Window"})
    assert record(people.alice) == (1, 0, 1), "a claim about all jobs is about that one too"


def test_a_rule_that_no_longer_loads_says_why_on_its_page(people: People) -> None:
    rule = Rule.objects.create(rule_id="old.rule")
    RuleVersion.objects.create(
        rule=rule, number=1, origin="local", state="published", text="id: old.rule", symptom_class="x"
    )
    page = signed_in(people.vera).get("/rules/old.rule/").content.decode()
    assert "does not load any more" in page


def test_a_rule_that_does_not_exist_has_no_page(people: People) -> None:
    assert signed_in(people.rita).get("/rules/no.such/").status_code == 404


def test_a_version_shows_what_changed_since_the_one_before(people: People, skew: RuleVersion) -> None:
    changed = published(skew.text.replace("value: 2", "value: 5"), people.rita, skew)
    page = signed_in(people.vera).get(f"/rules/skew.test/versions/{changed.pk}/").content.decode()
    assert 'class="removed"' in page
    assert "value: 5" in page


def test_switching_off_and_on_needs_a_reason_and_is_written_down(people: People, skew: RuleVersion) -> None:
    rita = signed_in(people.rita)
    rita.post("/rules/skew.test/switch/", {"enabled": "0"})
    assert skew in ruleset_published().versions.all()
    rita.post("/rules/skew.test/switch/", {"enabled": "0", "reason": "too loud"})
    assert skew not in ruleset_published().versions.all()
    rita.post("/rules/skew.test/switch/", {"enabled": "1", "reason": "fixed"})
    assert skew in ruleset_published().versions.all()
    told = [(each.kind, each.by, each.reason) for each in RuleEvent.objects.all()[:2]]
    assert told == [
        (EventKind.SWITCHED_ON, people.rita, "fixed"),
        (EventKind.SWITCHED_OFF, people.rita, "too loud"),
    ]


def test_rolling_back_needs_a_reason_and_is_written_down(people: People, skew: RuleVersion) -> None:
    newer = published(skew.text, people.rita, skew)
    rita = signed_in(people.rita)
    door = f"/rules/skew.test/versions/{skew.pk}/roll-back/"
    rita.post(door, {})
    assert newer in ruleset_published().versions.all()
    rita.post(door, {"reason": "version 2 cried wolf"})
    assert skew in ruleset_published().versions.all()
    event = RuleEvent.objects.first()
    assert event is not None
    assert (event.kind, event.version, event.before, event.after) == (
        EventKind.ROLLED_BACK,
        skew,
        newer.text,
        skew.text,
    )


def test_after_a_roll_back_the_page_says_which_version_judged_a_finding(people: People, skew: RuleVersion) -> None:
    """The finding names version 2, and its link showed version 1 as if it were that."""
    newer = published(skew.text, people.rita, skew)
    rita = signed_in(people.rita)
    rita.post(f"/rules/skew.test/versions/{skew.pk}/roll-back/", {"reason": "it cried wolf"})
    asked = rita.get("/rules/skew.test/", {"version": newer.number}).content.decode()
    assert f"judged by version {newer.number}; this page shows version {skew.number}." in asked
    assert f'href="/rules/skew.test/versions/{newer.pk}/"' in asked
    for number in (skew.number, 99, "<b>", 10**30):
        assert "The finding that leads here" not in rita.get("/rules/skew.test/", {"version": number}).content.decode()


@pytest.mark.parametrize("name", ["vera", "alice"])
def test_readers_change_nothing(people: People, skew: RuleVersion, name: str) -> None:
    reader = signed_in(getattr(people, name))
    page = reader.get("/rules/skew.test/").content.decode()
    assert "Switch off" not in page
    for door in ("switch/", f"versions/{skew.pk}/roll-back/"):
        assert reader.post(f"/rules/skew.test/{door}", {"reason": "x"}).status_code == 403
    assert skew in ruleset_published().versions.all()


def test_a_finding_leads_to_its_rule(people: People, skew: RuleVersion) -> None:
    case = diagnosed_case(people.alice).case
    assert 'href="/rules/skew.test/?version=1"' in signed_in(people.alice).get(case.get_absolute_url()).content.decode()
