"""Messages name a task in any form; the usual form, which is found without a search, gives what a search gives."""

import re

import pytest

from diagnostics.log_scan.known_messages import event_columns
from diagnostics.log_scan.matching import USUAL_TASK
from diagnostics.notation.log_event import catalogue

EXECUTION = "3f2ed3d69cbb98835da3e716800f07ba_0a448493b4782967b150582570326227_1_0"
SEARCHED = r"(?P<task>.+?) \("


@pytest.mark.parametrize(
    ("task", "vertex", "subtask", "attempt"),
    [
        ("Enrich orders (2/8)#1", "Enrich orders", 1, 1),
        ("Source: a -> Sink: b(2/8)#1", "Source: a -> Sink: b(2/8)#1", None, None),
        ("Window(Tumbling(5), Count) -> Sink (2/8)#1", "Window(Tumbling(5), Count) -> Sink", 1, 1),
        ("Source (1) (2/8)#1", "Source (1)", 1, 1),
        ("Map (2/8) - execution #3", "Map", 1, 3),
        ("Map (2/8)", "Map", 1, None),
        ("Map", "Map", None, None),
    ],
)
def test_a_change_of_state_names_its_task(task: str, vertex: str, subtask: int | None, attempt: int | None) -> None:
    (found,) = event_columns([f"{task} ({EXECUTION}) switched from DEPLOYING to INITIALIZING."])
    assert (found["event"], found["execution"], found["state_to"]) == ("task.state", EXECUTION, "INITIALIZING")
    assert (found["vertex"], found.get("subtask"), found.get("attempt")) == (vertex, subtask, attempt)


def test_what_follows_a_task_is_never_the_bracket_of_its_subtask() -> None:
    followed = [event.pattern.partition(SEARCHED)[2] for event in catalogue() if SEARCHED in event.pattern]
    assert len(followed) >= 5
    assert [each for each in followed if re.fullmatch(each.partition(r"\)")[0], "2/8")] == []


def test_a_usual_task_ends_where_a_search_ends_it() -> None:
    for task in ("Enrich orders (2/8)#1", "Map (2/8)", "a(2/8)b"):
        text = f"{task} ({EXECUTION}) switched from"
        usual, searched = (re.match(begin + r"[0-9a-f_]+\) switched", text) for begin in (USUAL_TASK, SEARCHED))
        assert usual is not None
        assert searched is not None
        assert usual["task"] == searched["task"] == task
