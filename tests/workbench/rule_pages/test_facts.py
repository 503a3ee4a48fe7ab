"""The editor lists the facts that a rule can compare, with their values in the chosen case."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def test_a_fact_has_its_label_and_its_values_in_the_case(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    analysis.signals.append({"key": "checkpoint_phases", "evidence": "checkpoint-details", "why": "no such file"})
    analysis.save(update_fields=["signals"])
    facts = signed_in(people.rita).get("/rules/facts/", {"case": analysis.case_id}).json()["facts"]

    (skew,) = [entry for entry in facts if entry["fact"] == "load_balance.skew_ratio"]
    assert skew["label"] == "records of the hottest subtask as a multiple of the even share"
    assert (skew["level"], skew["values"], skew["more"]) == ("vertex", [{"where": "Window", "text": "4 times"}], 0)
    assert all(entry["values"] for entry in facts[: facts.index(skew)]), "what the case measures comes first"


def test_without_a_case_every_fact_is_listed_without_values(people: People) -> None:
    facts = signed_in(people.rita).get("/rules/facts/").json()["facts"]
    assert len(facts) > 400
    assert not any(entry["values"] for entry in facts)


def test_the_values_of_a_case_of_another_team_are_not_shown(people: People) -> None:
    theirs = diagnosed_case(people.charlie)
    assert signed_in(people.rita).get("/rules/facts/", {"case": theirs.case_id}).status_code == 404
