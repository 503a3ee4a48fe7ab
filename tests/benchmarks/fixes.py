"""Whether the pages of gathered incidents tell to do what repaired them, as a reader judged it.

The part writes a text for each incident whose page nobody has graded, or whose page has changed since: the fix and the
cause that the thread states, and what the pages tell to do (`page_text`). Above each stands a line of JSON. The reader
completes it: `grade` is

    yes   the steps shown, followed, carry out the stated fix or an equivalent, named concretely, contradicted nowhere
    part  the right direction is shown, the decisive option, value, release or place is not
    no    neither

and `reason`, of `part` and `no`, is one of REASONS. The next run of that part takes completed lines over into
`gathered/grades.jsonl`, which is kept and holds nothing of an incident but its id. A grade holds as long as the text is
the one that was read.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.gathered import leading_finding
from tests.incidents.gathered_incidents import FOLDER, Half, gathered_incidents, rows_of
from tests.incidents.page_text import page_text
from tests.incidents.public_background import analyzed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRADES = ("yes", "part", "no")
REASONS: Mapping[str, str] = {
    "not_led": "no cause leads, and what is shown instead does not name the fix",
    "wrong_class": "a cause of another class leads",
    "generic_branch": "the class is right, the decisive act is not named",
    "release_not_named": "a release, or a pair of releases that fit, is the fix and is not named",
    "outside_fix_not_named": "the fix is at the outside system, and is not named",
    "contradicts": "a step that is shown speaks against the fix",
    "other": "none of these",
}
KEPT = FOLDER / "grades.jsonl"
WRITTEN = Path(__file__).parents[2] / "var" / "fixes"
"""Where the texts to be read are written, a file for each part; Git ignores it, for some parts nobody may read."""
DIGITS = 16
LINE = re.compile(r'\{"id": "[^"]+", "digest": "')
"""What stands above a text, and no line of a log."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A reader's judgement of the text with this digest: a grade of GRADES and, unless it is `yes`, one of REASONS."""

    id: str
    digest: str
    grade: str
    reason: str = ""

    def __post_init__(self) -> None:
        if self.grade not in GRADES or (self.reason in REASONS) == (self.grade == "yes"):
            raise ValueError(f"{self.id}: {self.grade!r} because of {self.reason!r} is no grade")


def report(spark: SparkSession, parts: Sequence[Half]) -> None:
    """Takes over what was graded, writes what is to be read, and prints a table and the reasons for each part."""
    files = {half: WRITTEN / f"{half}.txt" for half in parts}
    grades = keep_grades(KEPT, [file for file in files.values() if file.exists()])
    WRITTEN.mkdir(parents=True, exist_ok=True)
    for half, file in files.items():
        counts: Counter[tuple[str, str]] = Counter()
        unread = []
        for incident, text, is_led in _texts(spark, half):
            former = grades.get(incident)
            given = state_of(former, text)
            counts.update((row, given) for row in (("all", "led") if is_led else ("all",)))
            if given not in GRADES:
                unread.append(to_read(incident, text))
            elif former and former.reason:
                counts["reason", former.reason] += 1
        file.write_text("\n".join(unread), "utf-8")
        print("\n".join([f"\n{half}: {len(unread)} to be read in {file}", *_table(counts)]), flush=True)


def _texts(spark: SparkSession, half: Half) -> Iterator[tuple[str, str, bool]]:
    """Of each incident: its id, the text for the reader, and whether a cause with a runbook leads."""
    stated = {str(row["id"]): f"Fix: {row['fix']}\nCause: {row['root_cause']}" for row in rows_of(half)}
    for incident in gathered_incidents(half):
        with tempfile.TemporaryDirectory(prefix="fixes-") as place:
            analysis = analyzed(incident, spark, Path(place))
        is_led = leading_finding(analysis.document, analysis.document["verdict"]["symptom_class"]) is not None
        yield incident.id, f"{stated[incident.id]}\n{page_text(analysis)}\n", is_led


def state_of(grade: Grade | None, text: str) -> str:
    """The grade of this text, one of GRADES; `changed` where another text was graded, `not graded` where none was."""
    if grade is None:
        return "not graded"
    return grade.grade if grade.digest == digest_of(text) else "changed"


def to_read(incident: str, text: str) -> str:
    """The text below the line to complete. The grade of a former text is not shown: readers who saw it mostly kept it,
    and counted 67 % where others counted 59 %.
    """
    line = json.dumps({"id": incident, "digest": digest_of(text), "grade": "", "reason": ""})
    return f"{line}\n{text}"


def digest_of(text: str) -> str:
    """Tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def keep_grades(kept: Path, read: Sequence[Path] = ()) -> dict[str, Grade]:
    """Incident -> its grade, after the lines that were completed in the texts read have been taken over.

    Raises  ValueError for a line with an unknown grade or reason
    """
    files = [kept, *read] if kept.exists() else list(read)
    lines = [line for file in files for line in file.read_text("utf-8").splitlines() if LINE.match(line)]
    rows = [row for line in lines if (row := json.loads(line))["grade"]]
    grades = {row["id"]: Grade(**row) for row in rows}
    kept.write_text("".join(f"{json.dumps(asdict(grades[each]))}\n" for each in sorted(grades)), "utf-8")
    return grades


def _table(counts: Counter[tuple[str, str]]) -> list[str]:
    columns = (*GRADES, "changed", "not graded")
    rows = [f"{'':6}" + "".join(f"{each:>12}" for each in columns)]
    rows += [f"{row:6}" + "".join(f"{counts[row, each]:12}" for each in columns) for row in ("all", "led")]
    return [*rows, *(f"{counts['reason', each]:6} {each}: {REASONS[each]}" for each in REASONS)]
