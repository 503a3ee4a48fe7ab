"""A case as Markdown, HTML, PDF and JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from reportlab.pdfbase import pdfmetrics
from reportlab.platypus import Paragraph

from diagnostics.language import CHINESE
from tests.workbench.diagnosed import diagnosed_case, document_store
from tests.workbench.people import People, case_of, signed_in
from tests.workbench.reports.dated_findings import began, line_at, with_findings
from workbench.analyses.models import Analysis
from workbench.cases.services import case_close, case_rename
from workbench.languages.sentences import in_language
from workbench.reports.content import Report, report_of
from workbench.reports.markdown import as_markdown, as_post_mortem, change_lines, code, fenced, plain, with_code
from workbench.reports.pdf import CHINESE as CHINESE_FONT
from workbench.reports.pdf import FONT, as_pdf, flowables
from workbench.runbooks.plans import PlanShown

HOSTILE = "<img src=x> [click](javascript:x) `tick` 订单 *bold*"
STEP = "confirm-the-hot-subtask"
FORMS = ("detail", "markdown", "post_mortem", "html", "pdf", "json", "bundle")


def with_runbook(analysis: Analysis) -> Analysis:
    """The analysis whose first finding has the runbook for data skew."""
    analysis.document["findings"][0]["runbook"] = "data-skew"
    analysis.save(update_fields=["document"])
    return analysis


def fetched(people: People, analysis: Analysis, form: str) -> bytes:
    answer = signed_in(people.alice).get(reverse(f"reports:{form}", args=[analysis.case_id]))
    assert answer.status_code == 200
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_markdown_shows_verdict_findings_with_their_lines_and_the_timeline(analysis: Analysis) -> None:
    text = as_markdown(report_of(analysis.case), "http://here/cases/1/")

    assert text.startswith("# Orders are late\n\n**Data skew, 90 % sure, health ")
    assert "### Root cause: One subtask takes most of the records" in text
    assert "- `logs/tm.log:2` `numRecordsIn 900" in text
    assert "- What fixed it: Salted the key" in text
    assert "bob closed the case. Confirmed cause: Data skew: Salted the key" in text


def test_one_finding_is_copied_with_its_lines_and_its_address(people: People, analysis: Analysis) -> None:
    text = signed_in(people.vera).get(reverse("reports:finding", args=[analysis.pk, 0])).content.decode()

    assert text.startswith("### Root cause: One subtask takes most of the records\n\nWindow\n\nWindow has a skew of")
    assert "- `logs/tm.log:2` `numRecordsIn 900" in text
    assert text.endswith(f"<http://testserver{analysis.case.get_absolute_url()}#finding-0>\n")


def test_one_step_is_copied_with_its_commands_and_who_did_it(people: People) -> None:
    analysis = with_runbook(diagnosed_case(people.alice))
    signed_in(people.bob).post(reverse("runbooks:step", args=[analysis.pk, 0, STEP]), {"state": "done"})

    text = signed_in(people.vera).get(reverse("reports:step", args=[analysis.pk, 0, STEP])).content.decode()

    assert text.startswith("### 1. ")
    assert "```\ncurl " in text
    assert f"/vertices/{'b' * 32}" in text
    assert "\nbob done, 20" in text
    assert text.endswith(f"<http://testserver{reverse('runbooks:detail', args=[analysis.pk, 0])}#step-{STEP}>\n")


def test_a_report_of_two_jobs_tells_whose_each_finding_and_runbook_is(people: People) -> None:
    """Both had them once each, in one list, and the step of the healthy job was called the next one."""
    analysis = with_runbook(diagnosed_case(people.alice))
    [finding], [job] = analysis.document["findings"], analysis.document["jobs"]
    other = {**job, "job_id": "c" * 32, "name": "Views", "health": 96, "verdict": {**job["verdict"]}}
    other["verdict"]["symptom_class"] = "healthy"
    subject = {**finding["subject"], "job": other["job_id"]}
    analysis.document["jobs"].append(other)
    analysis.document["findings"].append({**finding, "subject": subject, "severity": "info", "role": "contributing"})
    document_store(analysis)

    text = as_markdown(report_of(analysis.case), "http://here/")
    page = fetched(people, analysis, "html").decode()

    assert f"- Jobs: Orders (data skew, health {job['health']}), Views (healthy, health 96)\n" in text
    assert "### Root cause: One subtask takes most of the records\n\nOrders · Window\n" in text
    assert "### Contributing: One subtask takes most of the records\n\nViews · Window\n" in text
    ill, healthy = (line for line in text.splitlines() if " steps done or skipped" in line)
    assert " · Orders: 0 of" in ill
    assert "; next: " in ill
    assert " · Views: " in healthy
    assert healthy.endswith("; the job is healthy: nothing of this is worth a restart of its own.")
    assert page.count('<ol class="steps"><li') == 1, "the steps of the healthy job are not told"


def test_a_part_that_is_not_there_or_of_a_stranger_is_not_copied(people: People, analysis: Analysis) -> None:
    finding = reverse("reports:finding", args=[analysis.pk, 0])
    assert signed_in(people.charlie).get(finding).status_code == 404
    assert signed_in(people.charlie).get(reverse("reports:step", args=[analysis.pk, 0, STEP])).status_code == 404
    assert signed_in(people.alice).get(reverse("reports:finding", args=[analysis.pk, 9])).status_code == 404
    assert signed_in(people.alice).get(reverse("reports:step", args=[analysis.pk, 0, STEP])).status_code == 404


def test_a_block_of_code_ends_where_it_should() -> None:
    assert list(fenced("a\n```\nb")) == ["````", "a", "```", "b", "````", ""]


def test_code_that_a_plan_offers_after_a_look_keeps_its_lines(analysis: Analysis) -> None:
    code_lines = "int a = 1; // first\nint b = 2;"
    one = {"kind": "code", "file": "the job", "from": "", "to": code_lines, "unset": [], "instead": False}
    other = one | {"from": "a();", "to": "long a = 1;", "unset": ["It needs an import."], "instead": True}
    offered = {"question": "Is it large?", "only_if": "it is", "changes": [one, other]}
    empty: dict[str, Any] = {"changes": [], "left_out": [], "restart": None, "remark": "", "look_first": False}
    empty["at_once"] = [{"text": "Read its body.", "look": [{"what": "The body", "command": "psql -c x"}]}]
    report = report_of(analysis.case)
    shown = PlanShown(None, empty | {"open": [offered]}, [], "", "")

    text = as_markdown(replace(report, plans=[shown]), "http://here/")

    assert "**First, without a restart**\n\nRead its body.\n\nThe body\n\n```\npsql -c x\n```\n\n" in text
    assert f"Is it large? If it is:\n\nAdd to the job:\n\n```\n{code_lines}\n```\n\nOr, instead:\n\n" in text
    assert "```\na();\n```\n\nto this:\n\n```\nlong a = 1;\n```\n\nIt needs an import." in text


def test_the_plan_is_in_the_pdf_in_the_language_of_its_reader(analysis: Analysis) -> None:
    change = {"file": "config.yaml", "kind": "config", "from": "", "to": "a:\n  b: 1", "unset": []}
    code_change = {"kind": "code", "file": "the job", "from": "", "to": "int a = 1;", "unset": [], "instead": False}
    offered = {"question": "Is it large?", "only_if": "it is", "changes": [code_change]}
    useless = {"value": "timeout: 2 min", "runbook": "Expired", "because": "Data skew"}
    restart = {"look": "flink list", "text": "It restarts.", "command": "flink run a.jar"}
    plan = {"changes": [change], "open": [offered], "left_out": [useless], "restart": restart, "remark": "A remark."}
    plan |= {"look_first": False, "at_once": [{"text": "Read it.", "look": [{"what": "Body", "command": "psql -c x"}]}]}
    report = replace(report_of(analysis.case), plans=[PlanShown("orders", plan, [], "", "")])

    text = pdf_text(report)
    assert (
        "One plan for orders\nA remark.\nFirst, without a restart\nRead it.\nBody\npsql -c x\n"
        "Add to config.yaml:\na:\n\u00a0\u00a0b: 1\nIt restarts.\nflink list\nflink run a.jar" in text
    )
    assert "Only after a look\nIs it large? If it is:\nAdd to the job:\nint a = 1;" in text
    assert "Left out\ntimeout: 2 min (Expired): no help against Data skew" in text
    with in_language(CHINESE):
        assert "orders 的统一方案" in pdf_text(report)


def test_a_decided_change_does_not_stand_below_a_look_that_does_not_decide_on_it(analysis: Analysis) -> None:
    change = {"file": "config.yaml", "kind": "config", "from": "", "to": "a:\n  b: 1", "unset": []}
    code_change = {"kind": "code", "file": "the job", "from": "", "to": "int a = 1;", "unset": [], "instead": False}
    offered = {"question": "Is it large?", "only_if": "it is", "changes": [code_change]}
    plan = {"changes": [change], "open": [offered], "left_out": [], "restart": None, "remark": "", "at_once": []}
    report = replace(report_of(analysis.case), plans=[PlanShown("orders", plan | {"look_first": True}, [], "", "")])

    said = "Only after a look\nIs it large? If it is:\nAdd to the job:\nint a = 1;\nBeside that, in the same restart\n"
    assert f"{said}Add to config.yaml:" in pdf_text(report)
    text = as_markdown(report, "http://here/")
    assert "```\nint a = 1;\n```\n\n**Beside that, in the same restart**\n\nAdd to config.yaml:" in text


def pdf_text(report: Report) -> str:
    assert as_pdf(report, "http://here/").startswith(b"%PDF-")
    parts = flowables(report, "http://here/")
    return "\n".join(part.getPlainText(identify=1) for part in parts if isinstance(part, Paragraph))


def test_an_open_cases_report_says_what_comes_next(people: People) -> None:
    analysis = with_runbook(diagnosed_case(people.alice))
    text = as_markdown(report_of(analysis.case), "http://here/cases/1/")
    assert (
        "## What to do\n\n- One subtask does most of the work: 0 of 5 steps done or skipped, 1 already met by the "
        "evidence; next: Is it one key" in text
    )
    case_close(case=analysis.case, user=people.alice, confirmed_class="data_skew", what_fixed_it="Salted the key")
    assert "## What to do" not in as_markdown(report_of(analysis.case), "http://here/cases/1/")


def test_nothing_in_a_report_is_markup_of_somebody_else() -> None:
    assert plain(HOSTILE) == r"\<img src=x\> \[click\](javascript:x) \`tick\` 订单 \*bold\*"
    assert code("a `b` c") == "`` a `b` c ``"


def test_code_in_a_text_of_ours_stays_code_and_the_rest_is_no_markup() -> None:
    assert with_code("the commands after `#`; a_b") == r"the commands after `#`; a\_b"
    assert with_code("an odd ` and <b>") == r"an odd \` and \<b\>"
    assert with_code("empty `` and *x*") == r"empty \`\` and \*x\*"


def test_one_html_file_asks_for_nothing_else_and_runs_nothing(people: People, analysis: Analysis) -> None:
    case_rename(case=analysis.case, user=people.alice, title=HOSTILE)

    page = fetched(people, analysis, "html").decode()

    assert "&lt;img src=x&gt;" in page
    assert "<script" not in page
    assert " src=" not in page.replace("&lt;img src=x&gt;", "")
    assert "stylesheet" not in page


def test_a_pdf_is_made_of_any_letters(people: People, analysis: Analysis) -> None:
    case_rename(case=analysis.case, user=people.alice, title=HOSTILE)
    assert fetched(people, analysis, "pdf").startswith(b"%PDF-")


def test_a_report_in_chinese_has_full_width_punctuation_between_its_words(analysis: Analysis) -> None:
    analysis.case.title = "订单富化 反压"
    with in_language(CHINESE):
        report = report_of(analysis.case)
        text, pdf = as_markdown(report, "http://here/"), as_pdf(report, "http://here/")
        text += as_post_mortem(report, "http://here/")
    assert re.search(r"[\u4e00-\u9fff]", text)
    lines = [line for line in text.splitlines() if not line.startswith("- `")]
    ours = r"[\u4e00-\u9fff][,:] |[\u4e00-\u9fff\u3002] ?\(|[\u3002\uff0c\uff1a] "
    assert [line for line in lines if re.search(ours, line)] == []
    of_every_reader = {b"Helvetica"}  # ReportLab names it and no text uses it
    fonts = set(re.findall(rb"/BaseFont /([\w+-]+)", pdf)) - of_every_reader
    embedded = set(re.findall(rb"/FontFile2 .*?/FontName /([\w+-]+)", pdf, re.DOTALL))
    assert any(b"WenQuanYi" in font for font in fonts)
    assert fonts == embedded, "a reader of the PDF needs a font of its own"


def test_every_character_that_the_workbench_writes_has_a_glyph_in_a_pdf(analysis: Analysis) -> None:
    as_pdf(report_of(analysis.case), "http://here/")
    glyphs = {letter for font in (FONT, CHINESE_FONT) for letter in pdfmetrics.getFont(font).face.charToGlyph}
    texts = [*settings.BASE_DIR.glob("*/locale/*/*/*.po"), *settings.BASE_DIR.glob("diagnostics/**/*.yaml")]
    missing = {letter for path in texts for letter in path.read_text() if ord(letter) not in glyphs and letter > "~"}
    assert texts
    assert missing == set()


def test_json_holds_the_case_its_timeline_and_the_document(people: People, analysis: Analysis) -> None:
    told = json.loads(fetched(people, analysis, "json"))

    assert told["diagnosis"] == analysis.document
    assert told["case"]["confirmed_class"] == "data_skew"
    assert [entry["text"] for entry in told["timeline"]][-2:] == [
        "wrote",
        "closed the case. Confirmed cause: Data skew",
    ]


def test_a_case_without_a_diagnosis_has_a_report_that_says_so(people: People) -> None:
    assert "There is no diagnosis yet." in as_markdown(report_of(case_of(people.alice)), "http://here/")


@pytest.mark.parametrize("form", FORMS)
def test_a_stranger_gets_no_report(people: People, analysis: Analysis, form: str) -> None:
    address = reverse(f"reports:{form}", args=[analysis.case_id])
    assert signed_in(people.charlie).get(address).status_code == 404


def test_a_viewer_may_take_a_report_along(people: People, analysis: Analysis) -> None:
    assert signed_in(people.vera).get(reverse("reports:markdown", args=[analysis.case_id])).status_code == 200


def test_a_report_begins_with_what_to_do_and_shows_the_charts_and_steps(people: People) -> None:
    analysis = with_runbook(diagnosed_case(people.alice))
    levels = {"INFO": {"0": 40, "1": 30}, "ERROR": {"1": 2}}
    times = {"from_ms": 1_700_000_000_000, "to_ms": 1_700_000_020_000, "slot_ms": 10_000, "slots": 2}
    analysis.charts.filter(chart_id="log-volume").update(points={**times, "levels": levels})

    page = fetched(people, analysis, "html").decode()

    assert "Do first: Find the keys that Window gets." in page
    assert page.index("Do first:") < page.index("<svg ") < page.index("Is it one key") < page.index("<h2>Findings</h2>")
    assert page.count("<svg ") == 2, "for light and for dark pages"
    assert f"/vertices/{'b' * 32}" in page, "the commands of the steps"
    for form in ("markdown", "pdf"):
        assert fetched(people, analysis, form)
    assert "**Do first: Find the keys" in fetched(people, analysis, "markdown").decode()


def test_a_report_separates_what_happened_from_what_was_done_in_the_workbench(
    people: People, analysis: Analysis
) -> None:
    lost = line_at("01:00:26.000", "Association failed")
    with_findings(analysis, {"title": "Cut off", "onset": began("01:00:26.000"), "evidence": [lost]})

    page = fetched(people, analysis, "html").decode()

    happened, done = page.split("<h2>What was done in the workbench (UTC)</h2>")
    assert "<td>2026-11-20 01:00:26</td><td>Cut off" in happened.split("<h2>What happened (UTC)</h2>")[1]
    assert "closed the case" in done


def test_a_command_replaces_no_text(people: People) -> None:
    """The report said to change the shell from "the job runs with the larger heap" to a command."""
    change = {
        "kind": "command",
        "file": "the shell",
        "from": "the job runs",
        "to": "flink stop",
        "only_if": "",
        "unset": [],
    }
    assert list(change_lines(change)) == ["the shell: run", "", "```", "flink stop", "```", ""]
