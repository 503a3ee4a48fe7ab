"""The timeline of a case, its watchers, and the people whom a note notifies."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import diagnosed_case, stored_file
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import Role, User
from workbench.cases.mentions import names_mentioned
from workbench.cases.models import Case, CaseChange, CaseStatus
from workbench.cases.selectors import watchers
from workbench.cases.services import (
    case_assign,
    case_close,
    case_rename,
    case_reopen,
    case_seen,
    case_status_set,
    note_add,
)
from workbench.history.case_records import case_records
from workbench.history.timeline import timeline


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def entry_texts(case: Case, *, everything: bool = False) -> list[str]:
    return [entry.text for entry in timeline(case_records(case)) if everything or not entry.is_minor]


def news(user: User) -> list[Case]:
    return list(Case.objects.visible_to(user).with_news_for(user))


def test_files_that_come_together_are_one_entry_and_their_verdict_follows(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    for number in range(4):
        stored_file(analysis.case, people.alice, f"rest/{number}.json")

    score = analysis.document["health"]["score"]
    assert entry_texts(analysis.case) == [
        "opened the case",
        "added 5 files: logs/tm.log, rest/0.json, rest/1.json and 2 more",
        f"Diagnosed: Data skew, 90 % sure, health {score}.",
    ]


def test_a_note_that_an_alert_left_is_not_said_to_be_written_by_a_person(people: People) -> None:
    case = case_of(people.alice)
    note_add(case=case, user=people.alice, text="I look into it, @bob.")
    note_add(case=case, user=people.alice, text="The alert Lag fires, says prod: ask @bob", unattended=True)

    written, noted = timeline(case_records(case))[1:]
    assert (written.by, written.text, list(written.mentioned)) == (people.alice, "wrote", ["bob"])
    assert (noted.by, noted.text, list(noted.mentioned)) == (None, "The workbench noted", [])


def test_many_files_of_one_folder_are_named_by_it(people: People) -> None:
    """Three paths out of three hundred, in the order of their names, said nothing."""
    case = case_of(people.alice)
    for number in range(4):
        stored_file(case, people.alice, f"incident/rest/t{number}/overview.json")

    assert entry_texts(case)[1] == "added 4 files of incident"


def test_every_change_says_who_made_it_and_what_it_was(people: People) -> None:
    case = case_of(people.alice)
    case_status_set(case=case, user=people.bob, status=CaseStatus.FIX_APPLIED)
    case_assign(case=case, user=people.alice, owner=people.bob)
    case_close(case=case, user=people.bob, confirmed_class="slow_sink", what_fixed_it="A larger batch")
    case_reopen(case=case, user=people.alice)

    entries = timeline(case_records(case))[1:]

    assert [(str(entry.by), entry.text) for entry in entries] == [
        ("bob", "set the status to fix applied"),
        ("alice", "handed the case to bob"),
        ("bob", "closed the case. Confirmed cause: Slow sink"),
        ("alice", "opened the case again"),
    ]
    assert entries[2].detail == "A larger batch"


def test_a_renaming_is_reported_only_when_everything_is_asked_for(people: People) -> None:
    case = case_of(people.alice, "Before")
    case_rename(case=case, user=people.bob, title="After")

    assert entry_texts(case) == ["opened the case"]
    assert entry_texts(case, everything=True) == ["opened the case", "renamed the case from Before"]


def test_setting_what_is_set_already_leaves_no_trace(people: People) -> None:
    case = case_of(people.alice)
    case_status_set(case=case, user=people.bob, status=CaseStatus.OPEN)
    assert not CaseChange.objects.exists()


def test_names_after_an_at_sign_are_mentions_and_addresses_are_not() -> None:
    text = "@bob, ask (@alice.b) or mail me@example.org; see @rita. @bob"
    assert names_mentioned(text) == ["bob", "alice.b", "rita"]


def test_a_mentioned_user_watches_and_has_news_until_reading(people: People) -> None:
    case = case_of(people.alice)
    note_add(case=case, user=people.alice, text="@vera please look")
    assert watchers(case) == [people.alice, people.vera]
    assert (news(people.vera), news(people.bob)) == ([case], [])

    signed_in(people.vera).get(case.get_absolute_url())

    assert news(people.vera) == []


def test_what_a_watcher_has_seen_becomes_news_with_the_next_change(people: People) -> None:
    case = case_of(people.alice)
    case_seen(case=case, user=people.alice)
    case_status_set(case=case, user=people.bob, status=CaseStatus.INVESTIGATING)
    assert news(people.alice) == [case]


@pytest.mark.parametrize("name", ["charlie", "nobody"])
def test_a_mention_reaches_nobody_who_may_not_see_the_case(people: People, name: str) -> None:
    note = note_add(case=case_of(people.alice), user=people.alice, text=f"@{name} look")
    assert not note.mentions.exists()


def test_the_page_marks_the_mentioned_name_and_runs_nothing_of_the_note(people: People) -> None:
    case = case_of(people.alice)
    note_add(case=case, user=people.alice, text="<b>@bob</b> & @charlie")

    page = signed_in(people.bob).get(case.get_absolute_url()).content.decode()

    assert '&lt;b&gt;<span class="mention">@bob</span>&lt;/b&gt; &amp; @charlie' in page


def test_every_reader_may_watch_and_stop_watching(people: People) -> None:
    case = case_of(people.alice)
    vera = signed_in(people.vera)

    vera.post(f"/cases/{case.pk}/watch/", {"watch": "yes"})
    assert people.vera in watchers(case)
    vera.post(f"/cases/{case.pk}/watch/", {"watch": "no"})
    assert people.vera not in watchers(case)


def test_a_stranger_cannot_watch(people: People) -> None:
    case = case_of(people.alice)
    assert signed_in(people.charlie).post(f"/cases/{case.pk}/watch/").status_code == 404


def test_who_left_the_team_is_no_watcher_any_more(people: People) -> None:
    case = case_of(people.alice)
    note_add(case=case, user=people.alice, text="@bob")
    people.team.members.remove(people.bob)
    assert people.bob.role == Role.RESPONDER
    assert watchers(case) == [people.alice]
