"""Where a snapshot begins, and what people are shown about what does not count in it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case, finish, stored_file
from tests.workbench.people import People, signed_in
from workbench.analyses.beginnings import beginning_of, evidence_end
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.services import snapshot_begin, snapshot_start

pytestmark = pytest.mark.usefixtures("queue")

NOON = dt.datetime(2026, 11, 21, 12, 0, tzinfo=dt.UTC)
NOON_MS = round(NOON.timestamp() * 1000)


def entry(format_id: str, last_ts: str | None) -> dict[str, Any]:
    return {"file": "x", "format": format_id, "last_ts": last_ts}


def after_a_change(people: People, before: Analysis, begins_at: dt.datetime | None = None) -> Analysis:
    snapshot_start(case=before.case, user=people.alice, change="More slots", begins_at=begins_at)
    stored_file(before.case, people.alice, "b.log", b"after", 2)
    return analysis_request(case=before.case, user=people.alice)


def test_all_evidence_of_an_incident_counts(people: People) -> None:
    assert beginning_of(diagnosed_case(people.alice)) is None


def test_a_snapshot_begins_when_its_change_took_effect(people: People) -> None:
    found = beginning_of(after_a_change(people, diagnosed_case(people.alice), NOON))
    assert found is not None
    assert (found.ms, found.is_stated) == (NOON_MS, True)


def test_else_it_begins_after_the_evidence_of_the_snapshot_before(people: People) -> None:
    before = diagnosed_case(people.alice)
    Analysis.objects.filter(pk=before.pk).update(inputs=[entry("flink-log", "2026-11-21T12:00:00.000Z")])
    found = beginning_of(after_a_change(people, before))
    assert found is not None
    assert (found.ms, found.is_stated) == (NOON_MS + 1, False)


def test_of_logs_and_other_evidence_the_earlier_end_counts() -> None:
    """A log of local times ahead of UTC ends in the future."""
    inputs = [
        entry("flink-log", "2026-11-21T20:00:00.000Z"),
        entry("flink-log", "2026-11-21T19:00:00.000Z"),
        entry("flink-rest-job", "2026-11-21T12:00:00.000Z"),
        entry("flink-rest-job", "2026-11-21T11:00:00.000Z"),
        entry("flink-configuration", None),
    ]
    assert evidence_end(inputs) == NOON
    assert evidence_end(inputs[:2]) == NOON + dt.timedelta(hours=8)
    assert evidence_end([]) is None


def test_a_change_in_the_future_is_refused(people: People) -> None:
    case = diagnosed_case(people.alice).case
    with pytest.raises(ValidationError):
        snapshot_start(case=case, user=people.alice, change="x", begins_at=timezone.now() + dt.timedelta(hours=1))
    with pytest.raises(ValidationError):
        snapshot_begin(case=case, begins_at=NOON)


def test_a_person_states_the_time_and_corrects_it(people: People) -> None:
    before = diagnosed_case(people.alice)
    alice, case = signed_in(people.alice), before.case
    alice.post(reverse("cases:snapshot", args=[case.pk]), {"change": "Slots", "begins_at": "2026-11-21T13:00"})
    assert case.snapshots.get().begins_at == NOON + dt.timedelta(hours=1)
    stored_file(case, people.alice, "b.log", b"after", 2)
    alice.post(reverse("cases:snapshot_begin", args=[case.pk]), {"begins_at": "2026-11-21T12:00:00"})
    assert case.snapshots.get().begins_at == NOON
    assert case.analyses.latest().snapshot == 2
    refused = alice.post(reverse("cases:snapshot_begin", args=[case.pk]), {"begins_at": "yesterday"}, follow=True)
    assert "State the time as" in refused.content.decode()
    assert case.snapshots.get().begins_at == NOON


def test_the_case_says_what_does_not_count_and_whether_the_fix_is_verified(people: People) -> None:
    before = diagnosed_case(people.alice)
    analysis = finish(after_a_change(people, before, NOON), skew_ratio=1.0)
    document = analysis.document
    left_out = {"records": 1_234, "before": "2026-11-21T12:00:00.000Z"}
    document["inputs"] = [{**each, "left_out": left_out} for each in document["inputs"][:1]]
    Analysis.objects.filter(pk=analysis.pk).update(document=document)
    page = signed_in(people.bob).get(before.case.get_absolute_url()).content.decode()
    assert "1,234 records in 1 file do not count in this diagnosis" in " ".join(page.split())
    assert "2026-11-21 12:00:00 UTC" in page
    assert analysis.verification.headline.split("”")[0] in page.replace("&#x27;", "'")
