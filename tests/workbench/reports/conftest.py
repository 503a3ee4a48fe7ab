"""The closed case that the tests of reports share."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People
from workbench.analyses.models import Analysis
from workbench.cases.services import case_close, note_add


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.fixture
def analysis(people: People) -> Analysis:
    analysis = diagnosed_case(people.alice, title="Orders are late")
    note_add(case=analysis.case, user=people.bob, text="@alice one merchant sends half of it")
    case_close(case=analysis.case, user=people.bob, confirmed_class="data_skew", what_fixed_it="Salted the key")
    return analysis
