from __future__ import annotations

from django.conf import LazySettings
from django.test import Client

from tests.workbench.people import People, signed_in, with_token


def test_every_answer_forbids_foreign_and_inline_scripts(db: None) -> None:
    answer = Client().get("/healthz")
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_a_visitor_cannot_fill_the_disk_before_the_sign_in(people: People, settings: LazySettings) -> None:
    settings.MOST_FORM_BYTES = 1000
    answer = Client().post("/login/", {"username": "x" * 2000})
    assert answer.status_code == 413
    assert answer.json()["detail"].endswith("1000 are allowed.")


def test_nobody_sends_more_than_a_case_may_hold(people: People, settings: LazySettings) -> None:
    settings.MOST_REQUEST_BYTES = 1000
    assert with_token(people.alice).post("/api/v1/cases/", {"title": "x" * 2000}).status_code == 413
    assert signed_in(people.alice).post("/", {"title": "x" * 2000}).status_code == 413


def test_plotly_is_served_from_its_package(db: None) -> None:
    answer = Client().get("/static/plotly/plotly.min.js")
    assert answer.status_code == 200
    assert int(answer.headers["Content-Length"]) > 1_000_000
