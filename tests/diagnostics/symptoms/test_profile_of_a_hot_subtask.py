"""The hot subtask of a skewed task: what a profile says of it answers the runbook and is a fact of the finding."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook import fill, runbooks
from diagnostics.signals import DEFINITIONS
from tests.diagnostics.symptoms.judged import SUBJECTS, judged

SKEW = {
    "direction": "in",
    "parallelism": 4,
    "hot_subtask": 0,
    "hot_count": 1,
    "hot_share_ratio": 0.9,
    "hot_records": 90_000,
    "total_records": 100_000,
    "skew_ratio": 3.6,
    "concentration_ratio": 0.867,
    "hot_busy_ratio": 1.0,
    "others_busy_max_ratio": 0.12,
    "hot_mean_busy_ratio": 0.99,
    "others_mean_busy_max_ratio": 0.13,
    "keyed": True,
    "inherited": False,
}
PROFILE = {"working_samples": 400, "own_frame": "com.acme.RiskScore.scoreOrder", "own_share_ratio": 1.0}


def step_of(**facts: dict[str, Any]) -> dict[str, Any]:
    """The step about the cost of a record, filled with these signals."""
    signals = [
        {
            "key": key,
            "level": DEFINITIONS[key].level,
            "subject": SUBJECTS[DEFINITIONS[key].level],
            "facts": of_key,
            "citations": [],
            "citation_count": 0,
        }
        for key, of_key in facts.items()
    ]
    filled = fill(runbooks()["data-skew"], {"subject": SUBJECTS["vertex"]}, signals)
    step: dict[str, Any] = next(each for each in filled["steps"] if each["id"] == "make-each-record-cheaper")
    return step


def test_the_finding_names_the_function_and_one_mean_busy_time_for_each() -> None:
    [finding] = [
        each
        for each in judged(load_balance=SKEW, hot_frames=PROFILE)["findings"]
        if each["rule"]["id"] == "skew.hot-subtask"
    ]
    assert "On average it is busy 99 % of the time, each of the others at most 13 %." in finding["statement"]
    assert "Its time goes into the job's own function com.acme.RiskScore.scoreOrder" in finding["statement"]


def test_a_profile_that_was_read_answers_the_step_instead_of_being_asked_for() -> None:
    step = step_of(load_balance=SKEW, hot_frames=PROFILE)
    assert step["look"] == []
    assert [each["taken"] for each in step["answers"]] == [True, None, False]
    assert any("com.acme.RiskScore.scoreOrder" in sentence for sentence in step["measured"])


def test_without_a_profile_the_step_asks_for_one() -> None:
    step = step_of(load_balance=SKEW)
    assert "flamegraph" in step["look"][0]["command"]
    assert [each["taken"] for each in step["answers"]] == [None, None]


def test_a_profile_in_state_access_is_the_other_answer() -> None:
    profile = {"working_samples": 400, "state_share_ratio": 0.8, "own_share_ratio": 0.1}
    assert [each["taken"] for each in step_of(load_balance=SKEW, hot_frames=profile)["answers"]] == [None, True]


def test_work_on_the_state_of_a_key_is_neither_split_nor_moved() -> None:
    """The runbook said in one step that each result depends on the one before, and to move the scoring in the next."""
    keys = {"top_key": "M-17", "top_key_share_ratio": 0.9, "hot_key_multiple_ratio": 3.6}
    on_state = PROFILE | {"own_takes_state": True}
    assert [each["taken"] for each in step_of(load_balance=SKEW, hot_frames=on_state)["answers"]] == [
        False,
        True,
        False,
    ]
    first = {
        each["rule"]["id"]: each["first_step"]
        for each in judged(load_balance=SKEW, hot_frames=on_state, key_distribution=keys)["findings"]
    }
    assert first["skew.hot-subtask"].startswith(
        "Make com.acme.RiskScore.scoreOrder cheaper: 100 % of the work is in it."
    )


def test_a_function_is_told_how_much_cheaper_it_has_to_be_and_which_argument_makes_it_dear() -> None:
    """The restart that the page prints repeats the argument, and with it the load."""
    keys = {"top_key": "M-17", "top_key_share_ratio": 0.9, "hot_key_multiple_ratio": 3.6}
    cost = {"fullest_ms": 1.65, "fullest_bearable_ms": 0.291, "fullest_excess_ratio": 5.67, "offered_per_s": 3014.6}
    handed = {"own_argument": "--rounds 45000", "own_argument_lowered": "--rounds 7900"}
    profile = PROFILE | {"own_takes_state": True, **handed}
    facts = {"load_balance": SKEW, "hot_frames": profile, "key_distribution": keys, "record_rate": cost}
    [finding] = [each for each in judged(**facts)["findings"] if each["rule"]["id"] == "skew.hot-subtask"]
    assert finding["first_step"].startswith("Make com.acme.RiskScore.scoreOrder about 5.67 times cheaper")
    assert "a record costs 1.65 ms there and may cost 0.291 ms" in finding["first_step"]
    assert "--rounds 45000" in finding["first_step"]
    assert "about --rounds 7900 is enough" in finding["first_step"]
    step = step_of(**facts)
    assert any("it has to become 5.67 times cheaper" in each for each in step["measured"])
    assert "`--rounds 45000`" in step["answers"][0]["then"], "as code: no number of a sentence"
    assert step["answers"][0]["taken"] is None, "only the code tells whether the work grows with it"
