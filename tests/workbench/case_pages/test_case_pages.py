"""The pages of cases, as people and strangers get them."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case, document_store, stored_file
from tests.workbench.people import People, case_of, signed_in
from workbench.alerts.models import Alert, AlertSource
from workbench.analyses.services import analysis_request
from workbench.cases.models import Case, CaseStatus
from workbench.runbooks.plans import waits_because

HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def test_the_empty_home_page_teaches_what_to_collect(people: People) -> None:
    page = signed_in(people.alice).get("/").content.decode()

    assert "Load the demo incidents" in page
    assert "kubectl logs" in page


def test_a_viewer_is_not_offered_what_she_may_not_do(people: People) -> None:
    assert "New case" not in signed_in(people.vera).get("/").content.decode()
    assert signed_in(people.vera).get("/cases/new/").status_code == 403


def test_the_list_shows_verdict_health_and_job_and_finds_by_text(people: People) -> None:
    analysis = diagnosed_case(people.alice, title="Orders are late")
    case_of(people.alice, "Another thing")
    bob = signed_in(people.bob)

    page = bob.get("/").content.decode()
    found = bob.get("/", {"text": "orders"}).content.decode()

    assert "Data skew" in page
    assert "Another thing" in page
    assert str(analysis.document["health"]["score"]) in page
    assert "Orders are late" in found
    assert "Another thing" not in found


def test_a_search_without_a_hit_says_so(people: People) -> None:
    case_of(people.alice)
    assert "No case fits" in signed_in(people.alice).get("/", {"text": "nothing-like-it"}).content.decode()


def test_the_case_page_shows_verdict_then_charts_then_findings_then_files(people: People) -> None:
    analysis = diagnosed_case(people.alice)

    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()

    places = [page.index(f'id="{section}"') for section in ("verdict-title", "charts", "findings", "files", "notes")]
    assert places == sorted(places)
    assert "Window has a skew of" in page
    assert "at least 2 times" in page
    assert "made up for the test" in page
    assert "rule skew.test version 1" in page


def test_a_finding_says_when_it_began(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    older = "since the beginning of the evidence or earlier"
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert older not in page, "no measure shows when it began"
    assert "data-began" not in page

    analysis.document["findings"][0]["onset"] = {"ts": "2026-11-21T01:02:03.000Z", "at_start": True}
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert older in page

    analysis.document["findings"][0]["onset"]["job_started"] = "2026-11-21T01:01:50.000Z"
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "since the job started, 2026-11-21 01:01:50 UTC" in page
    assert older not in page

    analysis.document["findings"][0]["onset"] = {"ts": "2026-11-21T01:02:03.000Z", "at_start": False}
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "began 2026-11-21 01:02:03 UTC" in page
    assert f'data-began="{round(dt.datetime(2026, 11, 21, 1, 2, 3, tzinfo=dt.UTC).timestamp() * 1000)}"' in page


def test_a_page_without_a_cause_says_what_to_do_about_what_is_seen(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    seen = {
        "role": "consequence",
        "caused_by": None,
        "severity": "critical",
        "first_step": "Look how it ended. Then ask.",
    }
    analysis.document["findings"][0] |= seen
    analysis.document["verdict"] |= {"symptom_class": "inconclusive", "summary": "It was lost. Nothing shows why."}
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "<strong>Do first:</strong> Look how it ended.</p>" in page, "one line says what to do"
    assert '<p class="first-step-more">Then ask.</p>' in page


def test_a_page_says_that_trouble_is_over_and_asks_for_nothing_now(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "over since" not in page

    onset = {"ts": "2026-11-21T01:02:03.000Z", "at_start": False, "ended": "2026-11-21T01:03:00.000Z"}
    analysis.document["findings"][0] |= {"onset": onset, "first_step": "Find the key."}
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert page.count("over since 2026-11-21 01:03:00 UTC") == 2, "in the verdict and at the finding"
    assert "To prevent it next time:" in page
    assert "Do first:" not in page
    assert "act now" not in page
    assert waits_because(analysis, None).startswith("The trouble has been over since 2026-11-21 01:03:00 UTC")


def test_advice_is_an_option_and_no_consequence(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0] |= {"role": "consequence", "caused_by": None}
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "Consequences without a known cause" in page

    analysis.document["findings"][0]["advice"] = True
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert '<h3 class="finding-group">Options</h3>' in page
    assert "Consequences without a known cause" not in page


def test_the_alerts_of_a_case_are_marked_on_its_charts(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    fired, heard = (dt.datetime(2026, 11, 21, 1, minute, tzinfo=dt.UTC) for minute in (2, 5))
    source = AlertSource.objects.create(
        slug="prod", kind="alertmanager", team=people.team, owner=people.alice, added_by=people.ada
    )
    times: dict[str, Any] = {"received_at": heard, "heard_at": heard, "case": analysis.case, "source": source}
    Alert.objects.create(name="LagGrows", identity="a", starts_at=fired, resolved_at=heard, is_firing=False, **times)
    Alert.objects.create(name="Clock ahead", identity="b", starts_at=heard + dt.timedelta(hours=1), **times)

    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()

    began, end = (round(moment.timestamp() * 1000) for moment in (fired, heard))
    assert f'data-alert-began="{began}" data-alert-resolved="{end}"' in page
    assert f'data-alert-began="{end}"' in page, "a clock that is ahead dates no alert into the future"
    assert "resolved 2026-11-21 01:05:00 UTC" in " ".join(re.sub("<[^>]+>", "", page).split())


def test_the_page_shows_what_the_run_did_and_what_failed_in_it(people: People) -> None:
    analysis = diagnosed_case(people.alice)

    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()

    assert "Reading: 5 ms" in page
    assert "What failed on our side is listed below." in page
    assert "chart &#x27;x&#x27; could not be drawn" in page


def test_evidence_leads_to_the_line_it_was_read_from(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    file = analysis.case.files.get()

    page = signed_in(people.alice).get(analysis.case.get_absolute_url()).content.decode()

    assert f'href="{reverse("uploads:lines", args=[file.pk, 2])}?to=3#L2"' in page


def test_the_clocks_of_files_are_compared_where_the_files_are_listed(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    file = analysis.case.files.get()
    offset = {"against": "jm.log", "least_ms": 7_199_990, "most_ms": 7_200_040, "events": 9}
    entry = {**analysis.document["inputs"][0], "file": file.name, "offset": offset}
    analysis.document["inputs"] = [{**entry, "clock": {"zone": "Asia/Shanghai", "shift_ms": 0}}]
    analysis.save()
    address = reverse("uploads:format", args=[file.pk])

    page = signed_in(people.alice).get(analysis.case.get_absolute_url()).content.decode()
    assert "Its clock is 2 h ahead of that of jm.log" in page
    assert "That is what another time zone would make." in page
    assert "read as local time of Asia/Shanghai" in page
    assert f'href="{address}#clock"' in page
    assert address not in signed_in(people.vera).get(analysis.case.get_absolute_url()).content.decode()


@pytest.mark.parametrize("name", ["cases:detail", "cases:files", "cases:close"])
def test_a_stranger_cannot_see_that_the_case_exists(people: People, name: str) -> None:
    case = case_of(people.alice)
    assert signed_in(people.charlie).get(reverse(name, args=[case.pk])).status_code == 404


@pytest.mark.parametrize("name", ["paste", "analyse", "rename", "status", "close", "reopen", "note"])
def test_a_stranger_and_a_viewer_change_nothing(people: People, name: str) -> None:
    case = case_of(people.alice)
    address = reverse(f"cases:{name}", args=[case.pk])

    assert signed_in(people.charlie).post(address).status_code == 404
    assert signed_in(people.vera).post(address).status_code == 403


def test_a_visitor_is_asked_to_sign_in(people: People) -> None:
    answer = Client().get("/cases/new/")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/")


def test_titles_notes_and_names_of_files_are_shown_and_not_run(people: People) -> None:
    case = case_of(people.alice, HOSTILE)
    stored_file(case, people.alice, f"logs/{HOSTILE}.log")
    alice = signed_in(people.alice)
    alice.post(reverse("cases:note", args=[case.pk]), {"text": HOSTILE})

    pages = [
        alice.get(address).content.decode()
        for address in ("/", case.get_absolute_url(), reverse("cases:files", args=[case.pk]))
    ]

    assert all("&lt;img src=x" in page and HOSTILE not in page for page in pages)


def test_without_javascript_one_form_opens_the_case_with_its_files(people: People) -> None:
    content = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.Some [] - Something\n" * 3
    form = {"title": "From a form", "files": [SimpleUploadedFile("tm.log", content)]}

    answer = signed_in(people.alice).post("/cases/new/", form)

    case = Case.objects.get(title="From a form")
    assert answer["Location"] == case.get_absolute_url()
    assert case.files.get().name == "tm.log"
    assert case.analyses.count() == 1


def test_pasted_text_needs_no_javascript_either(people: People) -> None:
    signed_in(people.alice).post("/cases/new/", {"text": "2024-05-14 09:12:01,123 INFO  org.a.B [] - Said"})

    assert Case.objects.get().files.get().name == "pasted.txt"


def test_an_empty_form_opens_no_case(people: People) -> None:
    answer = signed_in(people.alice).post("/cases/new/", {"title": "Nothing"}, follow=True)

    assert "At least one file is needed" in answer.content.decode()
    assert not Case.objects.exists()


def test_a_script_opens_the_case_first_and_learns_where_to_send_files(people: People) -> None:
    answer = signed_in(people.alice).post("/cases/new/", {"title": "Dropped"}, headers={"Accept": "application/json"})

    case = Case.objects.get()
    assert answer.status_code == 201
    assert answer.json()["add_url"] == reverse("uploads:add", args=[case.pk])


def test_closing_keeps_cause_and_cure_and_reopening_keeps_them_readable(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    bob = signed_in(people.bob)
    closing = {"confirmed_class": "data_skew", "what_fixed_it": f"Salted the key {HOSTILE}"}

    page = bob.post(reverse("cases:close", args=[analysis.case_id]), closing, follow=True).content.decode()

    assert "Confirmed cause: Data skew" in page
    assert "Salted the key &lt;img" in page
    bob.post(reverse("cases:reopen", args=[analysis.case_id]))
    assert Case.objects.get().status == CaseStatus.OPEN


def test_closing_without_a_cause_asks_again(people: People) -> None:
    case = case_of(people.alice)
    answer = signed_in(people.alice).post(reverse("cases:close", args=[case.pk]), {"confirmed_class": "weather"})

    assert answer.status_code == 200
    assert Case.objects.get().status == CaseStatus.OPEN


def test_a_running_analysis_shows_stages_and_survives_a_reload(people: People) -> None:
    case = case_of(people.alice)
    stored_file(case, people.alice)
    analysis = analysis_request(case=case, user=people.alice)
    alice = signed_in(people.alice)

    page = alice.get(case.get_absolute_url()).content.decode()
    told = alice.get(reverse("analyses:progress", args=[analysis.pk])).json()

    assert "Next in the queue" in page
    assert told["headline"] == "Next in the queue"
    assert told["stages"][0] == {"name": "Unpacking", "state": "next"}
    assert signed_in(people.charlie).get(reverse("analyses:progress", args=[analysis.pk])).status_code == 404


def test_cancelling_and_trying_again_from_the_page(people: People) -> None:
    case = case_of(people.alice)
    stored_file(case, people.alice)
    analysis = analysis_request(case=case, user=people.alice)
    bob = signed_in(people.bob)

    page = bob.post(reverse("analyses:cancel", args=[analysis.pk]), follow=True).content.decode()
    assert "The analysis was cancelled" in page
    bob.post(reverse("analyses:retry", args=[analysis.pk]))
    assert case.analyses.count() == 2
    assert signed_in(people.vera).post(reverse("analyses:cancel", args=[analysis.pk])).status_code == 403


def test_the_document_is_offered_as_a_file(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    address = reverse("analyses:document", args=[analysis.pk])

    answer = signed_in(people.bob).get(address)

    assert json.loads(answer.content) == analysis.document
    assert "attachment" in answer["Content-Disposition"]
    assert signed_in(people.charlie).get(address).status_code == 404


def test_an_unknown_page_has_the_workbenchs_look(people: People) -> None:
    answer = signed_in(people.alice).get("/no-such-page/")

    assert answer.status_code == 404
    assert "To the cases" in answer.content.decode()


def test_pages_hold_no_inline_script_and_no_inline_style(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    alice = signed_in(people.alice)
    for address in ("/", "/cases/new/", analysis.case.get_absolute_url()):
        page = alice.get(address).content.decode()
        assert "<script>" not in page
        assert " style=" not in page
        assert "onclick=" not in page


def test_a_case_is_handed_over_to_somebody_of_its_team(people: People) -> None:
    case = case_of(people.alice)
    assert signed_in(people.bob).post(f"/cases/{case.pk}/owner/", {"owner": "bob"}).status_code == 302
    case.refresh_from_db()
    assert case.owner == people.bob


@pytest.mark.parametrize("name", ["charlie", "vera", "nobody"])
def test_a_case_is_not_handed_over_to_who_cannot_work_on_it(people: People, name: str) -> None:
    case = case_of(people.alice)
    assert signed_in(people.alice).post(f"/cases/{case.pk}/owner/", {"owner": name}).status_code == 404
    case.refresh_from_db()
    assert case.owner == people.alice
