"""The changes of several runbooks as one plan."""

from __future__ import annotations

import re
from typing import Any

import pytest

from diagnostics.runbook import Proposal, Runbook, merged_plan, useless_options
from diagnostics.symptoms import runbook_files, symptom_folders

JOB = "f" * 32


def change(to: str, before: str = "", **more: Any) -> dict[str, Any]:
    """A filled change of the configuration."""
    known = {"kind": "config", "file": "config.yaml", "only_if": None, "choice": None, "sure": True, "unset": []}
    return {**known, "from": before, "to": to, **more}


def step(*changes: dict[str, Any], restart: bool = True, drops_state: bool = False) -> dict[str, Any]:
    asked = {"id": "a", "question": "Is it?", "answers": [], "look": [], "left_out": None}
    return {**asked, "change": list(changes), "restart": restart, "drops_state": drops_state}


def plan_of(*proposals: Proposal) -> dict[str, Any]:
    plan = merged_plan(proposals, [], JOB)
    assert plan is not None
    return plan


def test_an_option_has_one_value_that_of_the_cause_that_comes_first() -> None:
    first = Proposal("Slow", (), [step(change("t.timeout: 3 min\nt.pause: 5 s", "t.timeout: 30 s"))])
    second = Proposal("Settings", (), [step(change("t.timeout: 2 min\nt.interval: 1 min", "t.timeout: 30 s"))])
    [file] = plan_of(first, second)["changes"]
    assert file["to"].splitlines() == ["t.timeout: 3 min", "t.pause: 5 s", "t.interval: 1 min"]
    assert file["from"] == "t.timeout: 30 s"


def test_what_the_runbook_of_the_cause_calls_useless_is_left_out_with_the_reason() -> None:
    skew = Proposal("Skew", ("t.timeout",), [])
    settings = Proposal("Settings", (), [step(change("t.timeout: 2 min\nt.interval: 1 min"))])
    plan = plan_of(skew, settings)
    assert plan["changes"][0]["to"] == "t.interval: 1 min"
    assert [(each["value"], each["because"]) for each in plan["left_out"]] == [("t.timeout: 2 min", "Skew")]


def test_of_alternatives_the_first_is_taken_and_what_needs_a_look_is_listed_apart() -> None:
    changes = (change("a: 1", choice="heap"), change("b: 2", choice="heap"), change("c: 3", only_if="it is slow"))
    plan = plan_of(Proposal("Heap", (), [step(*changes, change("d: 4", sure=False))]))
    assert [each["to"] for each in plan["changes"]] == ["a: 1"]
    [look] = plan["open"]
    assert (look["only_if"], [each["to"] for each in look["changes"]]) == ("it is slow", ["c: 3"])


def test_the_alternatives_of_one_answer_stand_below_it_once() -> None:
    grown = {"only_if": "the state still grows"}
    changes = (change("a: 1", choice="heap", **grown), change("ttl()", kind="code", choice="heap", **grown))
    [look] = plan_of(Proposal("Heap", (), [step(*changes, change("b: 2", **grown))]))["open"]
    assert [(each["to"], each["instead"]) for each in look["changes"]] == [
        ("a: 1", False),
        ("ttl()", True),
        ("b: 2", False),
    ]


def test_a_restart_for_lesser_changes_waits_for_the_look_that_decides_on_the_root_cause() -> None:
    cause = Proposal("Look-ups", (), [step(change("cached()", kind="code", only_if="keys repeat"))])
    settings = Proposal("Settings", (), [step(change("t.retention: RETAIN"))])
    assert plan_of(cause, settings)["remark"].startswith(
        "None of the decided changes removes the root cause, so none is worth a restart."
    )
    assert plan_of(cause, settings)["look_first"]
    assert plan_of(cause, settings)["restart"] is None, "a restart would cure nothing"
    decided = Proposal("Look-ups", (), [step(change("a: 1"), change("cached()", kind="code", only_if="keys repeat"))])
    assert (plan_of(decided, settings)["remark"], plan_of(decided, settings)["look_first"]) == ("", False)


def test_a_plan_that_leaves_the_root_cause_alone_says_so() -> None:
    outside = Proposal("Declined", (), [step(restart=False)])
    settings = Proposal("Settings", (), [step(change("t.retention: RETAIN"))])
    assert plan_of(outside, settings)["remark"].startswith("Nothing in this plan removes the root cause")

    assert plan_of(outside, settings)["restart"] is None
    assert plan_of(outside, settings)["runbooks"] == ["Settings"], "nothing of the other runbook is in it"
    assert (plan_of(settings)["remark"], plan_of(settings)["restart"] is None) == ("", False)


def test_a_plan_does_not_send_to_a_runbook_in_which_nothing_is_left_to_do() -> None:
    """The trouble is over, and what is due all the same is done with a restart of its own."""
    proposals = [Proposal("Declined", (), []), Proposal("Settings", (), [step(change("t.retention: RETAIN"))])]
    over, due = (merged_plan(proposals, (), JOB, is_due=is_due, is_over=True) for is_due in (False, True))
    assert over is not None
    assert due is not None
    assert over["remark"].startswith("Nothing is left to do in the runbook of the root cause, “Declined”.")
    assert over["restart"] is None
    assert (due["remark"], " run " in due["restart"]["command"]) == ("", True)
    lasting = merged_plan(proposals, (), JOB, is_due=True)
    assert lasting is not None
    assert "follow the runbook “Declined” for that first" in lasting["remark"]


@pytest.mark.parametrize("only_if", [None, "keys repeat"])
def test_a_plan_that_is_due_does_not_say_that_it_can_wait(only_if: str | None) -> None:
    """One sentence said “for today” and the next one “with the next deployment”."""
    steps = [step(change("cached()", kind="code", only_if=only_if))] if only_if else []
    settings = Proposal("Settings", (), [step(change("t.retention: RETAIN"))])
    plan = merged_plan([Proposal("Declined", (), steps), settings], (), None, is_due=True)
    assert plan is not None
    assert plan["remark"]
    assert not re.search("can wait|next deployment|worth a restart", plan["remark"])


def test_a_job_that_has_ended_is_started_although_no_change_removes_the_root_cause() -> None:
    facts = {"final_state": "FAILED"}
    ended = {"key": "restarts", "subject": {"job": JOB}, "level": "job", "facts": facts, "citations": []}
    proposals = [Proposal("Declined", (), []), Proposal("Settings", (), [step(change("t.retention: RETAIN"))])]
    plan = merged_plan(proposals, [ended | {"citation_count": 0}], JOB)
    assert plan is not None
    assert " run " in plan["restart"]["command"]


def test_there_is_one_restart_that_also_restarts_the_processes_whose_options_change() -> None:
    job = Proposal("A", (), [step(change("t.timeout: 2 min"))])
    process = Proposal("B", (), [step(change("taskmanager.memory.task.heap.size: 512m"))])
    command = plan_of(job, process)["restart"]["command"]
    assert command.count("flink stop") == 1
    assert "taskmanager.sh stop" in command
    assert "taskmanager.sh" not in plan_of(job)["restart"]["command"]


def test_the_restart_reads_the_configuration_that_the_cluster_loaded() -> None:
    loaded = {"kind": "standalone", "home": "/opt/flink", "config_file": "/etc/flink/config.yaml"}
    signal = {"key": "deployment", "subject": {"job": JOB}, "level": "job", "facts": loaded}
    stored = [{**signal, "citations": [], "citation_count": 0}]
    plan = merged_plan([Proposal("A", (), [step(change("t.timeout: 2 min"))])], stored, JOB)
    assert plan is not None
    export, stop, *_ = plan["restart"]["command"].splitlines()
    assert (export, stop.split()[0]) == ("export FLINK_CONF_DIR=/etc/flink", "/opt/flink/bin/flink")


def test_the_plan_says_to_build_new_code_before_the_job_is_stopped() -> None:
    code = change("keyed.process(new Clamped());", kind="code", file="the job's code")
    assert "build the new JAR" in plan_of(Proposal("A", (), [step(code)]))["restart"]["text"]
    assert "build the new JAR" not in plan_of(Proposal("A", (), [step(change("t.timeout: 2 min"))]))["restart"]["text"]


def test_a_process_that_is_started_reads_the_settings_of_the_plan_and_the_configuration_that_was_loaded() -> None:
    """Settings that are written after its start would cost the job a second restart."""
    loaded = {"kind": "standalone", "home": "/opt/flink", "config_file": "/etc/flink/config.yaml"}
    signal = {"key": "deployment", "subject": {"job": JOB}, "level": "job", "facts": loaded}
    stored = [{**signal, "citations": [], "citation_count": 0}]
    start = step(change("/opt/flink/bin/taskmanager.sh start", kind="command"), restart=False)
    plan = merged_plan([Proposal("A", (), [start, step(change("t.timeout: 2 min"))])], stored, JOB)
    assert plan is not None
    assert [each["kind"] for each in plan["changes"]] == ["config", "command"]
    assert plan["changes"][1]["to"].splitlines()[0] == "export FLINK_CONF_DIR=/etc/flink"
    first, then, _ = plan["remark"].split(". ")
    assert first.startswith("First write the settings below into the files")
    assert then.startswith("Then run the commands that start processes")
    only = merged_plan([Proposal("A", (), [start])], stored, JOB)
    assert only is not None
    assert only["remark"] == ""


def test_an_option_to_be_removed_is_in_the_state_before_only() -> None:
    larger = change("t.heap: 384m", "t.process: 800m\nt.heap: 190m")
    [file] = plan_of(Proposal("Heap", (), [step(larger)]))["changes"]
    assert (set(file["from"].splitlines()), file["to"]) == ({"t.process: 800m", "t.heap: 190m"}, "t.heap: 384m")


def test_a_plan_that_replaces_an_operator_starts_the_job_without_its_state() -> None:
    command = plan_of(Proposal("Skew", (), [step(change("a: 1"), drops_state=True)]))["restart"]["command"]
    assert "--allowNonRestoredState" in command


def test_without_a_change_there_is_no_plan() -> None:
    assert merged_plan([Proposal("A", (), [step()])], [], JOB) is None


def test_options_called_useless_are_not_changed_by_the_same_runbook() -> None:
    for folder in symptom_folders():
        for path in runbook_files(folder):
            shipped = Runbook.from_yaml(path.read_text("utf-8"), path.name)
            own = "\n".join(each.after for each in (change for step in shipped.steps for change in step.changes))
            assert [option for option in shipped.useless if f"{option}:" in own] == []


def test_the_change_of_the_first_cause_comes_first_whatever_its_kind() -> None:
    code = Proposal("Skew", (), [step(change("split(key)", kind="code", file="the job"))])
    settings = Proposal("Settings", (), [step(change("t.interval: 1 min"))])
    assert [each["to"] for each in plan_of(code, settings)["changes"]] == ["split(key)", "t.interval: 1 min"]
    assert [each["to"] for each in plan_of(settings, code)["changes"]] == ["t.interval: 1 min", "split(key)"]


def test_the_options_that_do_not_help_against_a_cause_are_named() -> None:
    changes = [change("t.interval: 100 s\nt.pause: 5 s"), change("t.interval()", kind="code")]
    assert useless_options(changes, ("t.interval", "t.timeout")) == ["t.interval"]
    assert useless_options(changes, ()) == []


def test_a_plan_of_open_changes_begins_with_what_needs_no_restart() -> None:
    """The body of a slow function was nowhere in the plan, which began with two rebuilds of the job."""
    look = {"what": "The body of the function", "command": "psql -c '\\sf slow'"}
    answers = [{"then": "Read its body.", "taken": True}, {"then": "Add an index.", "taken": False}]
    outside = {**step(restart=False), "answers": answers, "look": [look]}
    rebuilt = step(change("cached()", kind="code", only_if="keys repeat"))
    plan = plan_of(Proposal("Look-ups", (), [outside, rebuilt]))
    assert plan["at_once"] == [{"text": "Read its body.", "look": [look]}]
    assert plan_of(Proposal("Heap", (), [outside, step(change("a: 1"))]))["at_once"] == [], "the plan has the repair"
