"""A draft judged on the whole case history."""

from __future__ import annotations

import pytest

from diagnostics.errors import InvalidRule
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, drafted, published
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.cases.services import case_close
from workbench.rule_pages.backtest import Tally, backtest_go_on, backtest_start, changes_shown
from workbench.rules.models import Backtest, Draft, RuleVersion

LOOSER = SKEW_RULE.replace("value: 2", "value: 1.2")
STRICTER = SKEW_RULE.replace("value: 2", "value: 8")


@pytest.fixture
def skew(people: People) -> RuleVersion:
    return published(SKEW_RULE, people.rita)


def closed(user: User, skew_ratio: float, confirmed_class: str) -> int:
    case = diagnosed_case(user, skew_ratio).case
    case_close(case=case, user=user, confirmed_class=confirmed_class, what_fixed_it="")
    return int(case.pk)


def judged(draft: Draft, user: User) -> Backtest:
    backtest = backtest_start(draft=draft, user=user)
    while not backtest.is_done:
        backtest_go_on(backtest=backtest)
    return backtest


def test_precision_and_recall_before_and_after_are_those_of_the_confirmed_causes(
    people: People, skew: RuleVersion
) -> None:
    closed(people.alice, 4.0, "data_skew")
    closed(people.alice, 1.5, "data_skew")
    closed(people.alice, 1.4, "slow_sink")
    closed(people.alice, 4.0, "inconclusive")
    diagnosed_case(people.alice, 1.3)
    backtest = judged(drafted(LOOSER, people.rita, skew), people.rita)
    tally = Tally.read(backtest.tally)
    assert (tally.confirmed, tally.verdicts_changed, tally.firings_changed) == (3, 3, 3)
    assert (tally.rule_before.precision, tally.rule_before.recall) == (1.0, 0.5)
    assert (tally.rule_after.precision, tally.rule_after.recall) == (2 / 3, 1.0)
    assert (tally.verdicts_before.right, tally.verdicts_after.right) == (1, 2)


def test_changed_cases_say_whether_the_verdict_is_now_right_or_wrong(people: People, skew: RuleVersion) -> None:
    better, worse = closed(people.alice, 1.5, "data_skew"), closed(people.alice, 1.4, "inconclusive")
    lost = closed(people.alice, 4.0, "data_skew")
    open_case = diagnosed_case(people.alice, 1.3).case_id
    backtest = judged(drafted(LOOSER, people.rita, skew), people.rita)
    assert [(each.case, each.turn) for each in changes_shown(backtest.changes)] == [
        (better, "better"),
        (open_case, ""),
        (worse, ""),
    ]
    backtest = judged(drafted(STRICTER, people.rita, skew), people.rita)
    assert [(each.case, each.turn) for each in changes_shown(backtest.changes)] == [(lost, "worse")]


def test_a_new_rule_is_compared_with_its_absence(people: People, skew: RuleVersion) -> None:
    closed(people.alice, 1.5, "data_skew")
    new = SKEW_RULE.replace("skew.test", "skew.new").replace("value: 2", "value: 1.2")
    tally = Tally.read(judged(drafted(new, people.rita), people.rita).tally)
    assert (tally.rule_before.claimed, tally.rule_after.claimed) == (0, 1)
    assert tally.rule_before.precision is None


def test_only_cases_that_the_editor_sees_are_judged(people: People, skew: RuleVersion) -> None:
    own, _ = diagnosed_case(people.alice), diagnosed_case(people.charlie)
    assert judged(drafted(LOOSER, people.rita, skew), people.rita).analyses == [own.pk]
    assert judged(drafted(LOOSER, people.ada, skew), people.ada).total == 2


def test_it_goes_on_where_it_was_and_counts_each_case_once(people: People, skew: RuleVersion) -> None:
    for _ in range(3):
        diagnosed_case(people.alice, 1.5)
    backtest = backtest_start(draft=drafted(LOOSER, people.rita, skew), user=people.rita)
    other_window = Backtest.objects.get(pk=backtest.pk)
    backtest_go_on(backtest=backtest, seconds=0)
    backtest_go_on(backtest=other_window, seconds=0)
    assert (backtest.done, other_window.done) == (1, 1)
    backtest_go_on(backtest=backtest)
    assert backtest.tally["verdicts_changed"] == 3


def test_a_case_that_was_deleted_meanwhile_is_passed_over(people: People, skew: RuleVersion) -> None:
    gone = diagnosed_case(people.alice, 1.5)
    diagnosed_case(people.alice, 1.5)
    backtest = backtest_start(draft=drafted(LOOSER, people.rita, skew), user=people.rita)
    gone.delete()
    backtest_go_on(backtest=backtest)
    assert (backtest.is_done, backtest.tally["verdicts_changed"]) == (True, 1)


def test_a_draft_with_errors_is_not_judged(people: People) -> None:
    with pytest.raises(InvalidRule):
        backtest_start(draft=drafted("id: half", people.rita), user=people.rita)


def test_an_editor_asks_for_it_and_reads_the_outcome(people: People, skew: RuleVersion) -> None:
    closed(people.alice, 1.5, "data_skew")
    draft = drafted(LOOSER, people.rita, skew)
    rita = signed_in(people.rita)
    page = rita.post(f"/rules/drafts/{draft.pk}/back-test/").headers["Location"]
    assert "Judging" in rita.get(page).content.decode()
    answer = rita.post(f"{page}go-on/", headers={"Accept": "application/json"}).json()
    assert answer == {"done": 1, "total": 1}
    shown = rita.get(page).content.decode()
    assert "The verdict of 1 case would change" in shown
    assert "now right" in shown


def test_nobody_else_reads_it(people: People, skew: RuleVersion) -> None:
    draft = drafted(LOOSER, people.rita, skew)
    backtest = backtest_start(draft=draft, user=people.rita)
    assert signed_in(people.ada).get(f"/rules/back-tests/{backtest.pk}/").status_code == 404
    alice = signed_in(people.alice)
    assert alice.get(f"/rules/back-tests/{backtest.pk}/").status_code == 403
    assert alice.post(f"/rules/drafts/{draft.pk}/back-test/").status_code == 403
