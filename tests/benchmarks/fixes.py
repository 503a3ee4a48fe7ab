"""Whether the pages of gathered incidents tell to do what repaired them, as a reader judged it.

The part writes a text for each incident whose page nobody has graded, or whose page has changed since: the fix and the
cause that the thread states, and what the pages tell to do (`page_text`). Above each stands a line of JSON, which the
reader completes with two answers. `holds` says whether the runbook holds the fix at all:

    yes   the stated fix, or what an expert would call equivalent for this cause, stands somewhere in what is shown for
          this case (first act, step, branch, change, finding), concretely enough to be done now, whether or not it
          comes first or is marked
    no    otherwise; also an act so general that it names no option, object, release or place where the fix has one,
          what is folded, and a page with a step for this case that would undo the fix or speaks against it

`grade` is stricter and says whether the page leads to it:

    yes   whoever does what the page tells first, or a step that is marked for this case, carries out the fix or an
          equivalent; no step of this case contradicts it
    part  it stands among branches without a mark which one it is, or only half of it does, or a work-around
    no    otherwise, also where a step of this case would do harm or leads away

A healthy incident is `yes` in both where the page says that nothing has to be repaired, and one whose evidence does not
hold the cause where the page asks for what decides. `reason`, of `part` and `no`, is one of REASONS. The next run of
that part takes completed lines over into `gathered/grades.jsonl`, which is kept and holds nothing of an incident but
its id. A grade holds as long as the text is the one that was read.
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
HOLDS = ("yes", "no")
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
    """A reader's judgement of the text with this digest: one of GRADES and, unless it is `yes`, one of REASONS, and
    one of HOLDS: what leads to the fix holds it, too.
    """

    id: str
    digest: str
    grade: str
    reason: str
    holds: str

    def __post_init__(self) -> None:
        if self.grade not in GRADES or (self.reason in REASONS) == (self.grade == "yes"):
            raise ValueError(f"{self.id}: {self.grade!r} because of {self.reason!r} is no grade")
        if self.holds not in HOLDS or (self.grade == "yes" and self.holds == "no"):
            raise ValueError(f"{self.id}: {self.grade!r} of a page that holds the fix ({self.holds!r}) is no grade")


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
            elif former:
                counts["holds", former.holds] += 1
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
    line = json.dumps({"id": incident, "digest": digest_of(text), "grade": "", "reason": "", "holds": ""})
    return f"{line}\n{text}"


def digest_of(text: str) -> str:
    """Tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def keep_grades(kept: Path, read: Sequence[Path] = ()) -> dict[str, Grade]:
    """Incident -> its grade, after the lines that were completed in the texts read have been taken over.

    Raises  ValueError for a line with an unknown grade, reason or answer
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
    held = f"{counts['holds', 'yes']:6} hold the fix, {counts['holds', 'no']} do not"
    return [*rows, held, *(f"{counts['reason', each]:6} {each}: {REASONS[each]}" for each in REASONS)]
