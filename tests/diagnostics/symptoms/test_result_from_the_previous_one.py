"""What the runbook of a skew proposes where the job's source computes a result from the previous one of its key."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook import fill, runbooks

SUBJECT = {"job": "a" * 32, "vertex": "score", "vertex_id": "b" * 32}
HOT_KEY = {"hot_key_multiple_ratio": 3.6, "top_key": "M-17"}


def step(**code: Any) -> dict[str, Any]:
    """The step that splits the hot key."""
    stored = [
        {"key": key, "subject": {}, "level": "case", "facts": facts, "citations": [], "citation_count": 0}
        for key, facts in (("key_distribution", HOT_KEY), ("job_code", code))
    ]
    filled = fill(runbooks()["data-skew"], {"subject": SUBJECT}, stored)
    return next(each for each in filled["steps"] if "split and merged" in each["question"])


def applies(of: dict[str, Any]) -> list[str]:
    return [answer["if"] for answer in of["answers"] if answer["taken"]]


def test_a_result_from_the_previous_one_decides_the_answer_and_no_salting_is_shown() -> None:
    found = step(results_in_sequence=True, previous_result=["model.value (line 3)"])

    assert [each[:42] for each in applies(found)] == ["a result depends on the previous one of it"]
    assert found["change"] == []
    assert "model.value (line 3)" in " ".join(found["measured"])


def test_without_such_code_the_question_stays_open() -> None:
    found = step(results_in_sequence=False)

    assert applies(found) == []
    assert "SALTS" in found["change"][0]["to"]


def test_a_function_that_takes_the_state_is_not_told_to_move_before_the_shuffle() -> None:
    def answers(**known: Any) -> list[str]:
        signal = {"key": "hot_frames", "level": "vertex", "subject": SUBJECT, "citations": [], "citation_count": 0}
        facts = {"own_share_ratio": 1.0, "own_frame": "com.acme.Risk.score", **known}
        filled = fill(runbooks()["data-skew"], {"subject": SUBJECT}, [{**signal, "facts": facts}])
        [cheaper] = [each for each in filled["steps"] if each["id"] == "make-each-record-cheaper"]
        return [answer["then"][:26] for answer in cheaper["answers"] if answer["taken"]]

    assert answers(own_takes_state=True) == ["It cannot move before keyB"]
    assert answers(own_takes_state=False) == ["Move it into an operator b"]
    assert answers() == ["Move it into an operator b"]


def test_the_capacity_of_estimates_stands_beside_what_the_task_passes() -> None:
    """One page had 725 records/s as the capacity, and a busy task that passed 623 on average."""
    rate = {"interval_ms": 30_000, "records_per_s": 612, "mean_per_s": 623, "ceiling_total_per_s": 725}
    stored = [{"key": "record_rate", "subject": SUBJECT, "level": "vertex", "facts": rate}]
    filled = fill(
        runbooks()["data-skew"],
        {"subject": SUBJECT},
        [{**each, "citations": [], "citation_count": 0} for each in stored],
    )
    measured = " ".join(filled["steps"][0]["measured"])
    assert "passes 623 records/s on average; by its best interval, busy all the time, it would pass 725" in measured
