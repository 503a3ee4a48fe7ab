"""The answers of a question for one case: each act once, and the act of the finding before them."""

from collections.abc import Mapping
from typing import Any

import pytest

from diagnostics.runbook import Runbook, fill
from tests.diagnostics.runbook.test_runbook import FINDING, RUNBOOK, SIGNALS, stored


def test_an_act_that_two_measures_name_is_told_once() -> None:
    measured = "{fact: keys.top_share_ratio, op: '>', value: 0.1}"
    again = f'      - {{if: "its share is measured", then: "salt it", when: {measured}}}\n'
    first, many, rest = RUNBOOK.partition('      - {if: "many keys')
    runbook = Runbook.from_yaml(first + again + many + rest, "runbook.yaml")
    answers = fill(runbook, FINDING, SIGNALS)["steps"][0]["answers"]
    assert [each["then"] for each in answers] == ["salt it", "raise the maximum parallelism"]


ACT = {"title": "A source reads one partition", "first_step": "Add partitions."}
ACT_OF_THE_CASE = ("A source reads one partition", "Add partitions.", True)


def opening(*, skew: float, finding: Mapping[str, Any]) -> list[tuple[str, str, bool | None]]:
    """(if, then, taken) of each answer of the first question, whose first answer leads on, or not."""
    leading = RUNBOOK.replace('then: "salt it", when', 'then: "go on", leads_to: [salt], when')
    signals = [stored("keys", "case", {}, top_key="M-17", top_share_ratio=skew, salts=16), *SIGNALS[1:]]
    step = fill(Runbook.from_yaml(leading, "runbook.yaml"), {**FINDING, **finding}, signals)["steps"][0]
    return [(each["if"], each["then"], each["taken"]) for each in step["answers"]]


@pytest.mark.parametrize(("skew", "taken"), [(0.9, True), (0.1, False)])
def test_the_first_question_begins_with_the_act_of_the_finding(skew: float, taken: bool) -> None:
    asked = [("one key is over 30 %", "go on", taken), ("many keys are hot", "raise the maximum parallelism", None)]
    assert opening(skew=skew, finding=ACT) == [ACT_OF_THE_CASE, *asked]
    assert opening(skew=skew, finding={**ACT, "first_step": None}) == asked


@pytest.mark.parametrize(
    ("act", "one_way", "acts"),
    [
        ("salt it", True, ["salt it"]),
        ("salt it. Then restart.", True, ["salt it"]),
        ("Add partitions.", True, ["Add partitions.", "salt it"]),
        ("Add partitions.", False, ["salt it", "raise the maximum parallelism"]),
    ],
)
def test_an_act_of_the_finding_stands_before_what_is_true_of_a_kind_of_failures_alone(
    act: str, one_way: bool, acts: list[str]
) -> None:
    text = RUNBOOK.replace("  - id: confirm\n", "  - id: confirm\n    one_way: true\n") if one_way else RUNBOOK
    filled = fill(Runbook.from_yaml(text, "runbook.yaml"), {**FINDING, **ACT, "first_step": act}, SIGNALS)
    assert [each["then"] for each in filled["steps"][0]["answers"]] == acts


def test_an_answer_that_a_person_gave_goes_before_the_act_of_the_finding() -> None:
    given = {"confirm": "many keys are hot"}
    answers = fill(Runbook.from_yaml(RUNBOOK, "runbook.yaml"), {**FINDING, **ACT}, SIGNALS, given)["steps"][0][
        "answers"
    ]
    assert [(each["if"], each["taken"]) for each in answers if each["taken"]] == [("many keys are hot", True)]
