"""A start repeats the arguments of the job: what they may overwrite is named, and copied before."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from diagnostics.runbook.restarting import stop_and_start
from tests.diagnostics.runbook.clusters import JOB, NATIVE, OPERATOR, STANDALONE, commands_of

TAP = ["-c", "a.Job", "/jobs/a.jar", "--rate", "600", "--tap", "/data/events"]


def text_of(facts: dict[str, Any], program: list[str]) -> str:
    """What is said before the commands."""
    known = {**facts, "subject.job": JOB, "deployment.program": program}
    return str(stop_and_start(known.get)["text"])


def test_a_path_that_the_job_may_write_to_is_copied_between_stop_and_start() -> None:
    stop, copy, start = commands_of(STANDALONE, **{"deployment.program": TAP})
    assert (" stop " in stop, " run " in start) == (True, True)
    assert copy == "cp -a /data/events /data/events.$(date +%s)   # on each TaskManager's host"
    assert "--tap /data/events is a path" in text_of(STANDALONE, TAP)


def test_a_later_way_after_a_hash_has_its_copy_there_and_the_way_of_now_its_own() -> None:
    """The copy stood between the lines of the later way: it was made while the job still wrote."""
    failing = {"checkpoint_progress.consecutive_failed": 2, "checkpoint_progress.goes_back_ms": 75_200.0}
    failing |= {"checkpoint_progress.last_path": f"file:/c/{JOB}/chk-1", "settings.retention": "RETAIN_ON_CANCELLATION"}
    known = {**STANDALONE, **failing, "subject.job": JOB, "deployment.program": TAP}
    lines = stop_and_start(known.get, can_wait=True)["command"].splitlines()
    later = [each for each in lines if each.startswith("# ")]
    assert [each.split()[1] for each in later] == ["/opt/flink/bin/flink", "cp", "/opt/flink/bin/flink"]
    now = [each for each in lines if not each.startswith("# ")]
    assert (now[-2].startswith("cp -a /data/events "), " run " in now[-1]) == (True, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--config", "/etc/job.properties"],
        ["--rules=/etc/rules.yaml"],
        ["--inputPath", "/data/in"],
        ["/srv/wallet.key"],
        ["--signing-key", "/srv/wallet"],
        ["--checkpointDir", "file:///data/chk"],
        ["--state", "/data/chk/own"],
        ["--jdbc", "jdbc:postgresql://db/shop"],
        ["--url", "/api/v1"],
        ["--rate", "600"],
    ],
)
def test_what_a_job_only_reads_and_its_state_are_not_copied(arguments: list[str]) -> None:
    program = ["/jobs/a.jar", *arguments]
    facts = {**STANDALONE, "settings.checkpoint_dir": "file:/data/chk"}
    assert len(commands_of(facts, **{"deployment.program": program})) == 2
    assert "overwrite" not in text_of(facts, program)


def test_options_of_the_client_before_the_jar_are_no_arguments_of_the_job() -> None:
    assert "overwrite" not in text_of(STANDALONE, ["-C", "file:///libs/a", "/jobs/a.jar"])


@pytest.mark.parametrize("value", ["s3://bucket/out", "/data/two words", "hdfs://nn/out"])
def test_where_no_command_copies_the_reader_is_told_to(value: str) -> None:
    program = ["/jobs/a.jar", f"--out={value}"]
    assert "Copy what is there before the start." in text_of(STANDALONE, program)
    assert not [each for each in commands_of(STANDALONE, **{"deployment.program": program}) if each.startswith("cp ")]


@pytest.mark.parametrize("facts", [NATIVE, OPERATOR])
def test_no_shell_reaches_a_pod_s_files(facts: dict[str, Any]) -> None:
    assert "Copy what is there before the start." in text_of(facts, TAP)


def test_a_start_that_a_runbook_proposes_copies_them_as_well() -> None:
    facts: dict[str, Any] = {"deployment": {"program": TAP}, "restore_failures": {"path": "/data/savepoint"}}
    facts["restore_failures"] |= {"failures": 3, "kind": "missing state"}
    stored = [
        {"key": key, "subject": {}, "level": "case", "facts": known, "citations": [], "citation_count": 0}
        for key, known in facts.items()
    ]
    steps = fill(runbooks()["restore-failure"], {"subject": {"job": JOB}}, stored)["steps"]
    starts = [each["to"] for step in steps for each in step["change"] if " --tap /data/events" in each["to"]]
    assert starts
    for each in starts:
        copy, start = each.splitlines()
        assert copy.startswith("cp -a /data/events /data/events.$(date +%s)")
        assert start.endswith(" --tap /data/events")
