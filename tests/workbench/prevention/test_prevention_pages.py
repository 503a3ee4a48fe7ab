"""Alerts and dashboard of a case, as people and strangers get them."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
import yaml
from django.urls import reverse

from tests.workbench.charts.test_charts import load_points
from tests.workbench.diagnosed import diagnosed_case, job_beside
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses.models import ChartPoints


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def test_the_page_shows_each_alert_with_its_reason(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    page = signed_in(people.vera).get(reverse("prevention:detail", args=[analysis.case_id])).content.decode()
    assert "FlinkCheckpointsFailInARow" in page
    assert "FlinkSkewedTask" in page
    assert "when it holds for 5m" in page, "as the rule below writes it"
    assert "The bound of the rules on skew. In this case: One subtask takes most of the records." in page


def test_the_archive_holds_rules_and_dashboard(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    answer = signed_in(people.alice).get(reverse("prevention:archive", args=[analysis.case_id]))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        rules = yaml.safe_load(archive.read("flink-alerts.yaml"))
        shown = json.loads(archive.read("flink-dashboard.json"))
    assert [rule["alert"] for rule in rules["groups"][0]["rules"]][-1] == "FlinkSkewedTask"
    assert shown["title"] == "Flink: Orders"


def test_a_case_without_a_diagnosis_has_no_alerts(people: People) -> None:
    case = case_of(people.alice)
    assert signed_in(people.alice).get(reverse("prevention:detail", args=[case.pk])).status_code == 404


@pytest.mark.parametrize("name", ["detail", "archive"])
def test_a_stranger_gets_nothing(people: People, name: str) -> None:
    analysis = diagnosed_case(people.alice)
    assert signed_in(people.charlie).get(reverse(f"prevention:{name}", args=[analysis.case_id])).status_code == 404


def test_an_alert_is_made_from_a_chart_in_one_step_f152(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    ChartPoints.objects.create(analysis=analysis, chart_id="load-by-subtask", points=load_points("a" * 32))
    address = reverse("prevention:chart", args=[analysis.case_id, "load-by-subtask"])
    alice = signed_in(people.alice)

    case_page = alice.get(analysis.case.get_absolute_url()).content.decode()
    page = alice.get(address).content.decode()
    rules = yaml.safe_load(alice.get(address, {"bound": "3", "minutes": "7", "file": "flink-alerts.yaml"}).content)

    assert address in case_page
    assert "avg by (task_name)" in page
    [rule] = rules["groups"][0]["rules"]
    assert rule["expr"].endswith("> 3")
    assert rule["for"] == "7m"


@pytest.mark.parametrize(
    "asked", [{"bound": "nan"}, {"bound": "1e999"}, {"bound": "<b>"}, {"query": "99"}, {"minutes": "x"}]
)
def test_what_is_no_number_is_as_if_nothing_was_entered(people: People, asked: dict[str, str]) -> None:
    analysis = diagnosed_case(people.alice)
    answer = signed_in(people.alice).get(
        reverse("prevention:chart", args=[analysis.case_id, "subtask-activity"]), asked
    )

    assert answer.status_code == 200
    assert "for: 5m" in answer.content.decode()


def test_a_chart_that_no_metric_shows_makes_no_alert(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    for chart in ("job-graph", "nothing"):
        address = reverse("prevention:chart", args=[analysis.case_id, chart])
        assert signed_in(people.alice).get(address).status_code == 404


def test_a_plan_that_changes_the_settings_has_rules_of_its_own(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = diagnosed_case(people.alice)
    address = reverse("prevention:detail", args=[analysis.case_id])
    archive = reverse("prevention:archive", args=[analysis.case_id])
    vera = signed_in(people.vera)
    assert "after-plan" not in vera.get(address).content.decode()

    options = {"execution.checkpointing.interval": "2 min", "execution.checkpointing.timeout": "30 min"}
    monkeypatch.setattr("workbench.prevention.exports.planned_options", lambda *given: options)

    page = vera.get(address).content.decode()
    assert "execution.checkpointing.interval: 2 min, execution.checkpointing.timeout: 30 min" in page
    with zipfile.ZipFile(io.BytesIO(vera.get(archive).content)) as exported:
        now, then = (exported.read(f"{name}.yaml").decode() for name in ("flink-alerts", "flink-alerts-after-plan"))
    assert "offset 1h" not in now
    assert "60m" in then


def test_of_several_jobs_each_has_alerts_of_its_own(people: People) -> None:
    """They were those of the worst job, and nobody could get those of another one."""
    analysis = job_beside(diagnosed_case(people.alice), "clicks", "slow_sink", 90, rule={"id": "sink.x", "version": 1})
    first, second = (job["job_id"] for job in analysis.document["jobs"])
    address, vera = reverse("prevention:detail", args=[analysis.case_id]), signed_in(people.vera)
    worst = vera.get(address).content.decode()
    other = vera.get(address, {"job": second}).content.decode()
    assert "measured in Orders" in worst
    assert f'<option value="{first}" selected>Orders</option>' in worst
    assert "FlinkSkewedTask" in worst
    assert "measured in clicks" in other
    assert "FlinkSkewedTask" not in other
    archive = f"{reverse('prevention:archive', args=[analysis.case_id])}?job={second}"
    assert f'href="{archive}"' in other
    with zipfile.ZipFile(io.BytesIO(vera.get(archive).content)) as exported:
        assert 'job_name="clicks"' in exported.read("flink-alerts.yaml").decode()
    assert "measured in Orders" in vera.get(address, {"job": "<b>"}).content.decode()


def test_an_alert_from_a_chart_is_of_the_chosen_job(people: People) -> None:
    analysis = job_beside(diagnosed_case(people.alice), "clicks", "slow_sink", 90)
    _, second = (job["job_id"] for job in analysis.document["jobs"])
    address = reverse("prevention:chart", args=[analysis.case_id, "subtask-activity"])
    page = signed_in(people.vera).get(address, {"job": second, "bound": "700"}).content.decode()
    assert "what this chart shows of clicks" in page
    assert "job_name=&quot;clicks&quot;" in page
    assert f"?job={second}&amp;query=0&amp;bound=700" in page
