"""What a task runs between its source and its sink, by its name."""

from __future__ import annotations

import pytest

from diagnostics.signals.chained_operators import measure
from tests.diagnostics.hand_made import hand_made, only

JOB, VERTEX = "a" * 32, "b" * 32


def _facts(name: str) -> dict[str, object]:
    rows = [{"job_id": JOB, "vertex_id": VERTEX, "name": name, "parallelism": 2}]
    return dict(only(measure(hand_made(vertex=rows)), "chained_operators").facts)


def test_the_operators_between_source_and_sink_are_told() -> None:
    facts = _facts("Source: orders -> Timestamps/Watermarks -> customer of order -> Sink: warehouse")
    assert (facts["reads"], facts["writes"], facts["assigns_times"]) == (True, True, True)
    assert (facts["inner"], facts["looks_up"]) == (["customer of order"], False)
    assert _facts("Source: orders -> customer-lookup -> Sink: warehouse")["looks_up"] is True


def test_names_as_reporters_write_them_are_taken_apart_alike() -> None:
    facts = _facts("Source:_orders____with_customer____valid")
    assert (facts["reads"], facts["writes"], facts["inner_count"]) == (True, False, 2)


def test_a_task_of_one_operator_is_no_chain() -> None:
    rows = [{"job_id": JOB, "vertex_id": VERTEX, "name": "price-model", "parallelism": 2}]
    assert list(measure(hand_made(vertex=rows))) == []


@pytest.mark.parametrize(("behind", "waited_for"), [("TumblingEventTimeWindows(60000)", True), ("price-model", False)])
def test_a_watermark_is_waited_for_where_the_name_of_another_task_is_that_of_event_time(
    behind: str, waited_for: bool
) -> None:
    names = {"b" * 32: "Source: clicks -> Timestamps/Watermarks", "c" * 32: behind}
    rows = [{"job_id": JOB, "vertex_id": vertex, "name": name, "parallelism": 2} for vertex, name in names.items()]
    assert only(measure(hand_made(vertex=rows)), "chained_operators").facts["waited_for"] is waited_for


@pytest.mark.parametrize(
    ("name", "states_call", "only_prints"),
    [
        ("Call pricing service -> Sink: warehouse", True, False),
        ("Enrich trip -> Sink: warehouse", False, False),
        ("Async_enrich____Sink:_Print_to_Std._Out", False, True),
        ("Enrich trip -> Fetch customer -> Sink: warehouse", True, False),
    ],
)
def test_a_name_that_suits_a_computation_as_well_states_no_call(
    name: str, states_call: bool, only_prints: bool
) -> None:
    facts = _facts(name)
    assert (facts["states_call"], facts["only_prints"]) == (states_call, only_prints)
