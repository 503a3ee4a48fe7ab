"""Runbooks filled with the values of one case."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, in_reader_language, reading_in
from diagnostics.rules.condition import Check
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import Runbook, exits, fill, runbooks
from diagnostics.runbook.exits import Exit

RUNBOOK = """\
id: data-skew
symptom_class: data_skew
title: Spread the hot key
goal: Every subtask takes its share.
steps:
  - id: confirm
    question: "Is one key responsible?"
    why: "A hot key needs another cure than an uneven host."
    measured:
      - "Key {keys.top_key} is {keys.top_share_ratio|percent} of the sample."
      - "Host {keys.host} has them all."
    look:
      - {what: "Records of each subtask", command: "curl -s {rest}/jobs/{subject.job}/vertices/{subject.vertex_id}"}
    answers:
      - {if: "one key is over 30 %", then: "salt it", when: {fact: keys.top_share_ratio, op: ">=", value: 0.3}}
      - {if: "many keys are hot", then: "raise the maximum parallelism"}
  - id: salt
    question: "Salt the key?"
    why: "Its records then go to several subtasks."
    change:
      - {kind: code, file: Job.java, from: "keyBy(merchant)", to: "keyBy(merchant + random(0, {keys.salts}))"}
    cost: "A second aggregation."
    rollback: "Start the former version from the savepoint."
    restart: true
    done_when: {fact: load.skew_ratio, op: "<", value: 1.5}
    done: "no subtask takes more than 1.5 times its share"
    docs: [S046, S066]
"""

FINDING = {"subject": {"job": "f" * 32, "vertex": "score", "vertex_id": "e" * 32}}


def stored(key: str, level: str, subject: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {"key": key, "level": level, "subject": subject, "facts": facts, "citations": [], "citation_count": 0}


SIGNALS = [
    stored("keys", "case", {}, top_key="M-17", top_share_ratio=0.9, salts=16),
    stored("load", "vertex", FINDING["subject"], skew_ratio=3.6),
]


def filled() -> dict[str, Any]:
    return fill(Runbook.from_yaml(RUNBOOK, "runbook.yaml"), FINDING, SIGNALS)


def test_what_was_measured_is_said_and_what_is_unknown_left_out() -> None:
    assert filled()["steps"][0]["measured"] == ["Key M-17 is 90 % of the sample."]


def test_a_command_holds_the_ids_of_the_case() -> None:
    command = filled()["steps"][0]["look"][0]["command"]
    assert command == f"curl -s http://<jobmanager>:8081/jobs/{'f' * 32}/vertices/{'e' * 32}"


def test_a_command_holds_the_address_that_the_collector_asked() -> None:
    asked = [*SIGNALS, stored("rest_api", "case", {}, address="https://flink.example/payments")]
    step = fill(Runbook.from_yaml(RUNBOOK, "runbook.yaml"), FINDING, asked)["steps"][0]
    assert step["look"][0]["command"].startswith("curl -s https://flink.example/payments/jobs/")


def test_the_branch_that_the_measurement_takes_is_marked() -> None:
    assert [each["taken"] for each in filled()["steps"][0]["answers"]] == [True, None]


def test_a_step_does_not_concern_the_finding_of_a_rule_that_it_does_not_repair() -> None:
    other = '    not_for: {rules: [skew.source], because: "A source has no keys."}\n'
    runbook = Runbook.from_yaml(RUNBOOK.replace("  - id: salt\n", f"  - id: salt\n{other}"), "runbook.yaml")
    of_source = fill(runbook, {**FINDING, "rule": {"id": "skew.source", "version": 1}}, SIGNALS)["steps"]
    assert [each["left_out"] for each in of_source] == [None, {"reason": "A source has no keys."}]
    of_key = fill(runbook, {**FINDING, "rule": {"id": "skew.hot-key", "version": 1}}, SIGNALS)["steps"]
    assert [each["left_out"] for each in of_key] == [None, None]


@pytest.mark.parametrize("runbook", runbooks().values(), ids=lambda each: each.id)
def test_steps_leave_out_only_findings_of_rules_that_have_their_runbook(runbook: Runbook) -> None:
    own = {rule.id for rule in shipped_rules() if rule.runbook == runbook.id}
    named = {name for step in runbook.steps for name in step.not_for.rules}
    assert named <= own


@pytest.mark.parametrize("runbook", runbooks().values(), ids=lambda runbook: str(runbook.id))
def test_no_answer_shows_an_internal_id_as_what_was_measured(runbook: Runbook) -> None:
    conditions = [answer.when for step in runbook.steps for answer in step.answers if answer.when]
    compared = {check.fact for each in conditions for check in each.checks(lambda fact: None)}
    assert {fact for fact in compared if fact_label(fact).startswith("id of")} == set()


def test_a_change_holds_the_computed_value() -> None:
    assert filled()["steps"][1]["change"][0]["to"] == "keyBy(merchant + random(0, 16))"


def test_a_step_that_restarts_begins_with_a_savepoint_of_this_job() -> None:
    assert "f" * 32 in filled()["steps"][1]["savepoint"]["command"]


def test_a_job_that_does_not_run_is_started_from_its_checkpoint_instead() -> None:
    failed = [*SIGNALS, stored("job_overview", "job", {"job": "f" * 32}, name="orders", state="FAILED")]
    savepoint = fill(Runbook.from_yaml(RUNBOOK, "runbook.yaml"), FINDING, failed)["steps"][1]["savepoint"]
    assert "was FAILED" in savepoint["text"]
    assert savepoint["command"].startswith("flink run -d -s")


TRANSLATED = """\
id: data-skew
symptom_class: data_skew
title: Spread the hot key
goal: Every subtask takes its share.
steps:
  - id: confirm
    question: "Is one key responsible?"
    why: "A hot key needs another cure. Host {keys.host} has it."
    why_zh: "热点需要别的办法。它在主机 {keys.host} 上。"
    answers:
      - {if: "many keys are hot", if_zh: "热点很多", then: "raise the maximum parallelism"}
    change:
      - {kind: sql, to: "SELECT 1", only_if: "many keys are hot"}
    cost: "A restart."
    cost_zh: "需要重启。"
    rollback: "Take it back."
    restart: true
"""


def test_each_text_of_a_step_is_in_the_language_of_its_reader() -> None:
    with reading_in(CHINESE):
        step = fill(Runbook.from_yaml(TRANSLATED, "runbook.yaml"), FINDING, SIGNALS)["steps"][0]
    assert (step["why"], step["cost"]) == ("热点需要别的办法。", "需要重启。")
    assert step["change"][0]["only_if"] == "热点很多"
    assert step["savepoint"]["text"].startswith("作业会重启。")


def test_a_step_names_the_documents_that_it_answers() -> None:
    assert [each["docs"] for each in filled()["steps"]] == [[], ["S046", "S066"]]


def test_a_step_says_by_how_much_it_is_not_done() -> None:
    done = filled()["steps"][1]["done"]
    assert (done["holds"], done["checks"][0]["value"], done["checks"][0]["bound"]) == (False, 3.6, 1.5)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("id: salt", "id: confirm", "two steps have the id 'confirm'"),
        ("restart: true", "reboot: true", "unknown entry 'reboot'"),
        ("kind: code", "kind: magic", "one of config, code, sql, command"),
        ("|percent", "|parsec", "unknown format 'parsec'"),
        ('question: "Salt the key?"', "title: x", "`question` is missing"),
        ('    rollback: "Start the former', '    why_not: "', "a step that changes something says its `rollback`"),
        ('then: "salt it"', 'then: "salt it", leads_to: [confirm]', "no later step has the id 'confirm'"),
        ("title: Spread the hot key", 'title: "Spread {keys.top_key}"', "line 3: a title is read without the case"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(before: str, after: str, expected: str) -> None:
    with pytest.raises(InvalidRule) as caught:
        Runbook.from_yaml(RUNBOOK.replace(before, after), "runbook.yaml")
    assert expected in str(caught.value)


BRANCHED = (
    RUNBOOK.replace('then: "salt it"', 'then: "salt it", leads_to: [salt]').replace(
        '{if: "many keys are hot", then: "raise the maximum parallelism"}',
        '{if: "no key is", then: "look at the hosts", leads_to: [hosts], '
        'when: {fact: keys.top_share_ratio, op: "<", value: 0.3}}',
    )
    + '  - {id: hosts, question: "Is one host slow?"}\n'
)


def ways(top_share_ratio: float | None) -> list[str | None]:
    """The steps that are left out, each with the answer that leads past it."""
    keys = stored("keys", "case", {}, **({} if top_share_ratio is None else {"top_share_ratio": top_share_ratio}))
    steps = fill(Runbook.from_yaml(BRANCHED, "runbook.yaml"), FINDING, [keys, SIGNALS[1]])["steps"]
    return [step["left_out"] and step["left_out"]["answer"] for step in steps]


@pytest.mark.parametrize(
    ("top_share_ratio", "expected"),
    [(0.9, [None, None, "one key is over 30 %"]), (0.1, [None, "no key is", None]), (None, [None, None, None])],
)
def test_a_measured_answer_takes_its_way_and_an_unknown_one_leaves_both_open(
    top_share_ratio: float | None, expected: list[str | None]
) -> None:
    assert ways(top_share_ratio) == expected


AFTER = {"job": "9" * 32, "vertex": "score", "vertex_id": "e" * 32}
NAMED = stored("job_overview", "job", {"job": "f" * 32}, name="orders")


def exit_of_salting(job_name: str, skew_ratio: float) -> tuple[bool | None, object] | None:
    """The exit condition of `salt` on a later snapshot, in which the job has another id."""
    later = [
        stored("job_overview", "job", {"job": "9" * 32}, name=job_name),
        stored("load", "vertex", AFTER, skew_ratio=skew_ratio),
    ]
    found = exits(Runbook.from_yaml(RUNBOOK, "runbook.yaml"), FINDING, later, [*SIGNALS, NAMED]).get("salt")
    return (found.holds, found.checks[0].value) if found else None


def test_a_later_snapshot_is_asked_for_the_same_task_of_the_job_with_its_new_id() -> None:
    assert exit_of_salting("orders", 1.1) == (True, 1.1)
    assert exit_of_salting("orders", 2.5) == (False, 2.5)


def test_a_snapshot_of_another_job_ticks_nothing() -> None:
    assert exit_of_salting("payments", 1.0) is None


@pytest.mark.parametrize("runbook", runbooks().values(), ids=lambda each: each.id)
def test_a_shipped_runbook_says_what_will_not_help_and_names_only_runbooks_that_exist(runbook: Runbook) -> None:
    assert [sentence for step in runbook.steps for sentence in step.wont_help] != []
    named = {answer.runbook for step in runbook.steps for answer in step.answers if answer.runbook}
    assert named <= set(runbooks())


def code_of(change: str, **facts: Any) -> list[dict[str, str]]:
    """The changes that the case needs, of a step with this one."""
    given = '{kind: code, file: Job.java, from: "keyBy(merchant)", to: "keyBy(merchant + random(0, {keys.salts}))"}'
    assert given in RUNBOOK
    signals = [*SIGNALS, stored("settings", "job", {"job": "f" * 32}, **facts)]
    step = fill(Runbook.from_yaml(RUNBOOK.replace(given, change), "runbook.yaml"), FINDING, signals)["steps"][1]
    changes: list[dict[str, str]] = step["change"]
    assert step["in_force"] is (not changes)
    assert bool(step["savepoint"]) is bool(changes)
    return changes


INCREMENTAL = '{kind: config, file: config.yaml, from: "a: {settings.incremental}", to: "a: true"}'
PAUSE = '{kind: config, file: config.yaml, from: "x: 1", to: "p: {settings.min_pause_ms|duration}"}'
FEW = (
    '{kind: config, file: config.yaml, from: "t: {settings.tolerable_failed}", to: "t: 3", '
    'when: {fact: settings.tolerable_failed, op: "<", value: 1}}'
)


def test_a_change_that_changes_nothing_is_not_proposed_and_needs_no_restart() -> None:
    assert code_of(INCREMENTAL, incremental=True) == []
    assert [each["to"] for each in code_of(INCREMENTAL, incremental=False)] == ["a: true"]


def test_a_change_whose_condition_fails_is_not_proposed_and_an_unknown_one_is() -> None:
    assert code_of(FEW, tolerable_failed=20) == []
    known = code_of(FEW, tolerable_failed=0)
    assert [each["unset"] for each in known] == [["t is not set in a file of this case; 0 is in effect."]]
    assert [(each["from"], each["unset"]) for each in code_of(FEW)] == [("", [])]


def test_the_present_state_is_what_a_file_of_the_case_holds_as_it_states_it() -> None:
    held = code_of(FEW, tolerable_failed=0, file_lines=["t: 00"])
    assert [(each["from"], each["unset"]) for each in held] == [("t: 00", [])]


def test_of_another_programs_option_no_value_is_said_to_be_in_effect() -> None:
    """No file of a case holds the configuration of a broker or of a reader: only their default is known."""
    of_broker = '{kind: config, file: server.properties of the broker, from: "t=900000", to: "t=3600000"}'
    assert [each["unset"] for each in code_of(of_broker)] == [["t is not set in a file of this case (default 900000)."]]


@pytest.mark.parametrize(
    ("ms", "written"), [(600_000, "10 min"), (90_000, "90 s"), (69_600.4, "69601 ms"), (0, "0 ms"), (7_200_000, "2 h")]
)
def test_a_duration_in_a_setting_is_one_whole_number_with_a_unit_that_flink_reads(ms: float, written: str) -> None:
    assert code_of(PAUSE, min_pause_ms=ms)[0]["to"] == f"p: {written}"


UPLOAD = {"job": "f" * 32}


def restart_of(
    phases: Mapping[str, Any] | None = None, progress: Mapping[str, Any] | None = None, **settings: Any
) -> dict[str, str]:
    """How the job is stopped whose checkpoints write 100 MB at 2 MB a second."""
    signals = [
        *SIGNALS,
        stored("checkpoint_sizes", "job", UPLOAD, max_state_bytes=100e6, bytes_per_s_max=2e6),
        stored("checkpoint_progress", "job", UPLOAD, completed_ids=[4, 5], **(progress or {})),
        stored("settings", "job", UPLOAD, checkpoint_dir="file:///ckpt", **settings),
        *([stored("checkpoint_phases", "job", UPLOAD, **phases)] if phases else []),
    ]
    step = fill(Runbook.from_yaml(RUNBOOK, "runbook.yaml"), FINDING, signals)["steps"][1]
    savepoint: dict[str, str] = step["savepoint"]
    return savepoint


def test_a_savepoint_that_cannot_finish_in_time_is_not_advised() -> None:
    kept = restart_of(timeout_ms=60_000, retention="RETAIN_ON_CANCELLATION")
    assert "100 MB at the measured 2 MB per second need 50 s" in kept["text"]
    trial, cancel, wait, start = kept["command"].splitlines()
    assert trial.startswith(f"# flink savepoint {'f' * 32} <directory-on-another-volume>   # a trial")
    assert cancel == f"flink cancel {'f' * 32}"
    assert wait.startswith("while curl -s http://<jobmanager>:8081/jobs | grep ")
    assert start == f"flink run -d -s file:///ckpt/{'f' * 32}/chk-5 <jar>"


def test_checkpoints_that_a_cancellation_deletes_are_copied_first_and_put_back_when_the_job_has_ended() -> None:
    _, *commands = restart_of(timeout_ms=60_000)["command"].splitlines()
    folder = f"/ckpt/{'f' * 32}"
    assert commands[0] == f"cp -alT {folder} {folder}.copy"
    assert commands[1] == f"ls -t {folder}.copy/chk-*/_metadata && flink cancel {'f' * 32}", "not without a copy"
    assert [each.split()[1] for each in commands[2:]] == ["curl", "-p", "run", "rm"]
    assert f'-s "file:$(ls -t {folder}/chk-*/_metadata | head -n 1)"' in commands[-2], (
        "a newer one may have replaced it"
    )


def test_a_savepoint_is_advised_again_when_barriers_no_longer_wait() -> None:
    def text(**progress: Any) -> str:
        longest = {"max_duration_ms": 27_000, **progress}
        return restart_of({"barrier_share_ratio": 1.0}, longest, timeout_ms=30_000)["text"]

    assert "while it is back-pressured" in text(recent_duration_to_timeout_ratio=0.9)
    assert "Stop it with a savepoint" in text(recent_duration_to_timeout_ratio=0.01)
    assert "as the last 2 checkpoints did" in text(recent_duration_to_timeout_ratio=0.9, consecutive_failed=2)


def test_a_savepoint_that_has_time_is_advised_with_the_command_that_starts_the_job_from_it() -> None:
    stop, start = restart_of(timeout_ms=600_000, savepoint_dir="s3://b/savepoints")["command"].splitlines()
    assert stop == f"flink stop --savepointPath s3://b/savepoints {'f' * 32}"
    assert start == "flink run -d -s <savepoint-path> <jar>"


def test_the_worst_of_a_time_is_over_with_the_trouble_and_what_a_file_states_is_not() -> None:
    """A page said “not yet” of the longest checkpoint of a trouble that was over."""

    def missed(fact: str) -> Exit:
        return Exit(False, (Check(fact, "<", 0.5, 1.0, holds=False),))

    assert not missed("settings_check.longest_to_timeout_ratio").is_of_settings
    assert not missed("back_pressure.origin.busy_max_ratio").is_of_settings
    assert missed("settings_check.misspelt_count").is_of_settings


def test_the_place_of_a_change_stands_within_a_sentence() -> None:
    """`Change {name} from this:`: what else there is to say of the place is in brackets."""
    files = [each.file for runbook in runbooks().values() for step in runbook.steps for each in step.changes]
    with reading_in(CHINESE):
        chinese = [in_reader_language(each) for each in files]
    in_brackets = re.compile(r"\(.*?\)|\uff08.*?\uff09")
    breaks = re.compile("[:;\uff1a\uff1b]")
    assert not [each for each in [*map(str, files), *chinese] if breaks.search(in_brackets.sub("", each))]
