"""Single events of an incident in logs."""

from __future__ import annotations

import pytest

from diagnostics.aggregators import incident_records
from diagnostics.aggregators.incident_records import MOST_OF_A_KIND
from diagnostics.reconstruction.failures.incident_log import incident_log
from tests.diagnostics.hand_made import START, hand_made


@pytest.mark.parametrize(("most", "kept"), [(MOST_OF_A_KIND, [1, 2, 3]), (2, [1, 2])])
def test_the_earliest_events_of_a_kind_are_kept_and_all_are_counted(
    most: int, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incident_records, "MOST_OF_A_KIND", most)
    started = "Starting TaskManager with ResourceID: tm-{}"
    records = [{"ts_ms": START + place, "level": "INFO", "message": started.format(place)} for place in (3, 1, 2)]
    log = incident_log(hand_made(log_record=[*records, {"ts_ms": START + 9, "message": "Nothing to tell."}]))
    assert [(event.ts_ms or 0) - START for event in log.of("started")] == kept
    assert log.count("started") == 3
    assert log.last_ms == {0: START + 9}
