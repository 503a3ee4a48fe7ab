"""Stores the answers of analyses as files, to compare a rewritten engine with the previous one.

    python -m tests.benchmarks.answers dump FOLDER CASE...      one JSON file for each case below FOLDER
    python -m tests.benchmarks.answers ablate FOLDER CASE...    the same, also for the parts that an ablation takes
    python -m tests.benchmarks.answers compare BEFORE AFTER     every difference, by case and place

A case is a folder (or a file) of evidence; a `truth.json` in it is not read. A dump holds the document, the signals,
the charts, the inputs and the warnings; timing is left out, and mappings are sorted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.analyze import analyze
from diagnostics.errors import NoUsableInput
from diagnostics.intake import SourceFile, sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark import embedded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_SHOWN = 40
"""Differences of a case that are printed."""


def dump(folder: Path, cases: Sequence[Path], *, ablated: bool) -> None:
    """Write the answers of each case, and of its parts where `ablated`."""
    folder.mkdir(parents=True, exist_ok=True)
    rules = Ruleset.of(shipped_rules())
    with embedded() as spark:
        for case in cases:
            sources, _ = sources_in([case.resolve()])
            sources = [each for each in sources if each.path.name != "truth.json"]
            name = "-".join(case.resolve().parts[-2:])
            whole = _answers(spark, rules, sources)
            _write(folder / f"{name}.json", whole)
            for part, chosen in _parts(sources, whole) if ablated else ():
                _write(folder / f"{name}--{part.replace(' ', '-')}.json", _answers(spark, rules, chosen))


def _parts(sources: Sequence[SourceFile], whole: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[SourceFile]]]:
    from workbench.analyses.ablation import subsets

    for subset in subsets(sources, whole.get("inputs", ())):
        yield subset.name, subset.sources


def _answers(spark: SparkSession, rules: Ruleset, sources: Sequence[SourceFile]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="answers-") as workspace:
        try:
            report = analyze(Case(sources), ruleset=rules, spark=spark, workspace=Path(workspace))
        except NoUsableInput as error:
            return {"refused": str(error)}
    return {
        "document": {name: value for name, value in report.document.items() if name != "timing"},
        "signals": report.signals,
        "charts": report.charts,
        "inputs": report.inputs,
        "warnings": sorted(report.warnings),
        "profiles": len(report.profiles or b""),
    }


def _write(path: Path, answers: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(answers, sort_keys=True, indent=1, default=str), "utf-8")
    print(path.name, flush=True)


def compare(before: Path, after: Path) -> int:
    """Print where the dumps differ; gives how many cases do, 1 when there is nothing to compare."""
    different = 0
    names = {path.name for folder in (before, after) for path in folder.glob("*.json")}
    if not names:
        print("neither folder holds a dump")
        return 1
    for name in sorted(names):
        one, other = before / name, after / name
        if not (one.is_file() and other.is_file()):
            print(f"{name}: only in {before if one.is_file() else after}")
            different += 1
            continue
        found = list(_differences("", json.loads(one.read_text("utf-8")), json.loads(other.read_text("utf-8"))))
        different += bool(found)
        for place, left, right in found[:MOST_SHOWN]:
            print(f"{name} {place}: {str(left)[:300]} | {str(right)[:300]}")
        if len(found) > MOST_SHOWN:
            print(f"{name}: {len(found) - MOST_SHOWN} differences more")
    print(f"{different} of {len(names)} cases differ")
    return different


def _differences(place: str, left: Any, right: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            yield from _differences(f"{place}/{key}", left.get(key), right.get(key))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _differences(f"{place}/{number}", one, other)
    elif left != right:
        yield place, left, right


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("does", choices=("dump", "ablate", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", type=Path, nargs="+")
    asked = parser.parse_args()
    needed = [*([asked.folder] if asked.does == "compare" else []), *asked.cases]
    missing = [str(path) for path in needed if not path.exists()]
    if missing:
        parser.error(f"no such file or folder: {', '.join(missing)}")
    if asked.does == "compare":
        return 1 if compare(asked.folder, asked.cases[0]) else 0
    dump(asked.folder, asked.cases, ablated=asked.does == "ablate")
    return 0


if __name__ == "__main__":
    sys.exit(main())
