"""Jobs of two clusters in one upload get the verdicts that their own files give them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
HEALTHY = "healthy-a"
ILL = {
    "resource_shortage-a": "resource_shortage",
    "data_skew-a": "data_skew",
    "network_partition": "network_partition",
    "zookeeper_failure": "zookeeper_ha",
}
"""Name of a folder -> class of its job."""

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the evidence of real clusters is not on this machine"),
]


@pytest.mark.parametrize("name", ILL)
def test_a_healthy_job_beside_an_ill_one_of_another_cluster_is_healthy(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    sources = [
        replace(source, name=f"{cluster}/{source.name}")
        for cluster in (HEALTHY, name)
        for source in sources_in([CORPUS / cluster])[0]
        if Path(source.name).name != "truth.json"
    ]
    document = analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=tmp_path).document
    verdicts = sorted(each["verdict"]["symptom_class"] for each in document["jobs"])
    assert verdicts == sorted(["healthy", ILL[name]])
    scores = {each["verdict"]["symptom_class"]: each["health"] for each in document["jobs"]}
    assert scores["healthy"] > 90 > scores[ILL[name]]


def exported(cluster: str, namespace: str) -> Iterator[dict[str, Any]]:
    """The series of a cluster as Prometheus has them that scrapes each namespace of a Kubernetes cluster."""
    for path in sorted((CORPUS / cluster / "metrics" / "prometheus").glob("*.json")):
        for series in json.loads(path.read_text("utf-8"))["data"]["result"]:
            labels = series["metric"]
            process = {"tm_id": f"{namespace}-{labels['tm_id']}"} if "tm_id" in labels else {"host": "flink-jobmanager"}
            yield {"metric": labels | process | {"namespace": namespace}, "values": series["values"]}


def with_full_heap(series: dict[str, Any]) -> dict[str, Any]:
    """The series of a JVM whose heap stays full and that spends its time in collections; others as they are."""
    readings = {"Heap_Used": 505e6, "Heap_Max": 512e6, "All_TimeMsPerSecond": 780, "Old_Generation_Time": 3_900}
    value = next((value for name, value in readings.items() if series["metric"]["__name__"].endswith(name)), None)
    if value is None:
        return series
    grows = series["metric"]["__name__"].endswith("Old_Generation_Time")
    values = [[at, str(value * (n if grows else 1))] for n, (at, _) in enumerate(series["values"])]
    return {**series, "values": values}


def test_one_export_of_the_metrics_of_two_clusters_blames_the_full_heap_of_one_on_its_own_job(
    spark: SparkSession, tmp_path: Path
) -> None:
    ill = map(with_full_heap, exported("resource_shortage-a", "beta"))
    answer = {"resultType": "matrix", "result": [*exported(HEALTHY, "alpha"), *ill]}
    export = tmp_path / "export.json"
    export.write_text(json.dumps({"status": "success", "data": answer}), "utf-8")
    case = Case(sources_in([export])[0])
    document = analyze(case, ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=tmp_path / "work").document
    verdicts = {each["name"]: each["verdict"]["symptom_class"] for each in document["jobs"]}
    assert verdicts == {"page_view_count": "healthy", "open_cart_tracker": "resource_shortage"}
