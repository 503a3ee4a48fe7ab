"""A message that asks for an act is quoted as the step, and one that asks for none is not."""

from __future__ import annotations

import pytest

from diagnostics.language import in_reader_language, reading_in
from diagnostics.vocabulary.asked_act import LONGEST, asked_act

UNALIGNED = (
    "java.lang.IllegalArgumentException: Paimon sink currently does not support unaligned checkpoints."
    " Please set execution.checkpointing.unaligned.enabled to false."
)


def test_the_request_of_a_message_is_the_step_in_each_language() -> None:
    asked = asked_act(UNALIGNED)
    assert asked is not None
    assert "“Please set execution.checkpointing.unaligned.enabled to false”" in asked
    with reading_in("zh-hans"):
        assert in_reader_language(asked).startswith("按错误信息的要求处理")


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("When setting 'a.b', you must also set 'c.d'", "you must also set 'c.d'"),
        ("To do that, you need to configure 'a.b' to 'true'. Notice that", "you need to configure 'a.b' to 'true'"),
        ("It is large. Consider increasing the parallelism.", "Consider increasing the parallelism"),
    ],
)
def test_requests_are_worded_in_several_ways(message: str, asked: str) -> None:
    assert f"“{asked}”" in (asked_act(f"a.B: {message}") or "")


@pytest.mark.parametrize(
    "message",
    [
        "This is a bug. Please consider filing an issue.",
        "Please add the stack to the ticket",
        "Please use the page https://example.org/help to find out",
        "Please check the log of the TaskManager",
        "the user pleased everybody",
        f"Please set {'x' * LONGEST}",
    ],
)
def test_a_request_that_is_no_act_of_the_reader_is_left_out(message: str) -> None:
    assert asked_act(f"a.B: {message}") is None


def test_the_innermost_request_counts() -> None:
    asked = asked_act("a.B: Please set x.y to 1.\nc.D: Please set z.w to 2.\ne.F: nothing")
    assert asked is not None
    assert "z.w to 2" in asked
