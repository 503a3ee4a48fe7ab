"""Whether redaction changes the diagnosis of any corpus case, and what it costs."""

from __future__ import annotations

import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.redaction import Redactor, redact_upload, shipped_redaction_rules
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


def report(spark: SparkSession) -> None:
    """Prints a line for each case: the same, or what differs; then the hit rate."""
    cases = sorted(path.parent for path in CORPUS.glob("*/truth.json"))
    same = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="redaction-") as place:
            told = _told(case, Path(place), spark)
        same += told.startswith("same")
        print(f"redaction {case.name:38} {told}", flush=True)
    print(f"redaction: {same} of {len(cases)} cases of {CORPUS} are judged the same afterwards", flush=True)


def _told(case: Path, folder: Path, spark: SparkSession) -> str:
    plain, cleaned = folder / "plain.zip", folder / "cleaned.zip"
    with zipfile.ZipFile(plain, "w") as packed:
        for path in sorted(case.rglob("*")):
            if path.is_file() and path.name != "truth.json":
                packed.write(path, path.relative_to(case))
    began = time.process_time()
    seen: list[int] = []
    done = redact_upload(
        SourceFile(plain, "case.zip"), cleaned, Redactor(shipped_redaction_rules(), b"benchmark"), progress=seen.append
    )
    seconds = time.process_time() - began
    before, after = (_judged(each, folder / each.stem, spark) for each in (plain, cleaned))
    rate = seen[-1] / 1e6 / seconds if seen else 0.0
    cost = f"{done.count} values replaced, {rate:.0f} MB/s of processor time"
    if before == after:
        return f"same: {before['verdict']}, {len(before['findings'])} findings; {cost}"
    return f"DIFFERENT: {before} before, {after} after; left out: {done.left_out[:3]}; {cost}"


def _judged(source: Path, workspace: Path, spark: SparkSession) -> dict[str, Any]:
    workspace.mkdir()
    ruleset = Ruleset.of(shipped_rules())
    document = analyze(
        Case([SourceFile(source, "case.zip")]), ruleset=ruleset, spark=spark, workspace=workspace
    ).document
    findings = [(each["rule"]["id"], each["confidence"], each["role"]) for each in document["findings"]]
    verdict = document["verdict"]
    return {"verdict": verdict["symptom_class"], "confidence": verdict["confidence"], "findings": findings}
