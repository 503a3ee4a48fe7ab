"""Why checkpoints are declined is said once: the rules of the class exclude one another."""

from __future__ import annotations

import itertools
from typing import Any

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.match import match
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import fill, runbooks
from diagnostics.signals import DEFINITIONS
from diagnostics.vocabulary.fault_origins import OWN_CODE, UNKNOWN, origins

RULES = Ruleset.of(
    rule
    for rule in shipped_rules()
    if rule.symptom_class == "checkpoint_declined" and rule.id != "declined.finished-tasks"
)
OWN = {"user_frame": "com.acme.Buffer.snapshotState", "own_frames": ["com.acme.Buffer.snapshotState"]}
ORIGINS = (*(each.id for each in origins()), OWN_CODE, UNKNOWN)


def thrown(origin: str | None, own: bool) -> dict[str, Any]:
    if origin is None:
        return {}
    said = {"exception": "IOException", "said": "IOException: x", "frame": "x.Y.z", "origin": origin}
    return said | (OWN if own else {})


def said_of(lost: int | None = None, **facts: Any) -> list[str]:
    signal = {
        "key": "checkpoint_declines",
        "level": DEFINITIONS["checkpoint_declines"].level,
        "subject": {"job": "1a"},
        "facts": facts,
        "citations": [],
        "citation_count": 0,
    }
    signals = [signal]
    if lost is not None:
        key = "task_manager_loss.all"
        signals.append({**signal, "key": key, "level": DEFINITIONS[key].level, "subject": {}, "facts": {"lost": lost}})
    return [each.rule.id for each in match(SignalIndex.from_stored(signals), RULES).findings]


def test_at_most_one_rule_says_why_checkpoints_are_declined() -> None:
    twice = []
    for failures, thresholds, synchronous, after in itertools.product((1, 2, 3), (0, 1), (0, 1), (0, 5)):
        for origin, own in itertools.product((None, *ORIGINS), (False, True)):
            course = {"failures": failures, "thresholds": thresholds, "synchronous": synchronous}
            told = said_of(**course, completed_after=after, **thrown(origin, own))
            if len(told) > 1:
                twice.append((course, after, origin, own, told))
    assert twice == []


def test_every_origin_of_repeated_declines_has_a_finding() -> None:
    """Of these the failure itself, which has a class of its own, is what has to be explained."""
    by_themselves = {
        "without_sasl",
        "unseen_checkpoint",
        "memory",
        "slots",
        "outside_first",
        "high_availability",
        "high_availability_code",
        "task_manager_loss",
        "kafka_transactions",
        "process_ending",
        "memory_limit",
        "slow_start",
        "python_worker",
        "outside_refused",
        "record_refused",
        "by_message",
        "outside_connector",
        "outside_client",
    }
    course = {"failures": 4, "thresholds": 0, "synchronous": 0, "completed_after": 0}
    silent = [each for each in ORIGINS if not said_of(**course, **thrown(each, own=False))]
    assert set(silent) <= by_themselves


def test_one_decline_among_many_that_complete_is_only_a_remark() -> None:
    once = {"failures": 1, "thresholds": 0, "synchronous": 0, "completed_after": 30}
    assert said_of(**once, **thrown("storage", own=False)) == ["declined.single"]


def test_triggers_that_nobody_took_are_told_by_the_loss_of_their_task_manager() -> None:
    course = {"failures": 7, "thresholds": 0, "synchronous": 0, "completed_after": 0}
    assert said_of(lost=0, **course, only_untriggered=True) == ["declined.reason-only"]
    assert said_of(lost=1, **course, only_untriggered=True) == []
    assert said_of(lost=1, **course, only_untriggered=False) == ["declined.reason-only"]
    assert said_of(lost=1, **course, **thrown("task_manager_loss", own=False)) == []


def first_of(**thrown: Any) -> str | None:
    """What to do first about checkpoints that the job's own frames fail with this exception."""
    course = {"failures": 5, "thresholds": 0, "synchronous": 0, "completed_after": 0, "origin": OWN_CODE}
    signal = {
        "key": "checkpoint_declines",
        "level": DEFINITIONS["checkpoint_declines"].level,
        "subject": {"job": "1a"},
        "facts": {**course, **thrown, **OWN},
        "citations": [],
        "citation_count": 0,
    }
    [finding] = match(SignalIndex.from_stored([signal]), RULES).findings
    assert finding.rule.id == "declined.own-code"
    return finding.first_step


def test_an_exception_about_something_outside_of_the_code_is_followed_by_its_message() -> None:
    missing = first_of(exception="NoSuchFileException", said="NoSuchFileException: /run/secrets/key")
    assert missing is not None
    assert missing.startswith("Look at the cause in the message: NoSuchFileException: /run/secrets/key.")


def test_an_exception_of_the_code_is_repaired_in_the_code() -> None:
    thrown = first_of(exception="NullPointerException", said="NullPointerException")
    assert thrown is not None
    assert thrown.startswith("Repair the snapshot code")


def test_a_state_over_the_limit_sends_nobody_to_look_for_a_missing_file_or_directory() -> None:
    facts = {"failures": 1, "thresholds": 1, "same_cause": 1, "completed_after": 128, "refuses": False}
    signal = {"key": "checkpoint_declines", "level": "job", "subject": {"job": "1a"}, "citations": []}
    declines = signal | {"citation_count": 0, "facts": facts | thrown("state_limit", own=False)}
    finding = {"subject": {"job": "1a"}, "facts": {}}
    steps = {each["id"]: each for each in fill(runbooks()["checkpoint-declined"], finding, [declines])["steps"]}
    assert [bool(steps[each]["left_out"]) for each in ("exception", "own-code", "storage")] == [False, True, True]
    applies = [each["then"] for each in steps["restarts"]["answers"] if each["taken"]]
    assert steps["restarts"]["done"]["holds"], "128 checkpoints have completed, and the number is left as it is"
    assert applies == [
        "A higher number does not mend this: every checkpoint fails once the state is larger. "
        "Write the checkpoints to a file system."
    ]


def test_a_number_of_tolerated_failures_that_is_left_alone_leaves_nothing_to_do_once_checkpoints_complete() -> None:
    course = {"failures": 8, "thresholds": 2, "completed_after": 11}
    assert restarts_done(**course, same_cause=8) is True
    assert restarts_done(**course | {"completed_after": 0}, same_cause=8) is False
    assert restarts_done(**course, same_cause=1) is False, "single failures: a few more are to be tolerated"


def test_eight_failures_are_no_proof_that_nothing_fails_any_more() -> None:
    course = {"failures": 8, "thresholds": 2, "completed_after": 11, "same_cause": 8}
    restarts = filled_steps(**course)["restarts"]
    assert [each["fact"] for each in restarts["done"]["checks"]] == ["checkpoint_declines.completed_after"]


def test_what_the_exception_rules_out_is_no_open_answer() -> None:
    steps = filled_steps(failures=8, thresholds=2, same_cause=8, exception="IOException", refuses=True)
    open_answers = [
        answer["if"]
        for each in ("harmless-or-not", "exception", "own-code")
        for answer in steps[each]["answers"]
        if answer["taken"] is None
    ]
    assert open_answers == []


def filled_steps(**facts: Any) -> dict[str, dict[str, Any]]:
    """The steps of the runbook, filled with these facts of declined checkpoints of the job's own code."""
    signal = {"key": "checkpoint_declines", "level": "job", "subject": {"job": "1a"}, "citations": []}
    declines = signal | {"citation_count": 0, "facts": facts | thrown(OWN_CODE, own=True)}
    steps = fill(runbooks()["checkpoint-declined"], {"subject": {"job": "1a"}, "facts": {}}, [declines])["steps"]
    return {each["id"]: each for each in steps}


def restarts_done(**facts: Any) -> bool | None:
    """Whether the step about restarts is met by these facts of declined checkpoints."""
    holds: bool | None = filled_steps(**facts)["restarts"]["done"]["holds"]
    return holds
