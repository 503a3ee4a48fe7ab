"""What users copy runs as the author wrote it, whatever an upload states: read back by bash, YAML and Python."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from diagnostics.diagnosis.missing import collect_command
from diagnostics.runbook import Runbook, fill, runbooks
from diagnostics.wording import phrase
from diagnostics.wording.code import fill_code

HOSTILE = (
    "v';>stolen;'",
    'v";>stolen;"',
    "v;>stolen;",
    "v$(>stolen)",
    "v`>stolen`",
    "v\n>stolen\n",
    "v|>stolen",
    "v&>stolen&",
    "v >stolen ",
    "v\\';>stolen;'",
    "v\x1b[201~\n>stolen\n",
    "--output=stolen",
    "-ostolen",
)


def commands(runbook: Runbook, value: str) -> Iterator[str]:
    """Everything to copy from the runbook of a case in which every fact has the value."""
    references = {reference for text in _templates(runbook) for reference, _ in phrase.placeholders(text)}
    subject = {reference.partition(".")[2]: value for reference in references if reference.startswith("subject.")}
    facts: dict[str, dict[str, str]] = {"rest_api": {"address": value}}
    for reference in references:
        key, _, fact = reference.rpartition(".")
        if key and key != "subject":
            facts.setdefault(key, {})[fact] = value
    signals = [
        {"key": key, "level": "case", "subject": {}, "facts": stated, "citations": [], "citation_count": 0}
        for key, stated in facts.items()
    ]
    for step in fill(runbook, {"subject": subject}, signals)["steps"]:
        yield from (each["command"] for each in step["look"])
        yield from (each["to"] for each in step["change"])
        yield from (each["from"] for each in step["change"])
        if step["savepoint"]:
            yield step["savepoint"]["command"]


def _templates(runbook: Runbook) -> Iterator[str]:
    yield "flink stop {subject.job}"
    for step in runbook.steps:
        yield from (each.command for each in step.look)
        yield from (text for change in step.changes for text in (change.before, change.after))


def leaves_a_file(commands: list[str], folder: Path) -> bool:
    """Whether one of the commands, run where no program is found, wrote the file that a hostile value asks for."""
    for command in commands:
        subprocess.run(["/bin/bash", "-c", command], cwd=folder, env={"PATH": ""}, capture_output=True, timeout=10)
    return any(folder.glob("stolen*"))


@pytest.mark.parametrize("runbook", runbooks().values(), ids=lambda each: each.id)
def test_no_value_of_the_evidence_leaves_its_place_in_a_command(runbook: Runbook, tmp_path: Path) -> None:
    for value in HOSTILE:
        copied = list(commands(runbook, value))
        assert not leaves_a_file(copied, tmp_path), value
        assert [command for command in copied if value in command] == []


def test_an_ordinary_value_is_inserted_into_the_command() -> None:
    copied = list(commands(runbooks()["rocksdb-slow-upload"], "s3://bucket/checkpoints"))
    assert any(command.endswith("s3://bucket/checkpoints") for command in copied)


@pytest.mark.parametrize("template", ["curl {a.id}", "curl '{a.id}'", 'curl "{a.id}"', "bash -c 'curl {a.id}'"])
@pytest.mark.parametrize("value", HOSTILE)
def test_a_runbook_of_a_user_may_quote_as_it_likes(template: str, value: str, tmp_path: Path) -> None:
    command = fill_code(template, {"a.id": value}.get)
    assert not leaves_a_file([command.replace("<id>", "id")], tmp_path)
    assert command == template.replace("{a.id}", "<id>")


def test_numbers_keep_their_format_and_lists_are_judged_by_their_members() -> None:
    facts = {"a.ms": 600_000, "a.good": ["x", "y"], "a.bad": ["x", "$(id)"]}
    template = "pause: {a.ms|duration} {a.good|list} {a.bad|list} {a.unknown}"
    assert fill_code(template, facts.get) == "pause: 10 min x and y <bad> <unknown>"


def test_a_setting_that_is_copied_adds_no_second_one() -> None:
    line = fill_code("state.dir: {a.dir}", {"a.dir": "/x\nenv.java.opts: -agentpath:/tmp/evil.so"}.get)
    assert yaml.safe_load(line) == {"state.dir": "<dir>"}


def test_the_command_of_the_collector_holds_no_job_that_a_shell_would_run(tmp_path: Path) -> None:
    assert collect_command("f" * 32).endswith(f"--job {'f' * 32}")
    for value in HOSTILE:
        command = collect_command(value, value)
        assert command == "python3 collect_flink.py --rest http://<jobmanager>:8081 --job <job>"
        assert not leaves_a_file([command], tmp_path)


def test_an_address_with_a_hostile_host_is_replaced_by_the_one_to_complete() -> None:
    command = fill_code("curl {rest}/jobs", {"rest": "http://a;id"}.get, {"rest": "http://<jobmanager>:8081"})
    assert command == "curl http://<jobmanager>:8081/jobs"
