"""A checkpoint through the graph of a case: steps from the stored points of its charts, and the page."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis, ChartPoints
from workbench.runbooks.own_graph import own_steps

JOB = "a" * 32
GRAPH = reverse("runbooks:walk_through", args=["checkpoint-through-a-graph"])


def vertex(name: str, depth: int, *parents: str) -> dict[str, Any]:
    return {"id": f"id of {name}", "name": name, "depth": depth, "parents": [f"id of {each}" for each in parents]}


def row(task: str, end_to_end_ms: float | None, start_delay_ms: float, alignment_ms: float = 0) -> dict[str, Any]:
    times = {"end_to_end_ms": end_to_end_ms, "start_delay_ms": start_delay_ms, "alignment_ms": alignment_ms}
    return {"vertex": task, "subtask": 0, "acknowledged": end_to_end_ms is not None, "unaligned": False, **times}


def checkpoint(number: int, end_to_end_ms: float, *rows: dict[str, Any], savepoint: bool = False) -> dict[str, Any]:
    return {"id": number, "end_to_end_ms": end_to_end_ms, "savepoint": savepoint, "rows": list(rows)}


SLOW = checkpoint(
    7,
    9_800,
    row("Line A", 40, 0),
    row("Line B", 60, 0),
    row("Weekly <b>", 9_800, 120, 9_400),
    row("Sink", 9_900, 9_850),
)
VERTICES = [
    vertex("Line A", 0),
    vertex("Line B", 0),
    vertex("Weekly <b>", 1, "Line A", "Line B"),
    vertex("Sink", 2, "Weekly <b>"),
]


def store(analysis: Analysis, *checkpoints: dict[str, Any], edges_known: bool = True) -> None:
    graph = {"jobs": [{"job_id": JOB, "edges_known": edges_known, "vertices": VERTICES}]}
    ChartPoints.objects.create(analysis=analysis, chart_id="job-graph", points=graph)
    parts = {"jobs": [{"job_id": JOB, "checkpoints": list(checkpoints)}]}
    ChartPoints.objects.create(analysis=analysis, chart_id="checkpoint-gantt", points=parts)


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    made = diagnosed_case(people.alice)
    ChartPoints.objects.filter(analysis=made, chart_id__in=("job-graph", "checkpoint-gantt")).delete()
    return made


def test_the_steps_follow_the_measured_times_through_the_graph_of_the_case(analysis: Analysis) -> None:
    store(analysis, checkpoint(6, 300, row("Line A", 20, 0)), SLOW)

    steps = own_steps(analysis, JOB)

    assert steps is not None
    assert [step.title for step in steps] == [
        "Checkpoint 7 is triggered",
        "After 40 ms Line A has acknowledged",
        "After 60 ms Line B has acknowledged",
        "After 120 ms the first barrier reaches Weekly <b>",
        "After 9.5 s all barriers have reached Weekly <b>",
        "After 9.8 s Weekly <b> has acknowledged",
        "After 9.9 s Sink has acknowledged",
    ]
    states = {node.name: (node.state, node.text) for node in steps[3].graph}
    assert states["Line B"] == ("stored", "acknowledged after 60 ms")
    assert states["Weekly <b>"] == ("aligns", "waits for other barriers")
    assert states["Sink"] == ("waits", "waits for the barrier")
    assert [node.parents for node in steps[0].graph] == [(), (), ((0, 0), (0, 1)), ((1, 0),)]


def test_a_task_that_never_acknowledged_is_named_at_the_end(analysis: Analysis) -> None:
    store(analysis, checkpoint(8, 30_000, row("Line A", 40, 0), row("Line B", 60, 0), row("Weekly <b>", None, 120, 9)))
    steps = own_steps(analysis, JOB)
    assert steps is not None
    assert steps[-1].title == "Not all tasks acknowledged"
    assert "Weekly <b>, Sink" in steps[-1].text


@pytest.mark.parametrize(
    ("rows", "edges_known"),
    [((SLOW,), False), ((checkpoint(9, 90_000, row("Line A", 1, 0), savepoint=True),), True), ((), True)],
    ids=["no edges", "a savepoint alone", "no checkpoint"],
)
def test_without_graph_or_times_there_are_no_steps_of_its_own(
    analysis: Analysis, rows: tuple[dict[str, Any], ...], edges_known: bool
) -> None:
    store(analysis, *rows, edges_known=edges_known)
    assert own_steps(analysis, JOB) is None


def test_the_page_shows_the_graph_of_the_case_escaped_and_as_a_list(people: People, analysis: Analysis) -> None:
    store(analysis, SLOW)
    finding = {**(analysis.document or {})["findings"][0], "subject": {"job": JOB}}
    analysis.document = {**(analysis.document or {}), "findings": [finding]}
    analysis.save(update_fields=["document"])

    page = signed_in(people.bob).get(GRAPH, {"analysis": analysis.pk, "finding": 0}).content.decode()

    assert page.count('class="walk-step"') == 7
    assert "Weekly &lt;b&gt;" in page
    assert "<b></" not in page
    assert "<strong>Sink</strong> waits for the barrier" in page


def test_without_a_case_the_example_of_two_lines_is_shown(people: People) -> None:
    page = signed_in(people.vera).get(GRAPH).content.decode()
    assert "Weekly, both lines" in page
    assert "After 9.0 s the first barrier reaches Daily B" in page
