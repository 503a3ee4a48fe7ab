"""Thread dumps alone: how many of them tell that a task computes, and which function the first step names."""

from __future__ import annotations

from typing import Any

from tests.diagnostics.symptoms.judged import judged

DUMPS = {
    "sees_all": True,
    "idle_ratio": 0.0,
    "computing_ratio": 1.0,
    "hot_purpose": "serialization",
    "hot_function": "Kryo",
    "hot_frame": "com.esotericsoftware.kryo.Kryo.writeClassAndObject",
    "hot_share_ratio": 1.0,
}


def finding(**facts: Any) -> dict[str, Any] | None:
    """The finding of the rule that needs nothing but a profile; None without one."""
    found = judged(hot_frames=DUMPS | facts)["findings"]
    return next((each for each in found if each["rule"]["id"] == "cpu.profile-only"), None)


def test_five_dumps_of_one_busy_thread_tell_and_four_do_not() -> None:
    assert finding(samples=4, working_samples=4) is None
    few, many = finding(samples=5, working_samples=5), finding(samples=8, working_samples=8)
    assert few
    assert many
    assert few["confidence"] < 0.5 < many["confidence"]


def test_a_thread_that_rests_in_one_of_five_dumps_is_not_always_at_work() -> None:
    assert finding(samples=5, working_samples=4, idle_ratio=0.2) is None
    assert finding(samples=6, working_samples=5, idle_ratio=0.17) is None


def test_the_first_step_names_the_function() -> None:
    found = finding(samples=6, working_samples=6)
    assert found
    assert found["first_step"].startswith(
        "Look first at com.esotericsoftware.kryo.Kryo.writeClassAndObject and what calls it: 100 %"
    )
