"""The gathered incidents: their form, their halves, and that every quoted line reaches the files that are diagnosed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from diagnostics.symptoms import INCONCLUSIVE, symptoms
from tests.incidents.gathered_incidents import (
    ASIDE,
    HALVES,
    KINDS,
    PARTS,
    SHOWN,
    GatheredIncident,
    Half,
    Quoted,
    gathered_incidents,
    half_of,
    incident_of,
    rows_of,
)

TIME_OF_A_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d{3} ")
REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "incidents-public.jsonl"
TEXTS = ("id", "url", "flink_version", "symptom_seen", "root_cause", "symptom_class", "fix")


@pytest.mark.parametrize("half", PARTS)
def test_every_row_has_the_form(half: Half) -> None:
    for row in rows_of(half):
        assert all(isinstance(row[field], str) and row[field] for field in TEXTS), row["url"]
        assert row["cause_basis"] in ("stated", "inferred"), row["url"]
        assert row["confidence"] in ("high", "medium", "low"), row["url"]
        assert row["signals"], row["url"]
        assert str(row["url"]).startswith(("https://", "http://")), row["url"]


@pytest.mark.parametrize("half", PARTS)
def test_every_class_and_kind_of_evidence_is_known(half: Half) -> None:
    for incident in gathered_incidents(half):
        assert {incident.symptom_class, *incident.also_right} <= {*symptoms(), INCONCLUSIVE}, incident.url
        assert incident.evidence, incident.url
        assert {each.kind for each in incident.evidence} <= KINDS, incident.url
        assert all(each.text.strip() for each in incident.evidence), incident.url


@pytest.mark.parametrize("half", PARTS)
def test_keywords_of_a_fix_are_lower_case_words(half: Half) -> None:
    for incident in gathered_incidents(half):
        words = [word for each in incident.fix_keywords for word in each]
        assert words, incident.url
        assert all(word and word == word.lower() for word in words), incident.url


@pytest.mark.parametrize("half", HALVES)
def test_the_hash_of_the_address_decides_the_half(half: Half) -> None:
    assert {half_of(each.url) for each in gathered_incidents(half) if each.id not in SHOWN} == {half}
    assert {row["split"] for row in rows_of(half)} == {half}


def test_what_was_shown_is_of_no_exam_any_more() -> None:
    assert not {each.id for half in ASIDE for each in gathered_incidents(half)} & set(SHOWN)
    assert set(SHOWN) <= {each.id for each in gathered_incidents("open")}


def test_an_address_and_an_id_stand_only_once() -> None:
    everything = [each for half in PARTS for each in gathered_incidents(half)]
    assert len({each.url for each in everything}) == len(everything)
    assert len({each.id for each in everything}) == len(everything)


def test_no_address_is_one_of_the_reference() -> None:
    if not REFERENCE.is_file():
        pytest.skip("the reference is not on this machine")
    known = {json.loads(line)["url"] for line in REFERENCE.read_text("utf-8").splitlines()}
    assert not known & {each.url for half in PARTS for each in gathered_incidents(half)}


@pytest.mark.parametrize("half", PARTS)
def test_every_quoted_line_reaches_a_file(half: Half, tmp_path: Path) -> None:
    for incident in gathered_incidents(half):
        folder = tmp_path / incident.id
        folder.mkdir()
        incident.write(folder)
        written = "\n".join(each.read_text("utf-8") for each in folder.iterdir())
        for quoted in incident.evidence:
            if quoted.kind != "metrics":
                last = quoted.text.strip().splitlines()[-1].rpartition(" - ")[2].strip()
                assert TIME_OF_A_LINE.sub("", last)[-40:] in written, incident.url


def test_a_quoted_record_gets_the_layout_of_the_logs_and_a_time_after_the_background(tmp_path: Path) -> None:
    text = "2019-10-15 12:33:53,699 [main] WARN org.example.Thing - first\n\tat org.example.Thing.do\nlast"
    later = "2019-10-15 12:34:03,699 INFO org.example.Other [] - second"
    _incident(Quoted("taskmanager_log", f"{text}\n{later}")).write(tmp_path)
    lines = (tmp_path / "taskmanager.log").read_text("utf-8").splitlines()[-4:]
    assert lines[0].startswith("2026-11-21 01:37:50,000 WARN  org.example.Thing ")
    assert lines[0].endswith("[] - first")
    assert lines[1:3] == ["\tat org.example.Thing.do", "last"]
    assert lines[3].startswith("2026-11-21 01:38:00,000 INFO  org.example.Other ")


def test_a_line_without_a_level_becomes_a_record_of_its_own(tmp_path: Path) -> None:
    _incident(Quoted("jobmanager_log", "Something failed.")).write(tmp_path)
    last = (tmp_path / "jobmanager.log").read_text("utf-8").splitlines()[-1]
    assert last.startswith("2026-11-21 01:37:50,050 ERROR root ")
    assert last.endswith("[] - Something failed.")


def test_a_record_in_hadoops_layout_keeps_its_level_and_logger(tmp_path: Path) -> None:
    _incident(Quoted("taskmanager_log", "22/08/26 20:39:54 ERROR Acme: no\n\tat org.acme.A.b")).write(tmp_path)
    record, frame = (tmp_path / "taskmanager.log").read_text("utf-8").splitlines()[-2:]
    assert record.startswith("2026-11-21 01:37:50,050 ERROR Acme ")
    assert (record[-7:], frame) == ("[] - no", "\tat org.acme.A.b")


def test_an_exception_is_what_a_task_failed_with(tmp_path: Path) -> None:
    _incident(Quoted("exception", "org.example.SinkException: no\n\tat org.example.Sink.invoke")).write(tmp_path)
    written = (tmp_path / "taskmanager.log").read_text("utf-8")
    assert "Sink: view-counts (1/1)" in written
    assert "switched from RUNNING to FAILED with failure cause:\norg.example.SinkException: no" in written


def test_the_times_of_a_clients_log_move_behind_the_background(tmp_path: Path) -> None:
    _incident(Quoted("client_log", "2022-05-08 18:19:26 ERROR no\n2022-05-08 18:19:36 ERROR again")).write(tmp_path)
    lines = (tmp_path / "client.log").read_text("utf-8").splitlines()
    assert [line[:16] for line in lines] == ["2026-11-21 01:37", "2026-11-21 01:38"]


@pytest.mark.parametrize(
    ("stated", "release"),
    [
        ("1.13.2 / 1.14.4", "1.13.2"),
        ("1.13", "1.13.0"),
        ("about 1.9", "1.9.0"),
        ("2.x (connector kafka 4.x)", None),
        ("unknown (StarRocks connector 1.2.x)", None),
    ],
)
def test_the_logs_name_the_release_that_a_thread_states(stated: str, release: str | None, tmp_path: Path) -> None:
    row = {
        "flink_version": stated,
        "evidence": [],
        "fix_keywords": [],
        "id": "",
        "url": "",
        "symptom_class": "",
        "fix": "",
    }
    incident_of(row, "open").write(tmp_path)
    written = (tmp_path / "taskmanager.log").read_text("utf-8")
    assert f"Starting TaskManager (Version: {release or '<unknown>'}, Scala: 2.12" in written
    assert (f"/flink-cep-{release}.jar" if release else "/flink-cep.jar") in written
    assert release == "1.20.5" or "1.20.5" not in written


def test_the_options_have_the_names_that_the_release_knows(tmp_path: Path) -> None:
    row = {**dict.fromkeys(("id", "url", "symptom_class", "fix"), ""), "evidence": [], "fix_keywords": []}
    incident_of({**row, "flink_version": "1.13.2"}, "open").write(tmp_path)
    written = (tmp_path / "jobmanager.log").read_text("utf-8")
    assert "state.checkpoints.dir, file:" in written
    assert "execution.checkpointing.dir" not in written
    assert "rest.flamegraph.enabled" in written
    incident_of({**row, "flink_version": "1.8"}, "open").write(tmp_path)
    written = (tmp_path / "jobmanager.log").read_text("utf-8")
    assert "rest.flamegraph.enabled" not in written
    assert "jobmanager.memory.process.size" not in written
    assert "parallelism.default" in written


def test_a_moving_metric_ends_at_its_last_value(tmp_path: Path) -> None:
    series = 'flink_taskmanager_job_task_numRecordsIn{task_name="t",subtask_index="0"} 10..33'
    _incident(Quoted("metrics", series)).write(tmp_path)
    values = [
        line.split()[-1] for line in (tmp_path / "taskmanager.prom").read_text("utf-8").splitlines() if "{" in line
    ]
    assert (values[0], values[-1]) == ("10.0", "33.0")


def test_a_fix_is_named_when_all_words_of_one_list_stand() -> None:
    incident = _incident(Quoted("exception", "x"))
    assert incident.names_fix("Set the Timeout above the interval.")
    assert not incident.names_fix("Set the timeout.")


def _incident(quoted: Quoted) -> GatheredIncident:
    return GatheredIncident(
        id="gat-000",
        url="https://example.org/thread",
        release=None,
        symptom_class="user_code",
        also_right=(),
        fix="A timeout above the interval.",
        fix_keywords=(("timeout", "interval"), ("other.option",)),
        evidence=(quoted,),
        half="open",
    )


def test_the_readme_counts_the_incidents() -> None:
    lines = (Path(__file__).parent / "gathered" / "README.md").read_text("utf-8").splitlines()
    classes = {incident.symptom_class for half in HALVES for incident in gathered_incidents(half)}
    counts = {
        name: [sum(each.symptom_class == name for each in gathered_incidents(half)) for half in HALVES]
        for name in classes
    }
    counts["all"] = [len(gathered_incidents(half)) for half in HALVES]
    assert {line for line in lines if line.startswith("| ") and line[-3].isdigit()} == {
        f"| {name} | {first} | {second} |" for name, (first, second) in counts.items()
    }
