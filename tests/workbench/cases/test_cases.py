from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404

from tests.workbench.people import People, case_of
from workbench.accounts.models import User
from workbench.cases.models import Case, CaseStatus
from workbench.cases.selectors import (
    case_page,
    case_to_change,
    case_visible,
    cases_matching,
)
from workbench.cases.services import (
    case_assign,
    case_close,
    case_open,
    case_rename,
    case_reopen,
    case_status_set,
    note_add,
)


def titles(user: User, **asked: str) -> list[str]:
    return [case.title for case in cases_matching(user, asked)]


def test_a_case_belongs_to_the_team_of_its_author(people: People) -> None:
    case = case_of(people.alice)
    assert (case.team, case.owner, case.created_by, case.status) == (
        people.team,
        people.alice,
        people.alice,
        CaseStatus.OPEN,
    )


def test_somebody_without_a_team_opens_no_case(db: None) -> None:
    with pytest.raises(ValidationError, match="You belong to no team"):
        case_open(user=User.objects.create_user("loner"), title="x")


def test_nobody_opens_a_case_for_a_team_of_others(people: People) -> None:
    with pytest.raises(ValidationError):
        case_open(user=people.charlie, title="x", team=people.team)


def test_a_stranger_cannot_see_whether_a_case_exists(people: People) -> None:
    case = case_of(people.alice)
    with pytest.raises(Http404):
        case_visible(people.charlie, case.pk)
    with pytest.raises(Http404):
        case_to_change(people.charlie, case.pk)


def test_a_viewer_reads_and_does_not_change(people: People) -> None:
    case = case_of(people.alice)
    assert case_visible(people.vera, case.pk) == case
    with pytest.raises(PermissionDenied):
        case_to_change(people.vera, case.pk)
    assert case_to_change(people.bob, case.pk) == case


def test_closing_keeps_the_cause_the_fix_who_and_when(people: People) -> None:
    case = case_of(people.alice)
    case_close(case=case, user=people.bob, confirmed_class="data_skew", what_fixed_it="Salted the key of customer 7")
    case.refresh_from_db()
    assert (case.status, case.confirmed_class, case.closed_by) == (CaseStatus.CLOSED, "data_skew", people.bob)
    assert case.closed_at is not None
    assert titles(people.alice, text="salted") == [case.title]
    case_reopen(case=case, user=people.bob)
    case.refresh_from_db()
    assert (case.status, case.closed_at, case.what_fixed_it) == (CaseStatus.OPEN, None, "Salted the key of customer 7")


def test_closing_asks_for_a_cause(people: People) -> None:
    with pytest.raises(ValidationError):
        case_close(case=case_of(people.alice), user=people.alice, confirmed_class=" ", what_fixed_it="")
    with pytest.raises(ValidationError):
        case_status_set(case=case_of(people.alice), user=people.alice, status=CaseStatus.CLOSED)


def test_a_case_is_given_to_a_team_member_only(people: People) -> None:
    case = case_of(people.alice)
    case_assign(case=case, user=people.alice, owner=people.bob)
    with pytest.raises(ValidationError, match="does not belong to the team"):
        case_assign(case=case, user=people.alice, owner=people.charlie)
    case.refresh_from_db()
    assert case.owner == people.bob


def test_an_empty_note_is_refused(people: People) -> None:
    with pytest.raises(ValidationError):
        note_add(case=case_of(people.alice), user=people.alice, text=" \n")


def test_the_search_finds_parts_of_words_in_any_letter_case_with_all_words_present(people: People) -> None:
    skewed, slow = case_of(people.alice, "Enrich-Orders lags"), case_of(people.alice, "Uploads to S3 take minutes")
    note_add(case=skewed, user=people.bob, text="java.io.InvalidClassException in OrderKey, Grüße")
    note_add(case=slow, user=people.bob, text="bucket tm-3 in eu-central")
    assert titles(people.alice, text="invalidclass") == [skewed.title]
    assert titles(people.alice, text="GRÜSSE orders") == [skewed.title]
    assert titles(people.alice, text="tm-3 orders") == []
    assert titles(people.alice, text='"to s3"') == [slow.title]
    assert titles(people.alice, text=f"#{slow.pk}") == [slow.title]
    assert titles(people.alice, text='unfinished "quote') == []
    assert titles(people.alice, text="100%_") == []


CHINESE_QUERIES = (
    "超时",
    "反压 订单",
    "反压\uff0c订单",
    "订单\u3000反压",
    "\u201c订单富化 反压\u201d",
    "checkpoint 超时",
)


@pytest.mark.parametrize("query", CHINESE_QUERIES)
def test_the_search_finds_chinese_words_and_parts_of_words(people: People, query: str) -> None:
    case_of(people.alice, "Kafka 消费延迟增长")
    slow = case_of(people.alice, "订单富化 反压导致 Checkpoint 超时")
    assert titles(people.alice, text=query) == [slow.title]


def test_chinese_titles_come_after_latin_ones_in_the_order_of_titles(people: People) -> None:
    for title in ("数据倾斜", "Orders", "反压"):
        case_of(people.alice, title)
    assert titles(people.alice, order="title") == ["Orders", "反压", "数据倾斜"]


def test_the_search_finds_nothing_of_other_teams(people: People) -> None:
    case_of(people.alice, "Enrich-Orders lags")
    assert titles(people.charlie, text="orders") == []


def test_renaming_is_found_by_the_search(people: People) -> None:
    case = case_of(people.alice)
    case_rename(case=case, user=people.alice, title="  Kafka   sink\nstuck ")
    assert titles(people.alice, text="kafka sink") == ["Kafka sink stuck"]


def test_the_list_filters_orders_and_pages(people: People) -> None:
    for number in range(30):
        case_of(people.alice, f"case {number:02}")
    third = Case.objects.filter(title="case 03")
    third.update(verdict_class="data_skew", job_names="orders\nshipping", health_score=10)
    Case.objects.filter(title="case 04").update(verdict_class="healthy", job_names="clicks", health_score=95)
    assert titles(people.alice, symptom_class="data_skew") == ["case 03"]
    assert titles(people.alice, job="SHIP") == ["case 03"]
    assert titles(people.alice, owner="bob") == []
    assert titles(people.alice, order="oldest")[0] == "case 00"
    assert titles(people.alice)[0] == "case 29"
    assert titles(people.alice, order="health")[:2] == ["case 03", "case 04"]
    page = case_page(people.alice, {"page": "2"})
    assert [case.title for case in page] == [f"case {number:02}" for number in (4, 3, 2, 1, 0)]
    assert case_page(people.alice, {"page": "nonsense"}).number == 1
