"""Runbooks filled with a case's values, and who did which step."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis
from workbench.cases.templatetags.diagnosis import has_code
from workbench.runbooks.filling import RunbookProgress, StepShown, runbook_progress
from workbench.runbooks.models import StepRecord
from workbench.runbooks.plans import change_to_plan, no_help_now, runbook_to_begin, same_restarts
from workbench.runbooks.views import _restart_now

STEP = "confirm-the-hot-subtask"


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A finished analysis whose first finding has the runbook for data skew."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0]["runbook"] = "data-skew"
    analysis.save(update_fields=["document"])
    return analysis


def page_of(analysis: Analysis) -> str:
    return reverse("runbooks:detail", args=[analysis.pk, 0])


def step_of(analysis: Analysis, step: str = STEP) -> str:
    return reverse("runbooks:step", args=[analysis.pk, 0, step])


def test_commands_hold_the_values_of_the_case(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()

    assert "One subtask does most of the work" in page
    assert f"/jobs/{'a' * 32}/vertices/{'b' * 32}" in page
    assert "Copy" in page


def test_a_step_remembers_who_did_it_and_the_note_is_escaped(people: People, analysis: Analysis) -> None:
    signed_in(people.bob).post(step_of(analysis), {"state": "done", "note": "one key <b>hot</b>"})

    page = signed_in(people.alice).get(page_of(analysis)).content.decode()

    record = StepRecord.objects.get()
    assert (record.by, record.state, record.job) == (people.bob, "done", "a" * 32)
    assert "bob <strong>done</strong>" in page
    assert "one key &lt;b&gt;hot&lt;/b&gt;" in page
    assert runbook_progress(analysis)[0].settled == 1


def test_the_last_word_on_a_step_counts_and_the_earlier_ones_are_kept(people: People, analysis: Analysis) -> None:
    bob = signed_in(people.bob)
    for state in ("done", "open", "failed"):
        bob.post(step_of(analysis), {"state": state})

    assert StepRecord.objects.count() == 3
    assert runbook_progress(analysis)[0].settled == 0
    page = bob.get(page_of(analysis)).content.decode()
    assert 'class="step failed"' in page
    done = page.partition("What was done, 3 times")[2]
    assert StepRecord.objects.first().question in done  # type: ignore[union-attr]
    assert f"{STEP}: " not in done
    assert page.count("after the one before") == 2


def test_a_change_that_did_not_help_says_how_it_is_taken_back(people: People, analysis: Analysis) -> None:
    bob = signed_in(people.bob)
    assert "take it back" not in bob.get(page_of(analysis)).content.decode()
    bob.post(step_of(analysis, "salt-the-hot-key"), {"state": "failed"})
    assert "take it back before the next step: Deploy the former JAR" in bob.get(page_of(analysis)).content.decode()


def test_nonsense_is_not_recorded(people: People, analysis: Analysis) -> None:
    bob = signed_in(people.bob)

    assert bob.post(step_of(analysis, "no-such-step"), {"state": "done"}).status_code == 404
    bob.post(step_of(analysis), {"state": "perhaps"})
    assert bob.get(reverse("runbooks:detail", args=[analysis.pk, 99])).status_code == 404
    assert not StepRecord.objects.exists()


def test_strangers_see_nothing_and_viewers_only_read(people: People, analysis: Analysis) -> None:
    assert signed_in(people.charlie).get(page_of(analysis)).status_code == 404
    assert signed_in(people.charlie).post(step_of(analysis), {"state": "done"}).status_code == 404
    page = signed_in(people.vera).get(page_of(analysis)).content.decode()
    assert "Did not help" not in page
    assert signed_in(people.vera).post(step_of(analysis), {"state": "done"}).status_code == 403


def test_a_finding_without_a_runbook_has_no_page(people: People, analysis: Analysis) -> None:
    analysis.document["findings"][0]["runbook"] = None
    analysis.save(update_fields=["document"])

    assert signed_in(people.bob).get(page_of(analysis)).status_code == 404


@pytest.mark.parametrize(
    ("failed", "headline"),
    [
        (0, "After a stop with a savepoint nothing is repeated. The job is 60 s behind when it runs again and needs 2"),
        (
            3,
            "last completed checkpoint. The job is 70 s behind when it runs again and needs 2 min 20 s",
        ),
    ],
)
def test_a_step_that_restarts_says_what_a_restart_costs_here(
    people: People, analysis: Analysis, failed: int, headline: str
) -> None:
    """A minute down at 100/s is 6,000 records, with 10 s back 7,000; 50/s to spare take 120 and 140 s. A savepoint
    would fail as the checkpoints do.
    """
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    assert "How far back, and how long to catch up?" in page
    measured = {
        "checkpoint_progress": {"goes_back_ms": 10_000, "consecutive_failed": failed},
        "throughput": {"before_per_s": 100},
        "record_rate": {"ceiling_total_per_s": 150},
    }
    for key, facts in measured.items():
        signal = {"key": key, "level": "job", "subject": {"job": "a" * 32}, "facts": facts}
        analysis.signals.append({**signal, "citations": [], "citation_count": 0, "window": None})
    analysis.save(update_fields=["signals"])
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    assert headline in page


def test_what_no_evidence_holds_is_listed_once_with_a_field(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()

    for name in ("jobmanager", "jar", "savepoint-directory"):
        assert page.count(f'data-name="{name}"') == 1
    assert 'data-name="String"' not in page


def test_a_comment_alone_is_not_offered_to_be_pasted() -> None:
    assert has_code("// wait\nThread.sleep(200L);")
    assert not has_code("// at most 4 requests\n\n# and a pause")


def test_a_command_is_shown_to_be_run_and_not_as_a_difference() -> None:
    change = {"kind": "command", "file": "the shell", "from": "the job is FAILED", "to": "flink run job.jar"}
    shown = render_to_string("runbooks/_command.html", {"each": change})

    assert "<code>flink run job.jar</code>" in shown
    assert "FAILED" not in shown


def test_a_healthy_job_has_no_next_step_but_one_for_the_next_deployment(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    assert '<span class="badge info">Next</span>' in page
    assert 'class="restart" open' not in page

    for each in (analysis.document["verdict"], *(job["verdict"] for job in analysis.document["jobs"])):
        each["symptom_class"] = "healthy"
    analysis.save(update_fields=["document"])
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    assert '<span class="badge info">Next</span>' not in page
    assert '<span class="badge info">With the next deployment</span>' in page
    restart = page.partition('<details class="restart">')[2].partition("</details>")[0]
    assert "nothing of this is worth a restart of its own" in restart.partition("<pre>")[0]


def test_the_commands_of_a_restart_are_shown_once_and_later_steps_refer_to_them() -> None:
    def step(number: int, command: str, text: str = "Stop it:", state: str = "open", **content: Any) -> StepShown:
        restart = {"restart": True, "savepoint": {"text": text, "command": command}, "left_out": None}
        return StepShown(number, {"id": f"s{number}", **restart, **content}, StepRecord(state=state))

    steps = [
        step(1, "flink stop", state="done"),
        step(2, "flink stop"),
        step(3, "flink stop\n# jobmanager.sh stop", "Stop it."),
        step(4, "flink stop", "Build the JAR. Stop it:"),
        step(5, "taskmanager.sh stop"),
        step(6, "flink cancel"),
    ]

    assert {name: (same.number, same.text) for name, same in same_restarts(steps).items()} == {
        "s3": (2, ""),
        "s4": (2, "Build the JAR."),
    }


def test_settings_that_do_not_help_against_the_root_cause_say_so_beside_the_change() -> None:
    lines = ("execution.checkpointing.interval: 100 s", "execution.checkpointing.mode: EXACTLY_ONCE")
    interval = {"kind": "config", "to": "\n".join(lines)}
    step = StepShown(1, {"id": "interval", "change": [interval]}, None)
    known: dict[str, Any] = {"job": "", "settled": 0, "total": 1, "met": 0, "next_question": None, "restarts": True}
    known |= {"left_out": 0}
    useless = ["execution.checkpointing.interval", "execution.checkpointing.timeout"]
    skew = RunbookProgress(0, "data-skew", "One subtask does most of the work", "root_cause", **known, useless=useless)
    settings = RunbookProgress(1, "misconfiguration", "Settings", "contributing", **known)

    assert no_help_now([step], "misconfiguration", [skew, settings]) == {
        "interval": "No help against “One subtask does most of the work”: execution.checkpointing.interval. Repair "
        "that first, and then look at this again."
    }
    assert no_help_now([step], "misconfiguration", [skew, settings], is_over=True) == {
        "interval": "No help against “One subtask does most of the work”: execution.checkpointing.interval. That is "
        "over: nothing has to be changed here."
    }
    assert no_help_now([step], "data-skew", [skew, settings]) == {}
    assert no_help_now([step], "misconfiguration", []) == {}


def test_a_page_without_a_change_of_its_own_names_the_runbook_whose_change_is_due() -> None:
    """It said “Plan this change for today” where nothing had to be done, and sent to the root cause's runbook first."""
    known: dict[str, Any] = {"job": "", "settled": 0, "met": 0, "left_out": 0, "next_question": None, "restarts": True}
    retention = StepShown(1, {"id": "retention", "changes_something": True, "left_out": None}, None)
    declined = RunbookProgress(0, "checkpoint-declined", "Declined", "root_cause", **known, total=0)
    settings = RunbookProgress(1, "misconfiguration", "Settings", "contributing", **known, total=1, steps=[retention])

    assert change_to_plan(settings, [declined, settings]) == "Plan this change for today."
    assert change_to_plan(declined, [declined, settings]) == "Plan the change of “Settings” for today."
    assert change_to_plan(declined, []) == ""
    assert runbook_to_begin([declined, settings], is_over=True) is settings
    assert runbook_to_begin([declined, settings], is_over=False) is None, "the root cause goes on"
    assert runbook_to_begin([settings, declined], is_over=True) is None
    assert runbook_to_begin([], is_over=True) is None


def test_a_step_that_helps_only_after_the_root_cause_is_not_counted_and_not_the_next(
    people: People, analysis: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader who made all changes of both runbooks together copied what the plan had left out."""
    causes = [
        {"role": role, "subject": {"job": "a" * 32}, "runbook": book}
        for role, book in (("root_cause", "data-skew"), ("contributing", "misconfiguration"))
    ]
    decided = {"sure": True, "only_if": None}
    interval = {"kind": "config", "to": "execution.checkpointing.interval: 100 s", **decided}
    content: dict[str, Any] = {"id": "s", "question": "?", "left_out": None, "restart": True, "change": [interval]}
    content["savepoint"] = None

    def shown(runbook: Any, *_: Any) -> Any:
        useless = ["execution.checkpointing.interval"] if runbook.id == "data-skew" else []
        split = {**content, "change": [{"kind": "code", "to": "split()", **decided}]}
        steps = [StepShown(1, split if useless else content, None)]
        return {"id": runbook.id, "title": runbook.title, "useless": useless}, steps

    monkeypatch.setattr("workbench.runbooks.filling._steps_shown", shown)
    analysis.document["findings"] = causes
    root, settings = runbook_progress(analysis).values()
    assert (root.total, root.waiting) == (1, 0)
    assert (settings.total, settings.waiting, settings.next_question) == (0, 1, None)
    assert settings.course == "none of its steps has to be done, 1 waits for the repair of the root cause"


@pytest.mark.parametrize(("only_if", "waiting"), [("the system takes many requests", 1), (None, 0)])
def test_a_risky_setting_waits_where_a_restart_now_goes_back_further_than_one_after_the_repair(
    people: People, analysis: Analysis, monkeypatch: pytest.MonkeyPatch, only_if: str | None, waiting: int
) -> None:
    """A cancellation now lost 100,000 records for a setting that repairs nothing. Where the repair itself restarts the
    job, the setting is made in the same restart.
    """
    analysis.document["findings"] = [
        {"role": role, "subject": {"job": "a" * 32}, "runbook": book}
        for role, book in (("root_cause", "data-skew"), ("contributing", "misconfiguration"))
    ]
    after = {"text": "", "look": "", "command": "flink stop", "repeats": False, "later": None}
    way = {"text": "", "look": "", "command": "flink cancel", "repeats": True, "later": after}
    content: dict[str, Any] = {"id": "s", "question": "?", "left_out": None, "restart": True, "savepoint": way}
    repair = {"kind": "code", "to": "split()", "sure": True, "only_if": only_if}
    setting = {"kind": "config", "to": "a.b: c", "sure": True, "only_if": None}

    def shown(runbook: Any, *_: Any) -> Any:
        changes = [repair if runbook.id == "data-skew" else setting]
        return {"id": runbook.id, "title": "Split it", "useless": []}, [
            StepShown(1, {**content, "change": changes}, None)
        ]

    monkeypatch.setattr("workbench.runbooks.filling._steps_shown", shown)
    root, settings = runbook_progress(analysis).values()
    assert (root.waiting, settings.waiting) == (0, waiting)
    [step] = settings.steps
    assert step.content["savepoint"] == (after if waiting else way), "the commands for after the repair, not for now"
    reasons = no_help_now(settings.steps, "misconfiguration", [root, settings])
    assert reasons == (
        {
            "s": "Repair “Split it” first: then the job can be stopped with a savepoint, and a restart costs less than "
            "one now."
        }
        if waiting
        else {}
    )


def test_nothing_is_held_back_any_more_when_a_step_that_waits_restarts_the_job() -> None:
    """Its stop comes after the repair: what waits in the source's memory now has been worked off by then."""
    owes: dict[str, Any] = {
        "delivery_guarantee.source": "at most once",
        "job_code.owes_by_clock": True,
        "job_code.sources_by_clock": ["Orders.sent (line 9)"],
        "throughput.held_at_end": 47_000.0,
        "throughput.before_per_s": 400.0,
        "throughput.after_per_s": 67.0,
    }
    content = {"savepoint": {"text": "", "look": "", "command": "flink stop", "repeats": False, "later": None}}
    now, later = (
        _restart_now(StepShown(1, content, None, waits=waits), owes.get).outcome.headline for waits in (False, True)
    )
    assert "the 47,000 records that are held back now" in now
    assert "held back" not in later
    assert "about 24,000 records if it is down for 60 s" in later


def test_a_step_that_is_not_this_case_s_way_has_no_commands_that_stop_the_job(
    people: People, analysis: Analysis
) -> None:
    """It is folded, and a copied `flink cancel` of it would cost the job its records for nothing."""
    no_sql = {"key": "job_overview", "level": "job", "subject": {"job": "a" * 32}, "facts": {"is_sql": False}}
    others = [each for each in analysis.signals if each["key"] != "job_overview"]
    analysis.signals = [*others, {**no_sql, "citations": [], "citation_count": 0}]
    analysis.save(update_fields=["signals"])
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    parts = page.split('<li class="step ')
    left_out = [each for each in parts[1:] if each.startswith("left-out")]
    assert [each for each in left_out if "two-phase" in each], "the step for SQL jobs, all the same"
    assert not [each for each in left_out if "Stop and start the job" in each]


def test_the_answer_that_decides_about_alternatives_stands_before_the_first_of_them(
    people: People, analysis: Analysis
) -> None:
    analysis.document["findings"][0]["runbook"] = "resource-shortage"
    job = {"level": "job", "subject": {"job": "a" * 32}, "citations": [], "citation_count": 0}
    heap = {"live_ratio": 0.86, "rocksdb_process_mib": 1069, "process_mib": 798}
    heap |= {"rocksdb_managed_mib": 287, "task_heap_mib": 190, "needed_process_mib": 992}
    settings = {"key": "settings", "facts": {"state_backend": "hashmap"}}
    analysis.signals = [*analysis.signals, {**job, "key": "heap_pressure", "facts": heap}, {**job, **settings}]
    analysis.save(update_fields=["document", "signals"])

    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    assert page.count("Only if the job runs with the larger heap, and its state still grows:") == 1
    answered = page.partition("Only if the job runs with the larger heap, and its state still grows:")[2]
    after = answered.index("Only if the state is off the heap, and the job needs each entry for some time only:")
    assert answered.index("rocksdb") < after < answered.index("enableTimeToLive")
    assert "Or, instead:" not in answered[:after]
