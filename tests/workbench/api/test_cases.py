"""Version 1 of the HTTP API, call by call: what it does, what it refuses, and that strangers see nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in, with_token
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_cancel, analysis_claim
from workbench.api.errors import TOO_LARGE
from workbench.cases.models import Case
from workbench.uploads.models import UploadedFile

LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting TaskManager\n"


def a_file(name: str = "tm.log", content: bytes = LOG) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


@pytest.fixture
def alice(people: People) -> Client:
    return with_token(people.alice)


def open_case(client: Client, **form: Any) -> Any:
    return client.post("/api/v1/cases/", {"files": [a_file()]} | form)


def test_opening_a_case_stores_its_files_and_queues_the_analysis(alice: Client, people: People) -> None:
    answer = open_case(alice, files=[a_file(), a_file("jm.log", LOG * 2)], title="Orders lag")
    body = answer.json()
    assert answer.status_code == 201, body
    case = Case.objects.get(pk=body["id"])
    assert body["url"] == f"http://testserver/api/v1/cases/{case.pk}/" == answer.headers["Location"]
    assert (body["status"], body["progress"], body["stage"], body["verdict"]) == ("queued", 0.0, None, None)
    assert (case.title, case.team, case.owner) == ("Orders lag", people.team, people.alice)
    assert sorted(case.files.values_list("name", flat=True)) == ["jm.log", "tm.log"]
    assert case.analyses.get().files.count() == 2


def test_a_case_without_a_title_is_named_after_its_files(alice: Client) -> None:
    assert open_case(alice).json()["title"] == "tm.log"
    assert open_case(alice, files=[a_file(), a_file("b.log", LOG * 2)]).json()["title"] == "tm.log and 1 more"


def test_the_same_file_twice_counts_once(alice: Client) -> None:
    assert open_case(alice, files=[a_file(), a_file()]).status_code == 201
    assert UploadedFile.objects.count() == 1


def test_a_case_shows_its_progress_with_links(alice: Client) -> None:
    url = open_case(alice).json()["url"]
    analysis_claim(Analysis.objects.get())
    Analysis.objects.update(progress=0.42, stage="Reading")
    body = alice.get(url).json()
    assert (body["status"], body["progress"], body["stage"]) == ("running", 0.42, "Reading")
    assert body["links"] == {
        "self": url,
        "files": f"{url}files/",
        "diagnosis": f"{url}diagnosis/",
        "page": f"http://testserver/cases/{body['id']}/",
    }


def test_a_cancelled_analysis_is_called_failed(alice: Client) -> None:
    url = open_case(alice).json()["url"]
    analysis_cancel(analysis=Analysis.objects.get())
    body = alice.get(url).json()
    assert (body["status"], body["detail"]) == ("failed", "Cancelled.")
    assert [case["id"] for case in alice.get("/api/v1/cases/?status=failed").json()["results"]] == [body["id"]]


def test_a_diagnosed_case_has_its_verdict_and_document(alice: Client, people: People) -> None:
    analysis = diagnosed_case(people.bob)
    body = alice.get(f"/api/v1/cases/{analysis.case_id}/").json()
    assert (body["status"], body["progress"]) == ("done", 1.0)
    assert body["verdict"]["symptom_class"] == "data_skew"
    assert body["jobs"] == ["Orders"]
    health = analysis.document["jobs"][0]["health"]
    assert body["job_verdicts"] == [{"name": "Orders", "symptom_class": "data_skew", "health": health}]
    document = alice.get(body["links"]["diagnosis"]).json()
    assert document == analysis.document
    assert {"schema", "verdict", "jobs", "health", "findings", "missing_evidence", "inputs", "timing"} <= set(document)


def test_there_is_no_diagnosis_before_the_analysis_ended(alice: Client) -> None:
    url = open_case(alice).json()["url"]
    answer = alice.get(f"{url}diagnosis/")
    assert answer.status_code == 404
    assert "no diagnosis yet" in answer.json()["detail"]


def test_more_evidence_queues_a_new_analysis_and_the_old_diagnosis_stays_until_then(
    alice: Client, people: People
) -> None:
    case = diagnosed_case(people.alice).case
    answer = alice.post(f"/api/v1/cases/{case.pk}/files/", {"files": [a_file("jm.log")]})
    assert answer.status_code == 201
    assert answer.json()["status"] == "queued"
    assert case.analyses.count() == 2
    assert case.analyses.first().files.count() == 2
    assert alice.get(f"/api/v1/cases/{case.pk}/diagnosis/").status_code == 200


def test_the_list_is_filtered_and_paginated(alice: Client, people: People) -> None:
    skewed = diagnosed_case(people.alice, title="Orders lag").case
    waiting = open_case(alice, title="Clicks stop").json()["id"]
    for _ in range(3):
        case_of(people.bob, "later")

    def listed(query: str) -> list[int]:
        return [case["id"] for case in alice.get(f"/api/v1/cases/?{query}").json()["results"]]

    assert listed("status=done") == [skewed.pk]
    assert listed("status=queued") == [waiting]
    assert listed("symptom_class=data_skew") == [skewed.pk]
    assert listed("job=order") == [skewed.pk]
    assert listed("text=clicks") == [waiting]
    page = alice.get("/api/v1/cases/?page_size=2&page=2").json()
    assert (page["count"], len(page["results"])) == (5, 2)
    assert "page=3" in page["next"]


def test_the_list_asks_the_database_a_fixed_number_of_times(
    alice: Client, people: People, django_assert_max_num_queries: Any
) -> None:
    for _ in range(8):
        diagnosed_case(people.alice)
    with django_assert_max_num_queries(8):
        assert len(alice.get("/api/v1/cases/").json()["results"]) == 8


def test_a_stranger_gets_404_and_an_empty_list(people: People) -> None:
    case = diagnosed_case(people.alice).case
    charlie = with_token(people.charlie)
    assert charlie.get("/api/v1/cases/").json()["results"] == []
    for answer in (
        charlie.get(f"/api/v1/cases/{case.pk}/"),
        charlie.get(f"/api/v1/cases/{case.pk}/diagnosis/"),
        charlie.post(f"/api/v1/cases/{case.pk}/files/", {"files": [a_file()]}),
    ):
        assert answer.status_code == 404
        assert answer.json() == {"detail": "Not found."}


def test_a_viewer_reads_and_does_not_write(people: People) -> None:
    case = diagnosed_case(people.alice).case
    vera = with_token(people.vera)
    assert vera.get(f"/api/v1/cases/{case.pk}/").status_code == 200
    for answer in (open_case(vera), vera.post(f"/api/v1/cases/{case.pk}/files/", {"files": [a_file()]})):
        assert answer.status_code == 403
        assert "Your role" in answer.json()["detail"]


@pytest.mark.parametrize("header", [None, "Token wrong", "Token", "Basic YWRtaW46YWRtaW4=", "Token \u00fc"])
def test_without_a_known_token_nothing_is_answered(people: People, header: str | None) -> None:
    client = Client(headers={"Authorization": header} if header else {})
    answer = client.get("/api/v1/cases/")
    assert answer.status_code == 401
    assert set(answer.json()) == {"detail"}


def test_a_signed_in_browser_may_read_and_needs_the_csrf_token_to_write(people: People) -> None:
    assert signed_in(people.alice).get("/api/v1/cases/").status_code == 200
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(people.alice)
    answer = open_case(strict)
    assert answer.status_code == 403
    assert "CSRF" in answer.json()["detail"]


def test_a_case_without_files_is_refused_with_the_field(alice: Client) -> None:
    answer = alice.post("/api/v1/cases/", {"title": "nothing"})
    assert answer.status_code == 400
    assert "files" in answer.json()
    assert not Case.objects.exists()


def test_a_file_above_the_bound_is_413_and_leaves_no_case(alice: Client, settings: LazySettings) -> None:
    settings.MOST_FILE_BYTES = 50
    answer = open_case(alice)
    assert answer.status_code == 413
    assert "50 bytes" in answer.json()["detail"]
    assert not Case.objects.exists()


def test_too_many_files_are_413(alice: Client, settings: LazySettings) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 1
    answer = open_case(alice, files=[a_file(), a_file("b.log", LOG * 2)])
    assert (answer.status_code, answer.json()["detail"]) == (413, TOO_LARGE)


def test_a_full_case_is_413(alice: Client, settings: LazySettings) -> None:
    settings.MOST_CASE_FILES = 1
    answer = open_case(alice, files=[a_file(), a_file("b.log", LOG * 2)])
    assert answer.status_code == 413
    assert not Case.objects.exists()


def test_a_user_without_a_team_opens_no_case(db: None) -> None:
    answer = open_case(with_token(User.objects.create_user("loner")))
    assert answer.status_code == 400
    assert "team" in answer.json()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/api/v1/cases/999999/", 404),
        ("get", "/api/v1/cases/x/", 404),
        ("get", "/api/v2/", 404),
        ("get", "/api/v1/cases/?page=99", 404),
        ("get", "/api/v1/cases/?status=odd", 400),
        ("delete", "/api/v1/cases/", 405),
        ("put", "/api/v1/cases/", 405),
    ],
)
def test_errors_are_json(alice: Client, method: str, path: str, status: int) -> None:
    answer = getattr(alice, method)(path, headers={"Accept": "text/html"})
    assert answer.status_code == status
    assert answer.headers["Content-Type"].startswith("application/json")
    assert answer.json()


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"{}", "application/json", 415),
        (b"--x\r\nnonsense", "multipart/form-data; boundary=x", 400),
        (b"", "multipart/form-data", 400),
    ],
)
def test_a_body_that_is_no_form_is_refused_as_json(alice: Client, body: bytes, content_type: str, status: int) -> None:
    answer = alice.post("/api/v1/cases/", body, content_type=content_type)
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")


def test_a_failure_of_our_own_is_json_without_a_stack_trace(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.api.views.latest_analyses", lambda cases: 1 / 0)
    alice.raise_request_exception = False
    answer = alice.get("/api/v1/cases/")
    assert answer.status_code == 500
    assert answer.json() == {"detail": "The workbench failed to answer; its log says why."}


def test_every_call_of_the_contract_is_in_the_openapi_document_and_on_its_page(people: People) -> None:
    schema = json.loads(Client().get("/api/v1/schema/?format=json").content)
    assert {path: sorted(set(calls) & {"get", "post"}) for path, calls in schema["paths"].items()} == {
        "/api/v1/cases/": ["get", "post"],
        "/api/v1/cases/{case_id}/": ["get"],
        "/api/v1/cases/{case_id}/files/": ["post"],
        "/api/v1/cases/{case_id}/diagnosis/": ["get"],
        "/api/v1/alerts/{source}/": ["post"],
    }
    page = signed_in(people.alice).get("/api/v1/docs/").content.decode()
    for path in schema["paths"]:
        assert path in page
    assert "files" in page
    assert "http://" not in page.replace("http://HOST", "").replace("http://testserver", "")


def test_times_are_utc_with_milliseconds(alice: Client) -> None:
    assert open_case(alice).json()["created_at"][-5:].endswith("Z")
    assert len(open_case(alice).json()["created_at"]) == len("2026-05-14T09:12:01.123Z")
