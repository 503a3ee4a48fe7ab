"""A verdict says that its trouble is over only where nothing of it goes on."""

import datetime as dt

from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.rules.rule import Ruleset
from tests.diagnostics.diagnosis.test_verdict import INPUTS, RULES, SKEW, rule, signal, verdict_of

OVER = "This lasted from 2026-11-21 00:46:40 UTC to 2026-11-21 00:48:20 UTC and has been over since."


def test_a_verdict_says_that_its_trouble_is_over() -> None:
    over = signal("load", skew=3, onset_ms=1_795_222_000_000, ended_ms=1_795_222_100_000)
    document = verdict_of(over)
    assert document["findings"][0]["onset"]["ended"] == "2026-11-21T00:48:20.000Z"
    assert OVER in document["verdict"]["summary"]
    assert "".join(piece["text"] for piece in document["findings"][0]["sentences"][1]) == OVER
    assert over_since(document) == dt.datetime(2026, 11, 21, 0, 48, 20, tzinfo=dt.UTC)


def test_trouble_of_a_job_that_runs_no_longer_or_of_a_setting_is_not_said_to_be_over() -> None:
    times = {"onset_ms": 1_795_222_000_000, "ended_ms": 1_795_222_100_000}
    ended = judge([signal("load", skew=3, **times), signal("restarts", final_state="FAILED")], INPUTS, RULES)
    assert over_since(ended) is None
    setting = Ruleset.of([rule("setting", "misconfiguration", "load.skew")])
    assert over_since(judge([signal("load", skew=3, **times)], INPUTS, setting)) is None


def test_a_job_is_over_its_trouble_only_when_every_cause_is() -> None:
    times = {"onset_ms": 1_795_222_000_000, "ended_ms": 1_795_222_100_000}
    going_on = signal("heap", full=1, onset_ms=1_795_222_000_000)
    both = Ruleset.of([SKEW, rule("heap", "resource_shortage", "heap.full")])
    document = judge([signal("load", skew=3, **times), going_on], INPUTS, both)
    assert document["findings"][0]["onset"]["ended"] or document["findings"][1]["onset"]["ended"]
    assert over_since(document) is None
