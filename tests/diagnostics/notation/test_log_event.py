"""The catalogue of log events: every entry usable, every example matched, constants derived from the pattern."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from diagnostics.notation.log_event import LEAST_CONSTANT, LogEvent, catalogue, constants_of, harmless_events

EVENTS = {event.id: event for event in catalogue()}


def matches(event: LogEvent, text: str) -> bool:
    return bool(pc.match_substring_regex(pa.array([text]), event.pattern)[0].as_py())


def test_every_pattern_matches_its_own_example_in_re2() -> None:
    assert [event.id for event in EVENTS.values() if not matches(event, event.example)] == []


def test_every_example_holds_one_of_the_constants() -> None:
    missing = [each.id for each in EVENTS.values() if not any(one in each.example for one in each.constants)]
    assert missing == []


def test_every_event_has_a_constant_that_is_long_enough() -> None:
    short = [each.id for each in EVENTS.values() if min(map(len, each.constants)) < LEAST_CONSTANT]
    assert short == []


@pytest.mark.parametrize(
    ("pattern", "constants"),
    [
        (r"Completed checkpoint (?P<checkpoint_id>\d+) for job", ("Completed checkpoint ",)),
        (r"a+b?c\.d longer (?:optional text)?", ("c.d longer ",)),
        (r"(?:first one|second)$", ("first one", "second")),
        (r"(?:first one|\d+) and what follows", (" and what follows",)),
        (r"[Tt]he (?:new |old )?state", ("state",)),
        (r"x{2,3}repeated", ("repeated",)),
        (r"x{0,3}kept text", ("kept text",)),
        (r"\d+ ms|\w+", ()),
        (r"[a-z\]]+abc", ()),
    ],
)
def test_constants_are_what_every_match_must_hold(pattern: str, constants: tuple[str, ...]) -> None:
    assert constants_of(pattern) == constants


def test_noise_of_healthy_clusters_is_marked() -> None:
    assert {"noise.bind_port", "noise.remoting_ended", "noise.back_pressure_handler"} <= harmless_events()
    assert "task.state" not in harmless_events()
