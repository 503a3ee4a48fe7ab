"""Incidents gathered from public threads: what their threads quote, written as files beside a healthy background.

The data is the parts `gathered/<part>.jsonl`; `gathered/README.md` says who may read which. A quoted
line is written in the layout of the background's logs and with times after the background's end; nothing is added to
it. An exception that a thread quotes without its record is written as what a task (or the job) failed with.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from diagnostics.vocabulary.settings import setting_catalogue, version_of
from tests.incidents.public_background import (
    BACKGROUND_RELEASE,
    BEGIN,
    BETWEEN_SCRAPES,
    DUMPS,
    JOB,
    JOB_NAME,
    SCRAPES,
    failures,
    log_record,
    thread_dump,
    write_logs,
)

Half = Literal[
    "open",
    "set_aside",
    "later",
    "learning",
    "fresh",
    "learning2",
    "fresh2",
    "learning3",
    "fresh3",
    "learning4",
    "fresh4",
    "learning5",
    "fresh5",
    "learning6",
    "learning7",
    "learning8",
    "learning9",
    "learning10",
    "learning11",
    "learning12",
    "fresh6-judge",
    "fresh6",
    "fresh7",
    "fresh8",
    "fresh9",
    "fresh10",
    "fresh11",
]

FOLDER = Path(__file__).parent / "gathered"
HALVES: tuple[Half, ...] = ("open", "set_aside")
PARTS: tuple[Half, ...] = get_args(Half)
"""The halves, and what was gathered after rules had been written from the open one."""
ASIDE: tuple[Half, ...] = ("set_aside", "fresh4", "fresh5", "fresh8")
"""Parts that no rule is written from."""
SHOWN = (
    "f5-005",
    "f8-001",
    "f8-041",
    "f8-053",
    "f9a-006",
    "f9b-011",
    "gat-039",
    "gat-129",
    "gat-143",
    "gat-253",
    "gat-258",
    "gat-295",
)
"""Of such a part until they were printed to people who write rules; they stand in the open half since."""
LOGS = {"jobmanager_log": "jobmanager", "taskmanager_log": "taskmanager"}
FILES = {
    "client_log": "client.log",
    "configuration": "flink-conf.yaml",
    "gc_log": "gc.log",
    "kubernetes": "kubectl-describe.txt",
    "operator_log": "flink-kubernetes-operator.log",
    "rest": "rest.json",
    "rocksdb_log": "rocksdb.LOG",
    "sql": "job.sql",
    "system_log": "dmesg.txt",
    "taskmanager_out": "taskmanager.out",
    "yarn": "yarn-nodemanager.log",
}
"""Kind of evidence -> the file that its text becomes as it stands."""
TIMED = ("client_log", "operator_log")
"""Logs of other processes, whose times are moved behind the background's end, too."""
KINDS = {*LOGS, *FILES, "exception", "metrics", "thread_dump"}

TIMES_FAILED = 3
"""Each thread with an exception tells of one that comes again. Our choice: the fewest that show this."""
BETWEEN_RECORDS = dt.timedelta(milliseconds=50)
UNKNOWN_LOGGER = "root"
FORMER_OPTIONS = {
    "restart-strategy.type": "restart-strategy",
    "execution.checkpointing.dir": "state.checkpoints.dir",
    "state.backend.type": "state.backend",
}
"""Options of the background -> their names before Flink 1.20."""
PROCESS = 'tm_id="localhost:18040-99560d",host="localhost"'

_RELEASE = re.compile(r"(?:about )?(?P<line>\d+\.\d+)(?:\.(?P<patch>\d+))?")
_WHEN_SHOWN = re.compile(r"\s*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n")
"""The time that the web UI prints in a line of its own above an exception: no log has it below the record's head."""
_OPTION = re.compile(r" (?:configuration property: )?([\w-]+(?:\.[\w-]+)+)(?:=|, )")
_TIME = r"(?P<date>\d{4}-\d\d-\d\d)[ T](?P<clock>\d\d:\d\d:\d\d)[,.:](?P<ms>\d{3})\S*"
_STAMP = re.compile(r"(?m)^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)")
_LEVEL = r"(?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b\s*(?:\[[^]]*\]\s*)?"
_REST = r"(?P<logger>[\w$]+(?:\.[\w$]+)+)?\s*(?:\[[^]]*\]\s*)?[-:]\s+(?P<text>.*)"
_HEAD = rf"\[?(?:{_TIME}|\d\d:\d\d:\d\d[,.]\d{{3}}|\d+)?\]?\s*(?:\S.*?\s)??(?:\[[^]]*\]\s*)?"
_RECORD = re.compile(f"{_HEAD}{_LEVEL}{_REST}")
_HADOOP = re.compile(
    rf"(?P<date>(?!))?\d\d/\d\d/\d\d \d\d:\d\d:\d\d {_LEVEL}(?P<logger>[\w$]+(?:\.[\w$]+)*): (?P<text>.*)"
)
"""A record in the console layout of Hadoop and Spark, whose year has two digits, so that its time is not taken over."""
_SAYS_FAILURE = re.compile(r"Exception|Error|[Ff]ailed|never")
_SERIES = re.compile(r"(?P<name>\w+)(?:\{(?P<labels>.*)\})? (?P<first>\S+?)(?:\.\.(?P<last>\S+))?$")
_FAILS_THE_JOB = re.compile(r"NoResourceAvailable|JobInitialization|JobMaster|StreamWriteOperatorCoordinator")
_FAILS_A_SINK = re.compile(r"[Ss]ink|[Pp]roducer|OutputFormat|StreamLoad|ClickHouse|[Ww]riter")
_FAILS_A_SOURCE = re.compile(r"[Ss]ource|[Cc]onsumer|[Ff]etcher|[Dd]ebezium|cdc|Deserializ|deserializ|[Rr]eader")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A piece of evidence as its thread quotes it; `rendered`: a stated reading, written as the metric's line."""

    kind: str
    text: str
    rendered: bool = False


@dataclass(frozen=True, slots=True)
class GatheredIncident:
    """One incident: the class and the fix that its thread states, and what the thread quotes.

    also_right    further classes that a careful reader may give it
    fix_keywords  lists of lower-case words; a text in which all words of one list stand names the fix
    release       the release of Flink that the thread states, as `1.13.2`; None where it states none
    """

    id: str
    url: str
    release: str | None
    symptom_class: str
    also_right: tuple[str, ...]
    fix: str
    fix_keywords: tuple[tuple[str, ...], ...]
    evidence: tuple[Quoted, ...]
    half: Half

    def write(self, folder: Path) -> None:
        """Writes the healthy logs with the quoted records, and a file for each other kind of evidence.

        The logs name the release that the thread states; where it states none, they name none either.
        """
        records, now = _records([(LOGS[each.kind], each.text) for each in self.evidence if each.kind in LOGS])
        for each in self.evidence:
            if each.kind == "exception":
                times = 1 if self.symptom_class == "healthy" else TIMES_FAILED
                stack = _WHEN_SHOWN.sub("", each.text, count=1)
                failure = {"task": _failing_task(stack), "times": times, "stack": stack}
                records += failures(failure, None, now)
            elif each.kind == "metrics":
                _write_readings(folder, each.text)
            elif each.kind == "thread_dump":
                for number in range(DUMPS):
                    (folder / f"jstack-{number + 1}.txt").write_text(thread_dump(each.text, number), "utf-8")
            elif each.kind in FILES:
                text = _moved(each.text, now) if each.kind in TIMED else each.text
                with (folder / FILES[each.kind]).open("a", encoding="utf-8") as file:
                    file.write(text + "\n")
        write_logs(folder, records, _naming(self.release), partial(_is_unread_by, self.release))

    def names_fix(self, text: str) -> bool:
        """Whether the stated fix stands in the text."""
        lowered = text.lower()
        return any(all(word in lowered for word in words) for words in self.fix_keywords)


def half_of(url: str) -> Half:
    """The half that an incident belongs to: random, and fixed before anybody reads it for rules."""
    return "set_aside" if int(hashlib.sha256(url.encode()).hexdigest()[0], 16) % 2 == 0 else "open"


def rows_of(half: Half) -> list[dict[str, object]]:
    """The rows of one half as they are stored."""
    return [json.loads(line) for line in (FOLDER / f"{half}.jsonl").read_text("utf-8").splitlines()]


def gathered_incidents(half: Half) -> list[GatheredIncident]:
    return [incident_of(row, half) for row in rows_of(half)]


def incident_of(row: Mapping[str, object], half: Half) -> GatheredIncident:
    """The incident of a stored row."""
    evidence, also, words = row["evidence"], row.get("also_right", []), row["fix_keywords"]
    assert isinstance(evidence, list)
    assert isinstance(also, list)
    assert isinstance(words, list)
    return GatheredIncident(
        id=str(row["id"]),
        url=str(row["url"]),
        release=_release_in(str(row.get("flink_version", ""))),
        symptom_class=str(row["symptom_class"]),
        also_right=tuple(also),
        fix=str(row["fix"]),
        fix_keywords=tuple(tuple(each) for each in words),
        evidence=tuple(Quoted(**each) for each in evidence),
        half=half,
    )


def _release_in(stated: str) -> str | None:
    """The release of Flink that a thread states first: `about 1.9` gives `1.9.0`, the oldest that it can be."""
    release = _RELEASE.match(stated)
    return f"{release['line']}.{release['patch'] or 0}" if release else None


def _naming(release: str | None) -> Mapping[str, str]:
    """What the background states of its release -> what it states in the incident: options have the names of then."""
    if release is None:
        return {f"Version: {BACKGROUND_RELEASE}": "Version: <unknown>", f"-{BACKGROUND_RELEASE}.jar": ".jar"}
    is_older = (version_of(release) or ()) < (version_of(BACKGROUND_RELEASE) or ())
    return {BACKGROUND_RELEASE: release} | (FORMER_OPTIONS if is_older else {})


def _is_unread_by(release: str | None, line: str) -> bool:
    """Whether a line states an option that the release does not read: no log of that release has it."""
    stated, runs = _OPTION.search(line), version_of(release)
    known = setting_catalogue().find(stated[1]) if stated else None
    return bool(known and stated and runs and not known.reads(stated[1], runs))


def _records(quoted: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], dt.datetime]:
    """The quoted lines of all logs as records, and a time after the last: the first stands after the background."""
    pieces = [(log, match, below) for log, text in quoted for match, below in _pieces(text)]
    stated = [when for _, match, _ in pieces if (when := _time_of(match))]
    shift = BEGIN - min(stated) if stated else dt.timedelta()
    records, now, latest = [], BEGIN, BEGIN
    for log, match, below in pieces:
        when = _time_of(match)
        now = when + shift if when else now + BETWEEN_RECORDS
        latest = max(latest, now)
        records.append((log, _record(now, match, below)))
    return records, latest + dt.timedelta(seconds=5)


def _pieces(text: str) -> Iterator[tuple[re.Match[str] | str, list[str]]]:
    """(first line, matched where it has a record's head, and the lines below it) of each record."""
    head: re.Match[str] | str | None = None
    below: list[str] = []
    for line in text.splitlines():
        match = _HADOOP.fullmatch(line) or _RECORD.fullmatch(line)
        if match or head is None:
            if head is not None:
                yield head, below
            head, below = match or line, []
        else:
            below.append(line)
    if head is not None:
        yield head, below


def _record(now: dt.datetime, head: re.Match[str] | str, below: Sequence[str]) -> str:
    if isinstance(head, str):
        level = "ERROR" if _SAYS_FAILURE.search(head) else "INFO"
        return log_record(now, level, UNKNOWN_LOGGER, "\n".join([head.strip(), *below]))
    return log_record(now, head["level"], head["logger"] or UNKNOWN_LOGGER, "\n".join([head["text"], *below]))


def _time_of(head: re.Match[str] | str) -> dt.datetime | None:
    if isinstance(head, str) or not head["date"]:
        return None
    return dt.datetime.fromisoformat(f"{head['date']}T{head['clock']}.{head['ms']}+00:00")


def _moved(text: str, begin: dt.datetime) -> str:
    """The text with its date and times moved so that the first one is at `begin`."""
    stated = [dt.datetime.fromisoformat(f"{each[1]}T{each[2]}+00:00") for each in _STAMP.finditer(text)]
    if not stated:
        return text
    shift = begin - min(stated)
    moved = (f"{when + shift:%Y-%m-%d %H:%M:%S}" for when in stated)
    return _STAMP.sub(lambda _: next(moved), text)


def _failing_task(stack: str) -> str:
    """The task of the background that fails with this stack."""
    for pattern, task in ((_FAILS_THE_JOB, "job"), (_FAILS_A_SINK, "sink"), (_FAILS_A_SOURCE, "source")):
        if pattern.search(stack):
            return task
    return "window"


def _write_readings(folder: Path, text: str) -> None:
    """Writes series as answers of the Prometheus reporter, and what is none, as a table of the web UI, as it is.

    A remark behind `#` is whoever gathered the thread speaking, and in no file.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    series = [match for line in lines if (match := _SERIES.fullmatch(line)) and _is_number(match["first"])]
    others = [line for line in lines if line not in {match[0] for match in series}]
    if series:
        (folder / "taskmanager.prom").write_text("\n".join(_scrapes(series)) + "\n", "utf-8")
    if others:
        (folder / "readings.txt").write_text("\n".join(others) + "\n", "utf-8")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _scrapes(series: Sequence[re.Match[str]]) -> Iterator[str]:
    """The series as answers of the Prometheus reporter, one after the other; `a..b` moves evenly from a to b."""
    for number in range(SCRAPES):
        yield f"# scrape_time {(BEGIN + number * BETWEEN_SCRAPES).timestamp():.0f}"
        for each in series:
            own = each["labels"] or ""
            task = re.search(r'(?:task|operator)_name="[^"]*"', own)
            named = f"task_name{task[0][task[0].index('=') :]}," if task and "task_name=" not in own else ""
            labels = f'job_id="{JOB}",job_name="{JOB_NAME}",{named}{f"{own}," if own else ""}{PROCESS}'
            first = float(each["first"])
            value = first + (float(each["last"] or first) - first) * number / (SCRAPES - 1)
            yield f"# TYPE {each['name']} gauge"
            yield f"{each['name']}{{{labels},}} {value}"
