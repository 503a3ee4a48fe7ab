"""When a problem began, as a document states it."""

from __future__ import annotations

import datetime as dt
from typing import Any

from diagnostics.diagnosis.problem_time import effect_before, onset_evidence, problem_seen_at


def finding(ts: str | None, *, at_start: bool = False, title: str = "Checkpoints expire") -> dict[str, Any]:
    return {"title": title, "onset": {"ts": ts, "at_start": at_start}}


def test_a_consequence_that_was_seen_before_its_cause_is_named() -> None:
    cause = finding("2026-11-21T01:20:50+00:00")
    late, early = finding("2026-11-21T01:30:00+00:00"), finding("2026-11-21T01:16:00+00:00", title="It waits")
    found = effect_before(cause, [late, early])
    assert found is not None
    assert found[0]["title"] == "It waits"
    assert effect_before(cause, [late, finding(None)]) is None


def test_a_cause_that_was_there_from_the_beginning_is_older_than_every_effect() -> None:
    cause = finding("2026-11-21T01:20:50+00:00", at_start=True)
    assert effect_before(cause, [finding("2026-11-21T01:16:00+00:00")]) is None


def cited(second: int, kind: str, name: str) -> dict[str, Any]:
    return {"ts": f"2026-11-21T01:00:{second:02}+00:00", "kind": kind, "name": name}


def test_what_shows_an_onset_is_told_by_what_happened_and_not_by_an_answer_to_a_question() -> None:
    """An answer of REST is of the time of the question, and states what happened long before."""
    began = dt.datetime(2026, 11, 21, 1, 0, 10, tzinfo=dt.UTC)
    asked, expired = cited(11, "rest", "checkpoint"), cited(40, "log", "expired")
    assert onset_evidence({"evidence": [expired, asked]}, began) == expired
    assert onset_evidence({"evidence": [asked]}, began) == asked, "nothing else shows it"


def test_what_shows_an_onset_names_the_same_as_the_most_telling_citation() -> None:
    began = dt.datetime(2026, 11, 21, 1, 0, 10, tzinfo=dt.UTC)
    busy, slow, earlier = cited(50, "metric", "busy"), cited(20, "log", "completed"), cited(30, "metric", "busy")
    assert onset_evidence({"evidence": [busy, slow, earlier]}, began) == earlier


def test_a_problem_was_seen_when_its_own_job_shows_it() -> None:
    """A later line of another job made a problem that was fixed seem to come back."""

    def root(job: str, minute: int) -> dict[str, Any]:
        evidence = [{"ts": f"2026-11-21T01:{minute:02}:00+00:00"}]
        return {"role": "root_cause", "subject": {"job": job}, "evidence": evidence}

    verdict = {"symptom_class": "data_skew"}
    jobs = [
        {"job_id": "a", "name": "orders", "health": 20, "verdict": verdict},
        {"job_id": "b", "name": "invoices", "health": 40, "verdict": {"symptom_class": "user_code"}},
    ]
    document = {"verdict": verdict, "jobs": jobs, "findings": [root("a", 10), root("b", 50)], "inputs": []}
    assert problem_seen_at(document) == dt.datetime(2026, 11, 21, 1, 10, tzinfo=dt.UTC)
