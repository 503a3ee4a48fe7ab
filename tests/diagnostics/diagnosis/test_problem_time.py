"""When a problem began, as a document states it."""

from __future__ import annotations

from typing import Any

from diagnostics.diagnosis.problem_time import effect_before


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
