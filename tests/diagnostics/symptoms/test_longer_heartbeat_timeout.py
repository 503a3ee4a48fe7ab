"""What the runbook of a network partition says about a longer heartbeat timeout."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook import Proposal, fill, merged_plan, runbooks

JOB = "a" * 32
SIGNALS = [
    {
        "key": "settings",
        "subject": {"job": JOB},
        "level": "job",
        "facts": {"heartbeat_timeout_ms": 20_000, "restart_strategy": "fixed-delay"},
        "citations": [],
        "citation_count": 0,
    }
]


def partition(said: dict[str, str]) -> dict[str, Any]:
    return fill(runbooks()["network-partition"], {"subject": {"job": JOB}}, SIGNALS, said)


def plan(said: dict[str, str]) -> dict[str, Any]:
    filled = partition(said)
    merged = merged_plan([Proposal(filled["title"], filled["useless"], filled["steps"])], SIGNALS, JOB)
    assert merged is not None
    return merged


def test_a_mitigation_is_left_to_the_reader_and_restarts_no_process() -> None:
    merged = plan({})

    assert "heartbeat" not in "\n".join(each["to"] for each in merged["changes"])
    looked_at = [change for each in merged["open"] for change in each["changes"] if "heartbeat" in change["to"]]
    assert ["mitigation" in each["file"] for each in looked_at] == [True]
    for way in (merged["restart"], partition({})["steps"][-1]["savepoint"]):
        lines = [line for line in way["command"].splitlines() if "manager.sh" in line]
        assert [line.startswith("# ") for line in lines] == [True, True], "for whoever makes the change"
        assert "only if you make a change that is not decided here" in way["text"]


def test_a_break_that_lasted_longer_than_it_decides_against_it() -> None:
    away = {"key": "task_manager_loss.all", "subject": {}, "level": "case", "citations": [], "citation_count": 0}
    filled = fill(
        runbooks()["network-partition"], {"subject": {"job": JOB}}, [*SIGNALS, away | {"facts": {"away_ms": 122_500}}]
    )
    ride_over = filled["steps"][-1]
    assert [each["taken"] for each in ride_over["answers"]] == [False, True]
    assert "heartbeat" not in "\n".join(each["to"] for each in ride_over["change"])
    assert "manager.sh" not in ride_over["savepoint"]["command"]


def test_who_decides_for_it_restarts_the_processes() -> None:
    merged = plan({"ride-over": "breaks go on until the link is repaired, and are shorter than 2 min"})

    assert "heartbeat.timeout: 2 min" in "\n".join(each["to"] for each in merged["changes"])
    assert "jobmanager.sh" in merged["restart"]["command"]


def test_what_the_first_step_sets_is_not_said_to_be_no_help() -> None:
    def unhelpful(first_step: str) -> str:
        finding = {"subject": {"job": JOB}, "title": "Processes lose one another", "first_step": first_step}
        filled = fill(runbooks()["network-partition"], finding, SIGNALS)
        return "\n".join(sentence for step in filled["steps"] for sentence in step["wont_help"])

    assert "heartbeat.timeout" in unhelpful("Repair the link.")
    assert "heartbeat.timeout" not in unhelpful("Only where it was slow raise heartbeat.timeout (50 s).")
