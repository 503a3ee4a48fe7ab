"""Text of evidence is text wherever it comes out: in pages, figures, reports, exports, commands and programs.

A route that answers GET and is not in one of the tables fails the first test: whoever adds it says how it is read back.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from diagnostics.analyze import Report, analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case as Evidence
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.security import reading_back as back
from tests.security.hostile_evidence import PAYLOADS, hostile_zip
from tests.security.routes import Route, World, made_world, routes
from tests.security.test_routes import MAY, NO, UNNAMED
from tests.workbench.people import People, case_of
from workbench.analyses.log_books import log_books_write
from workbench.analyses.models import Analysis
from workbench.analyses.outcome import report_save
from workbench.analyses.services import analysis_claim, analysis_request
from workbench.cases.follow_ups import follow_up_add
from workbench.cases.services import note_add
from workbench.drills.models import Drill
from workbench.uploads.services import upload_add

Read = Callable[[bytes], Iterator[str]]

EXPORTS: Mapping[str, Read] = {
    "charts:csv": back.csv_faults,
    "charts:json": back.json_faults,
    "audit:export": back.csv_faults,
    "history:jobs_file": back.csv_faults,
    "profiles:stacks": back.text_faults,
    "rules:export": back.unchanged,  # rules are written by people of the workbench
    "runbooks:reproduce": back.python_faults,
    "prevention:archive": back.zip_faults,
    "prevention:file": back.yaml_faults,
    "reports:bundle": back.zip_faults,
    "reports:finding": back.markdown_faults,
    "reports:step": back.markdown_faults,
    "reports:markdown": back.markdown_faults,
    "reports:post_mortem": back.markdown_faults,
    "reports:html": back.html_faults,
    "reports:pdf": back.pdf_faults,
    "reports:json": back.json_faults,
    "uploads:download": back.unchanged,
    "analyses:document": back.json_faults,
    "collector": back.python_faults,
}
"""What is saved as a file, and how it is read back."""

FIGURES = ("charts:figure",)
"""JSON of which Plotly makes a picture, in which names and hover texts are markup."""

DATA: Mapping[str, Mapping[str, str]] = {
    "log_search": {"q": "checkpoint"},
    "logs:page": {"q": "checkpoint"},
    "logs:record": {"position": "0"},
    "charts:changes": dict.fromkeys(("normal", "bad"), "2026-01-01T00:00:00Z/2026-12-31T00:00:00Z"),
}
"""What is asked for."""

CARRIES = frozenset(
    {
        *("analyses:document", "api:case", "api:cases", "api:diagnosis", "cases:detail", "cases:files", "cases:list"),
        *("charts:csv", "charts:figure", "charts:table", "history:jobs", "history:jobs_file", "log_search"),
        *("logs:record", "logs:records", "prevention:archive", "prevention:detail", "prevention:file"),
        *("profiles:stacks", "profiles:tree", "reports:bundle", "reports:detail", "reports:finding", "reports:html"),
        *("reports:json", "reports:markdown", "reports:pdf", "reports:post_mortem"),
        *("runbooks:calculator", "runbooks:detail", "runbooks:proof", "runbooks:reproduce", "runbooks:what_if"),
        *("uploads:detail", "uploads:download", "uploads:format", "uploads:lines"),
    }
)
"""Routes whose answers hold text of the evidence here; else a test of them would prove nothing."""
MARKS = (b"x-hit", b"touch hit", b"91*1009", b"onfocus", b"javascript:hit")

BY_TYPE: Mapping[str, Read] = {
    "text/html": back.html_faults,
    "application/json": back.json_faults,
    "application/vnd.oai.openapi": back.text_faults,
    "text/javascript": back.text_faults,
    "text/plain": back.text_faults,
    "text/event-stream": back.text_faults,
}
"""How every other answer is read back, by its media type."""

GET = [route for route in routes() if route.name not in UNNAMED and MAY[route.name][0] != NO]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here, and nobody waits for a Spark server that is not there."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    monkeypatch.setattr("workbench.api.probes.PARTS", {})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, spark: Any) -> Report:
    """What the real analysis finds in the hostile incident."""
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "evidence.zip"
    path.write_bytes(hostile_zip())
    workspace = folder / "work"
    workspace.mkdir()
    source = SourceFile(path, "evidence.zip")
    return analyze(Evidence([source]), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace)


@dataclass(frozen=True, slots=True)
class HostileWorld:
    """The world of the routes, in which the case is the hostile one."""

    world: World
    analysis: Analysis

    def answers(self, route: Route) -> Iterator[tuple[str, Any]]:
        """What the route answers whoever may see most, at each of its places in the case."""
        for varies in self._variants(route):
            world = World(self.world.people, {**self.world.varies, **varies})
            address = world.address(route)
            visitor = "responder" if route.name.startswith("drills:") else "administrator"
            answer = world.ask(visitor, "GET", address, DATA.get(route.name))
            if answer.status_code not in (404, 403):
                yield address, answer

    def _variants(self, route: Route) -> Iterator[Mapping[str, Any]]:
        document = self.analysis.document
        if "position" in route.varies:
            yield from ({"position": number} for number in range(len(document["findings"])))
        elif "chart_id" in route.varies:
            yield from ({"chart_id": each} for each in self.analysis.charts.values_list("chart_id", flat=True))
        elif route.name == "prevention:file":
            names = ("flink-alerts.yaml", "flink-alerts-test.yaml", "flink-dashboard.json")
            yield from ({"prevention:file.name": name} for name in names)
        else:
            yield {}


@pytest.fixture
def hostile(people: People, queue: redis.Redis, report: Report) -> HostileWorld:
    world = made_world(people)
    case = case_of(people.alice, "")
    case.title = case.what_fixed_it = f"Slow {PAYLOADS[0]}{PAYLOADS[1]}{PAYLOADS[10]}"
    case.save()
    file = upload_add(case=case, user=people.alice, content=io.BytesIO(hostile_zip()), name="evidence.zip")
    note_add(case=case, user=people.alice, text="".join(PAYLOADS))
    follow_up = follow_up_add(case=case, user=people.alice, text="".join(PAYLOADS)[:400], owner=people.bob)
    analysis = analysis_request(case=case, user=people.alice)
    claim = analysis_claim(analysis)
    assert claim is not None
    assert report_save(analysis=analysis, claim=claim, report=report, warnings=[])
    analysis.refresh_from_db()
    log_books_write()
    Drill.objects.filter(pk=world.varies["drill_id"]).update(analysis=analysis)
    varies = {
        **world.varies,
        **dict.fromkeys(("analysis_id", "before_id", "after_id"), analysis.pk),
        "case_id": case.pk,
        "file_id": file.pk,
        "follow_up_id": follow_up.pk,
    }
    return HostileWorld(World(world.people, varies), analysis)


def test_every_route_that_answers_says_how_it_is_read_back() -> None:
    names = {route.name for route in GET}
    assert {*EXPORTS, *FIGURES, *DATA, *CARRIES} <= names, "there is no such route any more"
    exports = {name for name in names if name.partition(":")[0] in ("reports", "prevention", "charts")}
    pages = {
        "reports:import",
        "reports:detail",
        "prevention:detail",
        "prevention:chart",
        "charts:table",
        "charts:changes",
    }
    assert exports - pages <= {*EXPORTS, *FIGURES}, "add it to EXPORTS, or to the pages here"


@pytest.mark.spark
def test_the_incident_is_diagnosed_and_its_texts_are_hostile(report: Report) -> None:
    """Else nothing below would prove anything."""
    text = str(report.document)
    assert report.document["verdict"]["symptom_class"] == "data_skew"
    assert len(report.document["findings"]) >= 5
    assert len([payload for payload in PAYLOADS if payload in text or payload[:8] in text]) > len(PAYLOADS) // 2
    assert len(report.charts) >= 10


@pytest.mark.spark
@pytest.mark.parametrize("start", range(0, len(GET), 24))
def test_no_text_of_the_evidence_is_more_than_text(hostile: HostileWorld, start: int) -> None:
    faults, carried = [], set()
    for route in GET[start : start + 24]:
        for address, answer in hostile.answers(route):
            if answer.status_code >= 300:
                continue
            content = b"".join(answer.streaming_content) if answer.streaming else answer.content
            if any(mark in content for mark in MARKS) or content.startswith(b"%PDF"):
                carried.add(route.name)
            faults += [f"{address}: {fault}" for fault in reader_of(route, address, answer)(content)]
    assert not faults, "\n".join(faults)
    assert {route.name for route in GET[start : start + 24]} & CARRIES == carried & CARRIES


def reader_of(route: Route, address: str, answer: Any) -> Read:
    """How the answer is read back."""
    if route.name == "prevention:file":
        return back.BY_SUFFIX[address.rpartition(".")[2]]
    if route.name in EXPORTS:
        return EXPORTS[route.name]
    if answer.headers.get("Content-Disposition", "").startswith("attachment"):
        return lambda content: iter(["add to EXPORTS how it is read back"])
    if route.name in FIGURES:
        return back.figure_faults
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    return BY_TYPE.get(kind, lambda content: iter([f"add to BY_TYPE how {kind} is read back"]))


@pytest.mark.spark
def test_no_command_to_copy_runs_what_the_evidence_holds(hostile: HostileWorld, tmp_path: Path) -> None:
    commands: set[str] = set()
    for route in GET:
        if route.name.startswith(("cases:detail", "runbooks:", "prevention:detail")):
            for _, answer in hostile.answers(route):
                if answer.headers.get("Content-Type", "").startswith("text/html"):
                    commands |= set(back.commands_of(answer.content))
    assert len(commands) > 20
    assert list(back.shell_faults(sorted(commands), tmp_path)) == []


@pytest.mark.spark
def test_fragments_of_pages_that_a_form_brings_hold_only_text(hostile: HostileWorld) -> None:
    """A script puts them into the page as they are."""
    client = hostile.world.people["author"]
    case, name = hostile.world.varies["case_id"], f"{PAYLOADS[0]}{PAYLOADS[1]}.log"
    content = f"2026-01-01 00:00:00,000 INFO  a.B [] - password=secret {''.join(PAYLOADS[:6])}\n".encode()
    added = client.post(
        reverse("uploads:add", args=[case]),
        {"name": [name], "file": [SimpleUploadedFile("file", content)]},
        headers={"Accept": "application/json"},
    )
    assert added.status_code == 200, added.content
    assert any(mark in added.content for mark in MARKS)
    assert list(back.json_faults(added.content)) == []
    preview = client.post(
        reverse("redaction:preview"), {"file": SimpleUploadedFile(name, content), "redact": ["secrets"]}
    )
    assert preview.status_code == 200, preview.content
    assert list(back.html_faults(preview.content)) == []


@pytest.mark.spark
def test_promtool_reads_the_alerts(hostile: HostileWorld, tmp_path: Path) -> None:
    [route] = [route for route in GET if route.name == "prevention:file"]
    files = {address.rpartition("/")[2]: answer.content for address, answer in hostile.answers(route)}
    assert "flink-alerts.yaml" in files
    assert list(back.promtool_faults(files, tmp_path)) == []
