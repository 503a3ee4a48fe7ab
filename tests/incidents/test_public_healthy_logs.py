"""Logs of real, healthy jobs that others published: no cause is named, whatever noise they contain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import symptom

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUBLIC = Path(__file__).parents[3] / "shared" / "corpus" / "public"
HEALTHY = {
    "window on 1.16": ["capsys/q1-sliding-jobmanager.log"],
    "join on 1.16": ["capsys/q4-join-jobmanager.log"],
    "job of 1.10 to its end": ["minas-flink"],
    "embedded, long names": ["minicluster/flink-2022-11-20_09.log"],
    "embedded, ended": ["minicluster/flink-2022-11-20_19.log"],
    "embedded, socket": ["minicluster/flink-2022-11-22_17.log"],
    "embedded, function": ["minicluster/flink-2022-11-22_20.log"],
    "embedded, values": ["minicluster/flink-2022-11-24_11.log"],
    "embedded, no log files": ["minicluster/flink-2022-11-25_21.log"],
    "output of a client": ["nexmark-client/error.log"],
    "answers of REST": ["otel-flink-rest"],
}
"""Name -> files whose job was healthy. Source: the column `truth` of SOURCES.csv beside them."""
UNHARMFUL = {"misconfiguration"}
"""A setting that Flink does not know is told of a healthy job too (the jobs of `capsys` ran on a patched Flink)."""

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public files are not on this machine"),
]


@pytest.mark.parametrize("files", HEALTHY.values(), ids=HEALTHY.keys())
def test_no_cause_is_named(files: list[str], spark: SparkSession, tmp_path: Path) -> None:
    sources, _ = sources_in([PUBLIC / each for each in files])
    document = analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=tmp_path).document
    assert document["verdict"]["symptom_class"] in ("healthy", "inconclusive"), document["verdict"]
    causes = {each["symptom_class"] for each in document["findings"] if symptom(each["symptom_class"]).kind == "cause"}
    assert causes <= UNHARMFUL, [each["statement"] for each in document["findings"]]
