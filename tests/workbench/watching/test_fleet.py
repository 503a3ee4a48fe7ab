"""The fleet and the page of a job show that job's own cases, verdicts and measures."""

from __future__ import annotations

import pytest

from tests.collecting.recorded_cluster import RecordedCluster, recorded_answers, running
from tests.workbench.people import People, case_of, signed_in
from tests.workbench.watching.watched import check, watched
from workbench.cases.models import Case
from workbench.clusters.models import Cluster, Collection
from workbench.clusters.services import cluster_add, cluster_remove
from workbench.watching.drawing import line_of
from workbench.watching.fleet import cases_about, fleet_rows

pytestmark = pytest.mark.usefixtures("queue")


def case_of_job(people: People, name: str, health: int, cluster: Cluster | None) -> Case:
    """A case that says how a job is, collected from the cluster, or of uploads."""
    case = case_of(people.alice)
    case.job_verdicts = [{"name": name, "health": health, "symptom_class": "data_skew", "confidence": 0.9}]
    case.job_names = name
    case.save()
    if cluster is not None:
        Collection.objects.create(case=case, cluster=cluster, requested_by=people.alice)
    return case


def test_jobs_of_one_name_on_two_clusters_have_a_row_and_cases_of_their_own(
    people: People, cluster: Cluster, flink: RecordedCluster
) -> None:
    with running(RecordedCluster(recorded_answers())) as elsewhere:
        twin = cluster_add(user=people.ada, name="refunds", url=elsewhere.url, special_allowed=True)
        first, second = check(watched(people, cluster)), check(watched(people, twin))
    ill, uploaded = case_of_job(people, first.name, 20, cluster), case_of_job(people, first.name, 50, None)

    rows = {str(row.job.watch.cluster): row.diagnosed for row in fleet_rows(people.alice)}
    assert set(rows) == {"payments", "refunds"}
    assert rows["payments"] is not None
    assert (rows["payments"].last, rows["payments"].looks, rows["refunds"]) == (ill, [20], None)
    assert (list(cases_about(people.alice, first)), list(cases_about(people.alice, second))) == ([ill], [])

    cluster_remove(user=people.ada, cluster=twin)
    [row] = fleet_rows(people.alice)
    assert row.diagnosed is not None
    assert (row.diagnosed.last, row.diagnosed.looks) == (uploaded, [20, 50])
    assert set(cases_about(people.alice, first)) == {ill, uploaded}


def test_the_page_of_a_job_shows_its_own_verdict_in_each_case(people: People, cluster: Cluster) -> None:
    """It showed that of the worst job."""
    job = check(watched(people, cluster))
    case = case_of_job(people, job.name, 97, cluster)
    own = {**case.job_verdicts[0], "symptom_class": "healthy"}
    case.job_verdicts = [{"name": "invoices", "health": 20, "symptom_class": "data_skew"}, own]
    case.job_names, case.verdict_class = f"invoices\n{job.name}", "data_skew"
    case.save()
    page = signed_in(people.alice).get(job.get_absolute_url()).content.decode()
    assert "Healthy, health 97" in page
    assert "Data skew" not in page


@pytest.mark.parametrize(("last", "words"), [(29_600.0, "29.6 s"), (31_000.0, "from 29.6 s to 31 s")])
def test_a_measure_that_stays_is_said_once(last: float, words: str) -> None:
    line = line_of([(0.0, 29_600.0), (60.0, last)])
    assert line is not None
    assert line.words == words
