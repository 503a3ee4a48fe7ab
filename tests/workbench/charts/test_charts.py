"""Charts as JSON, table and CSV: for whom, for which job, and harmless in a spreadsheet."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from diagnostics.charts import CHARTS
from tests.workbench.diagnosed import diagnosed_case, document_store
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis, ChartPoints
from workbench.analyses.selectors import offset_min
from workbench.charts.rows import rows_sorted
from workbench.charts.selectors import ChartShown, charts_shown, key_charts

LOG_VOLUME = {
    "from_ms": 1_795_222_000_000,
    "to_ms": 1_795_222_001_999,
    "slot_ms": 1000,
    "slots": 2,
    "undated": 0,
    "levels": {"ERROR": {"0": 2}},
}


def load_points(*jobs: str) -> dict[str, Any]:
    subtasks = [
        {"subtask": 0, "records": 90, "share": 0.9, "busy": None},
        {"subtask": 1, "records": 10, "share": 0.1, "busy": None},
    ]
    vertex = {"vertex": "=cmd|calc", "direction": "in", "parallelism": 2, "even_share": 0.5, "subtasks": subtasks}
    return {"jobs": [{"job_id": job, "name": f"job {job}", "vertices": [vertex]} for job in jobs]}


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A finished analysis with two charts; the stored log volume is of a shape that no version reads."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    analysis = diagnosed_case(people.alice)
    ChartPoints.objects.create(analysis=analysis, chart_id="load-by-subtask", points=load_points("a", "b"))
    return analysis


def test_the_figure_is_drawn_in_the_asked_theme(people: People, analysis: Analysis) -> None:
    address, bob = reverse("charts:figure", args=[analysis.pk, "load-by-subtask"]), signed_in(people.bob)

    light, dark = (bob.get(address, {"theme": theme}).json() for theme in ("light", "dark"))

    assert light["summary"].startswith("The most uneven task is")
    assert light["figure"]["layout"]["font"] != dark["figure"]["layout"]["font"]


def test_one_job_is_not_mixed_with_another(people: People, analysis: Analysis) -> None:
    address, bob = reverse("charts:figure", args=[analysis.pk, "load-by-subtask"]), signed_in(people.bob)

    both, one = (bob.get(address, {"job": job}).json()["figure"]["data"] for job in ("", "a"))

    assert [sum("customdata" in trace for trace in data) for data in (both, one)] == [2, 1]
    nothing = bob.get(address, {"job": "c"}).json()
    assert nothing["figure"] is None
    assert nothing["summary"].startswith("The chosen job has too little of this for the chart. ")
    needed = CHARTS["load-by-subtask"].read_missing
    assert nothing["summary"].endswith(needed.replace("`", "")), "plain text: a browser shows no back-tick as code"


def test_strangers_unknown_charts_and_charts_without_points_are_not_found(people: People, analysis: Analysis) -> None:
    for name in ("figure", "table", "csv", "json"):
        known = reverse(f"charts:{name}", args=[analysis.pk, "load-by-subtask"])
        assert signed_in(people.charlie).get(known).status_code == 404
        for chart in ("no-such-chart", "watermarks"):
            assert signed_in(people.bob).get(reverse(f"charts:{name}", args=[analysis.pk, chart])).status_code == 404


def test_csv_cells_cannot_be_formulas(people: People, analysis: Analysis) -> None:
    answer = signed_in(people.bob).get(reverse("charts:csv", args=[analysis.pk, "load-by-subtask"]))

    rows = answer.content.decode().splitlines()
    assert rows[1] == "job a,'=cmd|calc,0,90,in,0.9,0.5,"
    assert "attachment" in answer["Content-Disposition"]


def test_json_has_the_numbers_of_the_csv_file(people: People, analysis: Analysis) -> None:
    bob = signed_in(people.bob)
    answer = bob.get(reverse("charts:json", args=[analysis.pk, "load-by-subtask"]))
    content = answer.json()
    lines = bob.get(reverse("charts:csv", args=[analysis.pk, "load-by-subtask"])).content.decode().splitlines()
    assert (content["schema"], content["chart"]) == (1, "load-by-subtask")
    assert ",".join(content["columns"]) == lines[0]
    assert len(content["rows"]) == len(lines) - 1
    assert content["rows"][0][3] == 90
    assert "attachment" in answer["Content-Disposition"]


def test_the_table_is_escaped(people: People, analysis: Analysis) -> None:
    points = load_points("a")
    points["jobs"][0]["name"] = "<script>"
    ChartPoints.objects.filter(chart_id="load-by-subtask").update(points=points)

    table = signed_in(people.bob).get(reverse("charts:table", args=[analysis.pk, "load-by-subtask"])).content.decode()

    assert "&lt;script&gt;" in table
    assert "<script>" not in table


def test_the_case_page_says_which_file_would_fill_an_empty_chart(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()

    assert 'id="chart-load-by-subtask"' in page
    assert 'charts without data<span class="titles">: ' in page
    assert "JobManager and the TaskManagers would fill this chart" in page


def test_points_that_can_be_read_give_the_shared_time_axis(people: People, analysis: Analysis) -> None:
    ChartPoints.objects.filter(chart_id="log-volume").update(points=LOG_VOLUME)

    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()

    assert 'data-from="1795222000000" data-to="1795222001999"' in page


METRICS = {
    "from_ms": 1_795_222_000_000,
    "to_ms": 1_795_222_039_999,
    "slot_ms": 10_000,
    "slots": 4,
    "left_out": 0,
    "series": [
        {
            "metric": "<b>lag",
            "job_id": None,
            "where": "Window",
            "is_rate": False,
            "mean": [1, 1, 9, 9],
            "peak": [1, 1, 9, 9],
        }
    ],
}
NORMAL = "2026-11-21T00:46:40.000Z/2026-11-21T00:46:59.000Z"
BAD = "2026-11-21T00:47:00.000Z/2026-11-21T00:47:19.000Z"


def test_what_changed_between_two_stretches(people: People, analysis: Analysis) -> None:
    ChartPoints.objects.create(analysis=analysis, chart_id="metrics", points=METRICS)
    address = reverse("charts:changes", args=[analysis.pk])

    page = signed_in(people.bob).get(address, {"normal": NORMAL, "bad": BAD}).content.decode()

    assert "&lt;b&gt;lag" in page
    assert "9</td>" in page
    assert "No log records are kept for this case." in page
    assert "No sampled stacks have a time in both stretches." in page
    assert signed_in(people.charlie).get(address, {"normal": NORMAL, "bad": BAD}).status_code == 404
    assert signed_in(people.bob).get(address, {"normal": "yesterday", "bad": BAD}).status_code == 400


def test_a_table_shows_times_for_people(people: People, analysis: Analysis) -> None:
    ChartPoints.objects.create(analysis=analysis, chart_id="metrics", points=METRICS)

    table = signed_in(people.bob).get(reverse("charts:table", args=[analysis.pk, "metrics"])).content.decode()

    assert "2026-11-21T00:46:40.000Z" in table
    assert "epoch" not in table


def test_table_and_csv_hold_the_time_that_is_shown(people: People, analysis: Analysis) -> None:
    ChartPoints.objects.create(analysis=analysis, chart_id="metrics", points=METRICS)
    bob, shown = signed_in(people.bob), {"from": "2026-11-21T00:46:50.000Z", "to": "2026-11-21T00:47:00.000Z"}

    table = bob.get(reverse("charts:table", args=[analysis.pk, "metrics"]), shown).content.decode()
    lines = bob.get(reverse("charts:csv", args=[analysis.pk, "metrics"]), shown).content.decode().splitlines()

    assert table.count("<tr>") == 1 + 2
    assert "2 rows outside it" in table
    assert [row.rsplit(",", 3)[1] for row in lines] == ["Mean", "1", "9"]


def test_a_table_is_sorted_by_the_column_that_is_pressed() -> None:
    header, rows = ["Name", "Size"], [["b", 2], ["a", None], ["c", 10]]

    assert rows_sorted(header, rows, "-1") == ([["c", 10], ["b", 2], ["a", None]], 1, True)
    assert rows_sorted(header, rows, "0")[0] == [["a", None], ["b", 2], ["c", 10]]
    assert rows_sorted(header, rows, "7") == (rows, None, False)


def test_the_zone_of_the_files_is_offered_where_they_show_one(people: People, analysis: Analysis) -> None:
    ChartPoints.objects.filter(chart_id="log-volume").update(points=LOG_VOLUME)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "the zone of the files" not in page

    inputs = [{**each, "utc_offset_min": 120} for each in analysis.document["inputs"]]
    analysis.document["inputs"] = inputs
    document_store(analysis)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()

    assert 'data-offset="120"' in page
    assert "the zone of the files" in page
    assert offset_min([{"utc_offset_min": 120}, {"utc_offset_min": 60}]) is None


def test_the_charts_beside_the_verdict_are_those_of_its_finding_before_those_of_its_class() -> None:
    names = ("garbage-collection", "subtask-activity", "memory-model", "log-volume")
    drawn = [ChartShown(CHARTS[name], "", ()) for name in names]

    def shown(rule: str) -> list[str]:
        finding = {"role": "root_cause", "rule": {"id": rule}}
        document = {"verdict": {"symptom_class": "resource_shortage"}, "findings": [finding]}
        return [each.chart.id for each in key_charts(drawn, document)]

    assert shown("resource.network-buffers") == ["memory-model", "log-volume"]
    assert shown("resource.heap") == ["garbage-collection", "subtask-activity"]


def metric_points() -> dict[str, Any]:
    """Records out of a healthy job with many and of one with trouble with few; the job is named by no series."""
    rates = [("b", "Source: page-views", 300.0), ("a", "Source: orders", 120.0)]
    series = [
        {
            "metric": "numRecordsOutPerSecond",
            "job_id": job,
            "where": where,
            "is_rate": False,
            "of_task": True,
            "mean": [rate, rate],
            "peak": [rate, rate],
        }
        for job, where, rate in rates
    ]
    times = {"from_ms": LOG_VOLUME["from_ms"], "to_ms": LOG_VOLUME["to_ms"], "slot_ms": 1000, "slots": 2}
    return {**times, "left_out": 0, "series": series, "watched": []}


def test_every_metric_follows_the_chosen_job_as_the_other_charts_do(people: People, analysis: Analysis) -> None:
    """With the ill job chosen it drew the lines of the healthy one, and its caption named those."""
    ChartPoints.objects.create(analysis=analysis, chart_id="metrics", points=metric_points())
    address, bob = reverse("charts:figure", args=[analysis.pk, "metrics"]), signed_in(people.bob)

    shown = {job: bob.get(address, {"job": job}).json() for job in ("", "a", "b", "c")}

    assert {job: len(each["figure"]["data"]) for job, each in shown.items() if each["figure"]} == {
        "": 2,
        "a": 1,
        "b": 1,
    }
    assert "of Source: orders: 120" in shown["a"]["summary"]
    assert "of Source: page-views: 300" in shown["b"]["summary"]


def test_the_caption_of_every_metric_names_the_job_of_the_verdict_and_is_about_it(analysis: Analysis) -> None:
    ChartPoints.objects.create(analysis=analysis, chart_id="metrics", points=metric_points())
    verdict = {"symptom_class": "slow_dimension_join"}
    jobs = [
        {"job_id": "a", "name": "shop", "health": 24, "verdict": verdict},
        {"job_id": "b", "name": "views", "health": 96, "verdict": {"symptom_class": "healthy"}},
    ]
    analysis.document = {**(analysis.document or {}), "verdict": verdict, "jobs": jobs}
    [told] = [each for each in charts_shown(analysis)[0] if each.chart.id == "metrics"]
    assert told.summary.startswith("shop: numRecordsOutPerSecond of Source: orders: 120")
