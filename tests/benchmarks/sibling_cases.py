"""Siblings of known cases: the same incident with other names, another layout, fewer samples, or a part of the time."""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from diagnostics.intake import sources_in
from diagnostics.spark import embedded
from workbench.analyses.scoring import TRUTH, Truth, calibration_lines, outcome_of, truths_below

LINE_TIME = re.compile(r"\[?(\d{4})[-/](\d\d)[-/](\d\d)[ T-](\d\d):(\d\d):(\d\d)")
SAMPLE_TIME = re.compile(r" (\d{13})$")
SCRAPE_TIME = re.compile(r"# scrape_time (\d{10})")
CLASS_NAME = re.compile(r"\b(?:class|interface|record|enum) (\w+)")
OWN_METHOD = re.compile(r"\b(?:private|static|protected)\s+[\w<>\[\], ]+?\s(\w+)\(")
PACKAGE = re.compile(r"^package ([\w.]+);", re.MULTILINE)
OPERATORS = re.compile(r"(?:^| -> )(?:Source|Sink): | -> |: (?:Writer|Committer)")
PLANNERS_NAMES = frozenset({"Map", "Filter", "Flat Map", "Sink", "Source"})
FROM_THE_NETWORK = "net"
EVERY_SCRAPE = 6
"""One scrape in so many is kept where readings are sparse: half a minute between those of the corpus."""


def text_of(path: Path) -> str:
    """A file's text, decompressed."""
    packed = path.read_bytes()
    return (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode("utf-8", "replace")


def write_text(path: Path, text: str) -> None:
    """Writes the text the way its name says."""
    raw = text.encode()
    path.write_bytes(gzip.compress(raw, 1) if path.suffix == ".gz" else raw)


def evidence_files(folder: Path) -> list[Path]:
    """All files of a case but the truth."""
    return [each for each in sorted(folder.rglob("*")) if each.is_file() and each.name != TRUTH]


def is_binary(path: Path) -> bool:
    """Recordings of the JVM are left as they are."""
    return path.suffix == ".jfr"


def told_names(folder: Path) -> dict[str, str]:
    """What people called job, operators, classes and methods, as expressions -> words without a meaning."""
    words: dict[str, str] = {}
    for path in evidence_files(folder):
        if path.suffix == ".java":
            code = path.read_text("utf-8")
            for name in PACKAGE.findall(code):
                words.setdefault(rf"\b{re.escape(name)}(?=\.)", "q.r")
            for name in [*CLASS_NAME.findall(code), *OWN_METHOD.findall(code)]:
                if name != "main":
                    words.setdefault(rf"(?<=[.$]){name}\b", f"{'K' if name[0].isupper() else 'k'}{len(words)}")
        if re.fullmatch(r"job\.json|jobs_[0-9a-f]{32}\.json", path.name):
            job = json.loads(path.read_text("utf-8"))
            operators = [part for vertex in job["vertices"] for part in OPERATORS.split(vertex["name"])]
            for name in dict.fromkeys([job["name"], *operators]):
                if name and name not in PLANNERS_NAMES:
                    either = "|".join(re.escape(each) for each in (name, re.sub(r"[^a-zA-Z0-9:_]", "_", name)))
                    words.setdefault(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])", f"op{len(words)}")
    return words


def renamed(folder: Path, _truth: Mapping[str, Any]) -> None:
    """No name tells what a job, an operator or a method does."""
    words = sorted(told_names(folder).items(), key=lambda each: -len(each[0]))
    pattern = re.compile("|".join(f"({expression})" for expression, _ in words))
    for path in evidence_files(folder):
        if not is_binary(path):
            write_text(path, pattern.sub(lambda found: words[(found.lastindex or 1) - 1][1], text_of(path)))


def in_one_folder(folder: Path, _truth: Mapping[str, Any]) -> None:
    """All files side by side, their folders joined to their names."""
    files = evidence_files(folder)
    for path in files:
        path.rename(folder / "__".join(path.relative_to(folder).parts))


def without_file_names(folder: Path, _truth: Mapping[str, Any]) -> None:
    """Files that people renamed: no name or folder says what a file is."""
    for number, path in enumerate(evidence_files(folder)):
        path.rename(folder / f"attachment {number:04}{'.gz' if path.suffix == '.gz' else '.txt'}")


def looks(folder: Path) -> list[Path]:
    """The folders of REST answers, each of one moment, in the order of time."""
    rest = folder / "rest"
    return sorted(rest.iterdir(), key=lambda each: (each.name == "end", each.name)) if rest.is_dir() else []


def one_look(folder: Path, _truth: Mapping[str, Any]) -> None:
    """Logs and one look at REST's answers, while it lasted."""
    found = looks(folder)
    kept = found[len(found) // 2] if len(found) < 4 else found[-2]
    for each in found:
        if each != kept:
            shutil.rmtree(each)
    for kind in ("metrics", "profile", "events", "host", FROM_THE_NETWORK, "gc"):
        shutil.rmtree(folder / kind, ignore_errors=True)


def last_look(folder: Path, _truth: Mapping[str, Any]) -> None:
    """The last look at REST's answers and nothing else."""
    for each in looks(folder)[:-1]:
        shutil.rmtree(each)
    for each in folder.iterdir():
        if each.is_dir() and each.name != "rest":
            shutil.rmtree(each)


def sparse(folder: Path, _truth: Mapping[str, Any]) -> None:
    """Readings every half minute."""
    for path in evidence_files(folder):
        if ".prom" in path.name:
            write_text(
                path, "".join(part for number, part in enumerate(scrapes(text_of(path))) if number % EVERY_SCRAPE == 0)
            )
        elif path.parent.name == "prometheus":
            told = json.loads(text_of(path))
            for series in told["data"]["result"]:
                series["values"] = series["values"][::EVERY_SCRAPE]
            write_text(path, json.dumps(told))


def scrapes(text: str) -> Iterator[str]:
    """The answers of a reporter that were joined."""
    last, lines = None, []
    for line in text.splitlines(keepends=True):
        found = SCRAPE_TIME.match(line) or SAMPLE_TIME.search(line.rstrip("\n"))
        moment = int(found.group(1)[:10]) if found else last
        if last is not None and moment is not None and moment > last + 1:
            yield "".join(lines)
            lines = []
        last = moment
        lines.append(line)
    yield "".join(lines)


def second_half(folder: Path, _truth: Mapping[str, Any]) -> None:
    """Whoever collected the files came late: logs and readings begin in the middle."""
    begin, end = span(folder)
    cut(folder, begin + (end - begin) / 2, end + 1)
    for each in looks(folder)[:-1]:
        shutil.rmtree(each)


def before(folder: Path, truth: Mapping[str, Any]) -> None:
    """Only what was there before the cause."""
    begin, _ = span(folder)
    cut(folder, begin, cause_begins(truth))
    for each in looks(folder)[1:]:
        shutil.rmtree(each)
    for path in evidence_files(folder):
        if path.parent.name in ("profile", FROM_THE_NETWORK) and "snap-1" not in path.name:
            path.unlink()


def has_a_time_before(truth: Mapping[str, Any]) -> bool:
    """Whether the job was well for a while; wrong settings are wrong from the start."""
    return "timeline" in truth and truth["symptom_class"] not in ("misconfiguration", "healthy")


def cause_begins(truth: Mapping[str, Any]) -> float:
    """Epoch seconds of the first event of the timeline after the first look."""
    events = truth["timeline"]
    first = next(number for number, each in enumerate(events) if "REST snapshot" in each["what"])
    return dt.datetime.fromisoformat(events[first + 1]["time"]).replace(tzinfo=dt.UTC).timestamp()


def other_version(folder: Path, _truth: Mapping[str, Any]) -> None:
    """The same of an older Flink."""
    for path in evidence_files(folder):
        if not is_binary(path):
            write_text(path, text_of(path).replace("1.20.5", "1.14.6").replace("2.3.0", "1.17.2"))


def even(folder: Path, _truth: Mapping[str, Any]) -> None:
    """Every subtask has the load of the first one, so that a hot key becomes a function that costs much everywhere."""
    shutil.rmtree(folder / "events", ignore_errors=True)
    for path in evidence_files(folder):
        if path.suffix == ".json":
            told = json.loads(path.read_text("utf-8"))
            write_text(path, json.dumps(as_the_first(told)))
        elif ".prom" in path.name:
            write_text(path, "".join(scrape_as_the_first(part) for part in scrapes(text_of(path))))


def as_the_first(told: Any) -> Any:
    """An answer in which all subtasks read, wait and work as the first one."""
    if isinstance(told, dict):
        return {name: as_the_first(value) for name, value in told.items()}
    if not isinstance(told, list):
        return told
    if all(isinstance(each, dict) for each in told):
        by_subtask = {each.get("subtask", each.get("index")): each for each in told}
        if 0 in by_subtask:
            kept = ("subtask", "index", "host", "endpoint", "taskmanager-id", "taskManagerId")
            own = [{name: each[name] for name in kept if name in each} for each in told]
            return [as_the_first(by_subtask[0]) | each for each in own]
        values = {each.get("id"): each.get("value") for each in told}
        if any(str(name).startswith("0.") for name in values):
            first = [(each, re.sub(r"^\d+\.", "0.", str(each["id"]))) for each in told]
            return [{**each, "value": values.get(name, each["value"])} for each, name in first]
        series = {
            labels_of_first(each["metric"]): each for each in told if each.get("metric", {}).get("subtask_index") == "0"
        }
        if series:
            return [{**each, "values": series.get(labels_of_first(each["metric"]), each)["values"]} for each in told]
    return [as_the_first(each) for each in told]


def labels_of_first(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What the series of all subtasks of a task have in common."""
    apart = ("subtask_index", "task_attempt_id")
    return tuple(sorted((name, value) for name, value in labels.items() if name not in apart))


def scrape_as_the_first(part: str) -> str:
    """One answer of a reporter in which all subtasks have the values of the first one."""
    own = re.compile(r'(subtask_index|task_attempt_id)="[^"]*",?')
    lines = part.splitlines(keepends=True)
    first = {
        own.sub("", name): rest
        for line in lines
        if 'subtask_index="0"' in line
        for name, _, rest in [line.partition("} ")]
    }
    return "".join(
        f"{name}}} {first.get(own.sub('', name), rest)}" if brace else line
        for line in lines
        for name, brace, rest in [line.partition("} ")]
    )


def span(folder: Path) -> tuple[float, float]:
    """The first and the last second of the logs."""
    seconds = [
        each for path in evidence_files(folder) if path.parent.name == "logs" for each in line_seconds(text_of(path))
    ]
    return min(seconds), max(seconds)


def line_seconds(text: str) -> Iterator[float]:
    """The times at the start of lines."""
    for line in text.splitlines():
        if (found := LINE_TIME.match(line)) is not None:
            yield seconds_of(found)


def seconds_of(found: re.Match[str]) -> float:
    """Epoch seconds; the corpus writes UTC."""
    return dt.datetime(*(int(each) for each in found.groups()), tzinfo=dt.UTC).timestamp()  # type: ignore[misc]


def cut(folder: Path, begin: float, end: float) -> None:
    """Leaves the lines, samples and answers between two moments."""
    for path in evidence_files(folder):
        if path.parent.name in ("logs", "gc"):
            write_text(path, "".join(lines_between(text_of(path), begin, end)))
        elif ".prom" in path.name:
            write_text(path, "".join(part for part in scrapes(text_of(path)) if begin <= scrape_seconds(part) < end))
        elif "last-scrape" in path.name:
            path.unlink()
        elif path.parent.name == "prometheus":
            told = json.loads(text_of(path))
            for series in told["data"]["result"]:
                series["values"] = [each for each in series["values"] if begin <= each[0] < end]
            write_text(path, json.dumps(told))


def scrape_seconds(part: str) -> float:
    """When an answer was given; 0 when it does not say."""
    found = SCRAPE_TIME.search(part) or re.search(r" (\d{10})\d{3}$", part, re.MULTILINE)
    return float(found.group(1)) if found else 0.0


def lines_between(text: str, begin: float, end: float) -> Iterator[str]:
    """The lines of records between two moments; what follows a record belongs to it."""
    inside = False
    for line in text.splitlines(keepends=True):
        if (found := LINE_TIME.match(line)) is not None:
            inside = begin <= seconds_of(found) < end
        if inside:
            yield line


SIBLINGS: Mapping[str, Callable[[Path, Mapping[str, Any]], None]] = {
    "renamed": renamed,
    "in-one-folder": in_one_folder,
    "without-file-names": without_file_names,
    "one-look": one_look,
    "last-look": last_look,
    "sparse": sparse,
    "second-half": second_half,
    "before": before,
    "other-version": other_version,
    "even": even,
}
TRUE_OF: Mapping[str, tuple[str, ...]] = {"before": ("healthy",), "even": ("cpu_hotspot",)}
"""What is true of a sibling that is another incident than its case."""


def siblings_of(truth: Truth, wanted: str | None, place: Path) -> Iterator[tuple[str, Truth]]:
    """Each sibling of a case, written below a folder, and what is true of it."""
    told = json.loads((truth.folder / TRUTH).read_text("utf-8"))
    for name, change in SIBLINGS.items():
        if wanted not in (None, "all", name) or (name == "before" and not has_a_time_before(told)):
            continue
        if name == "even" and told["symptom_class"] != "data_skew":
            continue
        folder = place / name
        shutil.copytree(truth.folder, folder)
        change(folder, told)
        accepted = TRUE_OF.get(name, truth.accepted)
        yield name, replace(truth, folder=folder, accepted=accepted)
        shutil.rmtree(folder)


def main() -> int:
    """Prints one line for each sibling."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sibling", nargs="?", choices=[*SIBLINGS, "all"])
    parser.add_argument("case", nargs="?", default="")
    parser.add_argument("--documents", type=Path)
    options = parser.parse_args()
    outcomes = []
    with embedded() as spark, tempfile.TemporaryDirectory(prefix="siblings-") as place:
        for truth in truths_below(options.folder):
            if options.case not in truth.name:
                continue
            for name, sibling in siblings_of(truth, options.sibling, Path(place)):
                sources, _ = sources_in([sibling.folder])
                outcome = outcome_of(sibling, [each for each in sources if each.path.name != TRUTH], spark)
                outcomes.append(outcome)
                judged = "WRONG" if outcome.wrong else "right" if outcome.right else "less sure"
                print(f"{truth.name:38} {name:20} {outcome.verdict:22} {outcome.confidence:4.2f}  {judged}", flush=True)
                for warning in outcome.warnings:
                    print(f"    {warning}"[:200], flush=True)
                if options.documents and outcome.document:
                    options.documents.mkdir(parents=True, exist_ok=True)
                    target = options.documents / f"{truth.name}--{name}.json"
                    target.write_text(json.dumps(outcome.document, ensure_ascii=False, indent=1), "utf-8")
    print("\n".join(calibration_lines(outcomes)))
    return 1 if any(each.wrong for each in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
