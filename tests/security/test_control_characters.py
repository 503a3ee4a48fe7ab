"""Control characters of evidence are shown in what leaves the workbench, never sent; no template leaves in an alert."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
import yaml

from diagnostics.diagnosis.terminal import render
from diagnostics.notation.control_characters import show_controls
from diagnostics.prevention.alert import Alert
from diagnostics.prevention.promtool import rules_file, unit_test
from diagnostics.prevention.series import CaseSeries, Series
from diagnostics.profiles.call_tree import collapsed
from tests.diagnostics.profiles.stack_rows import profiles_of_rows
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis
from workbench.history.fleet import as_csv, fleet
from workbench.untrusted.csv_cell import harmless_cell

HOSTILE = "\x1b]0;owned\x07 \x1b[2J \x00 \x08\x9b31m \u202e \u2066 \u2028 \ufeff \x85 {{{ printf }}} end"
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def steering(text: str) -> list[str]:
    """The characters that would steer what shows the text."""
    return [letter for letter in text if unicodedata.category(letter) in STEERING and letter not in "\t\n\r"]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, Größe 状态 x", "plain text, Größe 状态 x"),
        ("\U0001f469\u200d\U0001f4bb and a\tb", "\U0001f469\u200d\U0001f4bb and a\tb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\x85", "a\\nb\\x85"),
        ("\u202eabc\u2028", "\\u202eabc\\u2028"),
        ("", ""),
    ],
)
def test_only_what_steers_is_replaced_by_its_escape(text: str, shown: str) -> None:
    assert show_controls(text) == shown


@pytest.fixture
def analysis(people: People) -> Analysis:
    """A diagnosed case in which every text of others holds control characters."""
    analysis = diagnosed_case(people.alice)
    analysis.case.title = analysis.case.job_names = analysis.case.what_fixed_it = storable(HOSTILE)
    analysis.case.job_verdicts = [{"name": storable(HOSTILE), "symptom_class": "data_skew", "health": 40}]
    analysis.case.save()
    document = analysis.document
    for finding in document["findings"]:
        finding["title"] = finding["statement"] = finding["subject"]["vertex"] = storable(HOSTILE)
        for evidence in finding["evidence"]:
            evidence["text"] = evidence["file"] = storable(HOSTILE)
    for missing in document["missing_evidence"]:
        missing["what"] = missing["how"] = storable(HOSTILE)
    document["inputs"][0]["file"] = storable(HOSTILE)
    document["inputs"][0]["warnings"] = [storable(HOSTILE)]
    document["verdict"]["summary"] = storable(HOSTILE)
    analysis.save()
    return analysis


def storable(text: str) -> str:
    """The text as a database keeps it."""
    return text.replace("\x00", "\ufffd")


@pytest.mark.parametrize(
    "address", ["/reports/{case}/report.md", "/reports/{case}/post-mortem.md", "/reports/findings/{analysis}/0.md"]
)
def test_markdown_shows_control_characters(people: People, analysis: Analysis, address: str) -> None:
    answer = signed_in(people.alice).get(address.format(case=analysis.case_id, analysis=analysis.pk))
    text = answer.content.decode()
    assert "x1b" in text
    assert steering(text) == []


def test_the_files_of_alerts_can_be_read_and_hold_no_template_of_others(people: People, analysis: Analysis) -> None:
    for name in ("flink-alerts.yaml", "flink-alerts-test.yaml"):
        answer = signed_in(people.alice).get(f"/prevention/{analysis.case_id}/{name}")
        if answer.status_code == 200:
            assert steering(answer.content.decode()) == []
            assert "{{ printf" not in answer.content.decode()
            assert yaml.safe_load(answer.content.decode())


@pytest.mark.parametrize("braces", range(2, 8))
def test_no_run_of_braces_begins_a_template(braces: int) -> None:
    why = f"a {'{' * braces} printf {'}' * braces}"
    alert = Alert("A", "up", 0, "warning", "{job_name}", why, ("up",), lambda series: {})
    series = CaseSeries("job", 1, [Series("up", (), [1.0])])
    rule = yaml.safe_load(rules_file([alert], why))["groups"][0]["rules"][0]
    assert rule["annotations"]["summary"] == "{{ $labels.job_name }}"
    assert "{{" not in rule["annotations"]["description"]
    tested = unit_test([alert], series, f"{why} \x1b")
    assert tested is not None
    assert "{{" not in tested
    assert yaml.safe_load(tested)["rule_files"]


def test_csv_of_jobs_shows_control_characters(people: People, analysis: Analysis) -> None:
    text = as_csv(fleet(people.alice))
    assert steering(text) == []
    assert any(row[0].startswith("\\x1b]0;owned") for row in csv.reader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("value", "cell"),
    [("=1+1", "'=1+1"), ("\t=1", "'\t=1"), ("\x1b=1", "\\x1b=1"), ("a\r\nb", "a\\r\\nb"), (5, 5), (None, None)],
)
def test_a_cell_is_no_formula_and_steers_nothing(value: object, cell: object) -> None:
    assert harmless_cell(value) == cell


def test_collapsed_stacks_are_one_line_for_each_stack() -> None:
    frame = {"profile": "collapsed", "mode": "cpu", "frames": ["a\nb;c 5", HOSTILE], "weight": 3.0}
    row = {"job_id": None, "vertex_id": None, "vertex": None, "subtask": None, "thread": None, "state": None}
    [line] = collapsed(profiles_of_rows([{**row, "ts_ms": None, **frame}]), lambda sampling, leaf: True)
    assert steering(line) == []
    assert "\n" not in line
    assert line.startswith("a\\nb,c 5;")


def test_the_terminal_is_not_steered(analysis: Analysis) -> None:
    text = render(analysis.document)
    assert "\\x1b]0;owned" in text
    assert steering(text) == []
