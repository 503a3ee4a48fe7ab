"""Salts that spread a hot key."""

from __future__ import annotations

from diagnostics.arithmetic.balance import salts_needed
from tests.diagnostics.calculators.worked_example import outcome, shown


def test_salts_leave_room_for_the_other_keys() -> None:
    """Four subtasks: 2 x 4 x ln 4 x (0.9 / 0.5)² = 35.9, so 36, as the runbook says by the same formula."""
    found = outcome("salting", share=0.9, parallelism=4.0, multiple=1.5)
    assert shown(found)["Room for the hot key on one subtask"] == "1.5 x 25 % - 2.5 % = 35 %"
    assert (found.results["salts"], salts_needed(0.9, 4)) == (36, 36)
    assert found.headline.startswith("Where partial results of a key can be merged")


def test_an_even_task_has_nothing_to_salt_and_the_share_of_a_subtask_is_not_called_that_of_a_key() -> None:
    """A quarter of the records and 1.3 % beyond it: 1.3 % + 98.7 % / 4 = 26 % of 25 %."""
    spread = {"load_balance.concentration_ratio": 0.0133, "load_balance.parallelism": 4}
    found = outcome("salting", spread | {"load_balance.task": "views-per-page"})
    assert found.advice == "do not"
    assert found.headline.startswith("No subtask of views-per-page has more than "), "a job has several"
    assert outcome("salting", spread).headline.startswith("No subtask of the task has more than ")
    assert "(26 % of the records; an even share is 25 %): there is nothing to salt." in found.headline
    assert "key" not in found.headline


def test_results_that_depend_on_the_one_before_are_not_salted() -> None:
    code = {"job_code.results_in_sequence": True, "job_code.previous_result": ["model.value (line 109)"]}
    found = outcome("salting", code, share=0.9, parallelism=4.0)
    assert found.advice == "do not"
    assert "depends on the one before (model.value (line 109))" in found.headline
    assert outcome("salting", {"job_code.results_in_sequence": False}, share=0.9, parallelism=4.0).advice == "depends"


def test_salts_are_counted_from_the_records_of_the_subtasks_as_in_the_runbook() -> None:
    """2 x 4 x ln 4 x (0.8836 / 0.5)² = 34.6; the sampled events would say 90 % and 36."""
    facts = {"load_balance.concentration_ratio": 0.8836, "load_balance.parallelism": 4}
    found = outcome("salting", facts | {"key_distribution.top_key_share_ratio": 0.8998})
    assert found.results["salts"] == salts_needed(0.8836, 4) == 35


def test_a_hot_key_of_ninety_percent_on_thirty_two_subtasks() -> None:
    """2 x 32 x ln 32 x (0.9 / 0.5)² = 718.7; with twice the even share allowed 2 x 32 x ln 32 x 0.9² = 179.7."""
    assert outcome("salting", share=0.9, parallelism=32.0, multiple=1.5).results["salts"] == 719
    assert outcome("salting", share=0.9, parallelism=32.0, multiple=2.0).results["salts"] == 180
