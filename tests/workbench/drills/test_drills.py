"""Drills on past cases: what is hidden, what is shown, and the score."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case, published
from tests.workbench.people import People, case_of, signed_in, with_token
from workbench.accounts.models import LONGEST_DRILL, User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.cases.services import case_assign, case_close
from workbench.drills.evidence import AT_ONCE, Drawer, DrawerShown, Piece, drawers
from workbench.drills.models import Drill
from workbench.drills.scoring import parts
from workbench.drills.selectors import drills_by_team
from workbench.drills.services import drill_answer, drill_give_up, drill_look, drill_start, drill_suspect

TITLE = "Orders pile up at one merchant"
MINUTES = dt.timedelta(minutes=1)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.fixture
def analysis(people: People) -> Analysis:
    """A closed case of Alice whose confirmed cause a rule found; Bob has never looked at it."""
    from tests.workbench.diagnosed import SKEW_RULE

    published(SKEW_RULE, people.rita)
    return past(people.alice)


def past(user: User, cause: str = "data_skew") -> Analysis:
    analysis = diagnosed_case(user, title=TITLE)
    case_close(case=analysis.case, user=user, confirmed_class=cause, what_fixed_it="Salted the merchant")
    return analysis


def begun(user: User) -> Drill:
    return drill_start(user=user)


def got(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path)
    return answer.status_code, answer.content.decode()


def test_the_case_of_a_drill_is_out_of_sight_until_it_ends(people: People, analysis: Analysis) -> None:
    case, bob, api = analysis.case, signed_in(people.bob), with_token(people.bob)
    paths = [
        f"/cases/{case.pk}/",
        f"/reports/{case.pk}/report.json",
        f"/runbooks/{analysis.pk}/0/",
        f"/prevention/{case.pk}/",
        f"/analyses/{analysis.pk}/diagnosis.json",
    ]
    drill = begun(people.bob)

    assert [got(bob, path)[0] for path in paths] == [404] * len(paths)
    assert api.get(f"/api/v1/cases/{case.pk}/").status_code == 404
    for path in ("/", "/history/", "/drills/"):
        assert TITLE not in got(bob, path)[1]
    assert "its case is hidden from you" in got(bob, "/")[1]
    assert got(signed_in(people.vera), paths[0])[0] == 200
    case_assign(case=case, user=people.alice, owner=people.bob)

    drill_give_up(drill=drill)
    assert got(bob, paths[0])[0] == 200
    assert TITLE in got(bob, "/")[1]


def test_the_page_shows_lines_and_neither_verdict_nor_names(people: People, analysis: Analysis) -> None:
    bob = signed_in(people.bob)
    page = bob.post("/drills/start/", follow=True)
    path = page.redirect_chain[-1][0]
    told = page.content.decode()
    assert "numRecordsIn 900" not in told

    told = bob.post(f"{path}look/", {"kind": "rest"}, follow=True).content.decode()

    assert "numRecordsIn 900" in told
    hidden = (TITLE, "One subtask takes most", "skew.test", "logs/tm.log", "Orders", "alice", "% sure")
    assert [each for each in hidden if each in told] == []
    # The only place that names the cause is the list to choose from, where every cause stands.
    assert told.count("Data skew") == 1


def test_a_right_answer_with_its_evidence_in_time_has_all_points(people: People, analysis: Analysis) -> None:
    drill = begun(people.bob)
    drill_suspect(drill=drill, symptom_class="slow_sink")
    drill_look(drill=drill, kind="rest")
    drill_answer(drill=drill, symptom_class="data_skew")

    assert (drill.parts, drill.points) == ({"cause": 50, "evidence": 30, "time": 20}, 100)
    told = got(signed_in(people.bob), drill.get_absolute_url())[1]
    for part in (TITLE, "Salted the merchant", "Suspected: Slow sink", "Looked at: Answers of REST", "closed the case"):
        assert part in told
    assert "100" in got(signed_in(people.bob), "/drills/")[1]


def shown(*opened: tuple[int, int]) -> list[DrawerShown]:
    """Drawers of four lines whose line `at` is decisive (-1: none), with so many lines open."""
    found = []
    for number, (at, lines) in enumerate(opened):
        pieces = [Piece(None, "x", "", decisive=place == at) for place in range(4)]
        found.append(DrawerShown(Drawer(str(number), "", pieces), lines))
    return found


@pytest.mark.parametrize(
    ("right", "seen", "minutes", "expected"),
    [
        (True, [(0, 1)], 10, (50, 30, 20)),
        (True, [(0, 1)], 20, (50, 30, 10)),  # half of the way from 10 to 30 minutes
        (True, [(0, 1)], 31, (50, 30, 0)),
        (True, [(0, 1), (3, 3)], 5, (50, 15, 20)),  # the second kind's line is its fourth; three were seen
        (True, [(0, 0), (-1, 4)], 1, (25, 0, 0)),  # a guess
        (False, [(0, 1), (1, 4), (-1, 2)], 1, (0, 30, 0)),
        (False, [(0, 0)], 1, (0, 0, 0)),
    ],
)
def test_points_are_for_the_cause_its_evidence_and_the_time(
    right: bool, seen: list[tuple[int, int]], minutes: int, expected: tuple[int, int, int]
) -> None:
    found = parts(right=right, seen=shown(*seen), lasted=minutes * MINUTES)
    assert (found["cause"], found["evidence"], found["time"]) == expected


def citation(ts_ms: int | None, text: str, kind: str = "log") -> dict[str, Any]:
    return {"file_id": 0, "line": 1, "kind": kind, "text": text, "ts_ms": ts_ms}


def test_evidence_is_in_its_original_order_without_names(people: People, analysis: Analysis) -> None:
    texts = [(3000, "third on 10.1.2.3"), (None, "undated"), (1000, "first of Orders"), (2000, "second by a@b.org")]
    analysis.signals = [{"key": "x", "facts": {}, "citations": [citation(*each) for each in texts]}]

    (drawer,) = drawers(analysis, "data_skew")

    told = [piece.text for piece in drawer.pieces]
    assert told[0] == "first of THE-JOB"
    assert told[3] == "undated"
    assert told[1].startswith("second by person-")
    assert "10.1.2.3" not in told[2]


def test_a_look_opens_some_lines_and_the_next_look_those_after_them(people: People, analysis: Analysis) -> None:
    analysis.signals = [
        {"key": "x", "facts": {}, "citations": [citation(number, f"line {number}") for number in range(AT_ONCE + 2)]}
    ]
    analysis.save()
    drill = begun(people.bob)
    for _ in range(3):
        drill_look(drill=drill, kind="log")
    assert [step.shown for step in drill.steps.all()] == [AT_ONCE, AT_ONCE + 2]
    with pytest.raises(ValidationError):
        drill_look(drill=drill, kind="gc")


def test_chance_draws_only_what_the_person_does_not_know(people: People, analysis: Analysis) -> None:
    with pytest.raises(ValidationError, match="neither worked on"):
        begun(people.alice)
    drill = begun(people.bob)
    drill_answer(drill=drill, symptom_class="slow_sink")
    with pytest.raises(ValidationError, match="neither worked on"):
        begun(people.bob)


def test_who_knew_the_case_may_drill_it_but_does_not_count(people: People, analysis: Analysis) -> None:
    drill = drill_start(user=people.alice, case_id=analysis.case_id)
    drill_answer(drill=drill, symptom_class="data_skew")
    assert drill.knew_it
    assert [told.count for told in drills_by_team(people.vera)] == [0]

    drill_answer(drill=begun(people.bob), symptom_class="data_skew")
    told = next(drills_by_team(people.vera))
    assert (told.count, told.right) == (1, 1.0)


def test_only_a_closed_case_whose_evidence_shows_its_cause_is_drilled(people: People, analysis: Analysis) -> None:
    elsewhere = past(people.alice, cause="slow_sink").case
    unclosed = diagnosed_case(people.alice).case
    for case in (elsewhere, unclosed):
        with pytest.raises(ValidationError, match="cannot be drilled"):
            drill_start(user=people.bob, case_id=case.pk)
    with pytest.raises(ValidationError, match="cannot be drilled"):
        drill_start(user=people.charlie, case_id=analysis.case_id)


def test_one_drill_at_a_time_and_a_forgotten_one_ends_by_itself(people: People, analysis: Analysis) -> None:
    forgotten = begun(people.bob)
    past(people.alice)
    with pytest.raises(ValidationError, match="under way"):
        begun(people.bob)

    Drill.objects.filter(pk=forgotten.pk).update(started_at=timezone.now() - LONGEST_DRILL - MINUTES)
    assert Case.objects.visible_to(people.bob).filter(pk=analysis.case_id).exists()
    begun(people.bob)
    forgotten.refresh_from_db()
    assert (forgotten.answer, forgotten.points) == ("", 0)
    with pytest.raises(ValidationError, match="has ended"):
        drill_answer(drill=forgotten, symptom_class="data_skew")


def test_the_parts_of_a_merged_case_are_hidden_with_it(people: People, analysis: Analysis) -> None:
    part = case_of(people.alice, "The same at night")
    Case.objects.filter(pk=part.pk).update(merged_into=analysis.case)
    begun(people.bob)
    assert got(signed_in(people.bob), part.get_absolute_url())[0] == 404


def test_a_drill_is_for_its_own_person(people: People, analysis: Analysis) -> None:
    drill = begun(people.bob)
    for user in (people.alice, people.charlie, people.ada):
        client = signed_in(user)
        assert got(client, drill.get_absolute_url())[0] == 404
        assert client.post(f"{drill.get_absolute_url()}answer/", {"symptom_class": "data_skew"}).status_code == 404
    # Whoever leaves the team loses the case, also in a drill.
    people.team.members.remove(people.bob)
    assert got(signed_in(people.bob), drill.get_absolute_url())[0] == 404
