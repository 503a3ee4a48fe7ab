"""Flame graphs over HTTP: permissions, selected samples, comparisons."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.diagnostics.profiles.stack_rows import OWN, PARK, ROOT, profiles_of_rows, row
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis, SampledStacks


@pytest.fixture(autouse=True)
def nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def profiled(user: User, *rows: dict[str, Any]) -> Analysis:
    analysis = diagnosed_case(user)
    SampledStacks.objects.create(analysis=analysis, content=profiles_of_rows(rows).to_bytes())
    return analysis


def test_the_call_tree_of_the_chosen_samples(people: People) -> None:
    analysis = profiled(people.alice, row(ROOT, OWN, weight=3), row(ROOT, PARK, weight=1))
    address = reverse("profiles:tree", args=[analysis.pk])

    whole, off = (signed_in(people.bob).get(address, {"cpu": cpu}).json() for cpu in ("", "off"))

    assert (whole["totals"]["weight"], off["totals"]["weight"]) == (4, 1)
    assert whole["choices"]["tasks"] == [{"key": "Score", "title": "Score", "samples": 4}]


def test_a_profile_is_compared_with_that_of_another_case(people: People) -> None:
    before, now = profiled(people.alice, row(ROOT, PARK, weight=5)), profiled(people.alice, row(ROOT, OWN, weight=2))

    answer = signed_in(people.bob).get(reverse("profiles:tree", args=[now.pk]), {"against": before.pk}).json()

    assert answer["totals"] == {"weight": 2, "base": 5}
    assert answer["baseline"]["case"] == before.case.title


def test_strangers_find_nothing_neither_here_nor_by_comparing(people: People) -> None:
    theirs = profiled(people.alice, row(ROOT, OWN))
    charlie = signed_in(people.charlie)
    for name in ("flame_graph", "tree", "stacks"):
        assert charlie.get(reverse(f"profiles:{name}", args=[theirs.pk])).status_code == 404
    mine = profiled(people.charlie, row(ROOT, OWN))
    assert charlie.get(reverse("profiles:tree", args=[mine.pk]), {"against": theirs.pk}).status_code == 404


@pytest.mark.parametrize(
    "asked",
    [{"subtask": "9" * 40}, {"root": "99999999"}, {"root": "x"}, {"against": "nobody"}, {"time": "a/b"}, {"task": "?"}],
)
def test_what_cannot_be_read_in_the_address_does_no_harm(people: People, asked: dict[str, str]) -> None:
    analysis = profiled(people.alice, row(ROOT, OWN))

    assert signed_in(people.bob).get(reverse("profiles:tree", args=[analysis.pk]), asked).status_code == 200


def test_a_case_without_stacks_has_no_flame_graph(people: People) -> None:
    analysis = diagnosed_case(people.alice)

    assert signed_in(people.bob).get(reverse("profiles:flame_graph", args=[analysis.pk])).status_code == 404
