"""Jobs of two clusters in one upload get the verdicts that their own files give them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

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
