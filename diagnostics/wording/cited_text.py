"""Texts beside cited samples, in our words: they are stored in English and read in the reader's language.

A citation of a log line has its words. One of a sample, an answer of REST or an event has a text that a signal makes of
its fields, by `cited_text` and a form below. `read_cited_text` recognises the form again; what has none has the words
of the evidence and stays.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter
from typing import Any

from diagnostics.language import ENGLISH, reader_language, say, to_say

OF_METRIC_AND_PLACE = to_say("{metric} of {place} = {value}")
OF_METRIC_AND_SUBTASK = to_say("{metric} of subtask {subtask} = {value}")
OF_METRIC = to_say("{metric} of subtask {subtask} of {place} = {value}")
COUNTED = to_say("{count}: {rate} ms/s over {duration}")
READ_AND_WRITTEN = to_say("subtask {subtask}: read-records {read}, write-records {written}")
READ_SINCE = to_say("subtask {subtask} after {seconds} s: {parts}")
BUSY_SHARE = to_say("subtask {subtask}: busy {share} of the time (level {level})")
BACK_PRESSURED_SHARE = to_say("subtask {subtask}: back pressured {share} of the time (level {level})")
SAMPLES = to_say("{count} samples: {frames}")
EARLY_EVENT = to_say("{key}: arrives {seconds} s before its event time")
LATE_EVENT = to_say("{key}: arrives {seconds} s after its event time")
FULL_COLLECTION = to_say("full collection of {pause} ms")
FIRST_OF_KEY = to_say("first of {count} events with key {key} among {events}")
CHECKPOINT = to_say("checkpoint {number} {status}, {parts}")
CHECKPOINT_STATUS = to_say("checkpoint {number} {status}")
CHECKPOINT_NUMBER = to_say("checkpoint {number}")
STATE_OF_SUBTASK = to_say("checkpoint {number}, subtask {subtask}: state {state}, start delay {delay}")
PHASES_OF_SUBTASK = to_say("checkpoint {number}, {task}, subtask {subtask}: {parts}")
WAITED = to_say("checkpoint {number}: start delay and alignment {waited} ms")
LAG = to_say("{topic} partition {partition}: {lag} records behind")
LAG_OF_GROUP = to_say("group {group}, {topic} partition {partition}: {lag} records behind")
LATENCY = to_say("latency, 99th percentile = {value} ms")
LATENCY_MEDIAN = to_say("latency, median = {value} ms")
LEVEL = to_say("{metric} = {most}, usually {usual} ({samples} samples)")
LEVEL_OF_DEVICE = to_say("{metric} of {device} of {host} = {most}, usually {usual} ({samples} samples)")
LEVEL_OF_HOST = to_say("{metric} of {host} = {most}, usually {usual} ({samples} samples)")
JOB = to_say("job {job}")
JOB_STATE = to_say("job {job} is {state}")
STATE_OF_JOB = to_say("state of the job: {state}")
STATE_OF_THREAD = to_say("thread {thread} is {state} in {frame}")
CPU_OF_THREAD = to_say("thread {thread} used {used} of CPU time in {seconds} s")
HEAP = to_say("TaskManager {task_manager}: heap {used} of {largest}")
QUERIES = to_say("{statement}: {count} times, usually {usual} ms, at most {most} ms")
RUNNING = to_say("{statement}: running for {waited} ms")
CALLED = to_say("{statement}: called {count} times, {usual} ms each")
SENT_AGAIN = to_say("{host}: {again} of {segments} segments sent again")
SENT_AGAIN_AND_WAITS = to_say("{host}: {again} of {segments} segments sent again, {parts}")

FORMS = (
    READ_AND_WRITTEN,
    READ_SINCE,
    BUSY_SHARE,
    BACK_PRESSURED_SHARE,
    EARLY_EVENT,
    LATE_EVENT,
    FULL_COLLECTION,
    FIRST_OF_KEY,
    STATE_OF_SUBTASK,
    PHASES_OF_SUBTASK,
    WAITED,
    CHECKPOINT,
    CHECKPOINT_STATUS,
    CHECKPOINT_NUMBER,
    LAG_OF_GROUP,
    LAG,
    LATENCY,
    LATENCY_MEDIAN,
    LEVEL_OF_DEVICE,
    LEVEL_OF_HOST,
    LEVEL,
    JOB_STATE,
    JOB,
    STATE_OF_JOB,
    STATE_OF_THREAD,
    CPU_OF_THREAD,
    HEAP,
    QUERIES,
    RUNNING,
    CALLED,
    SENT_AGAIN_AND_WAITS,
    SENT_AGAIN,
    OF_METRIC,
    OF_METRIC_AND_SUBTASK,
    OF_METRIC_AND_PLACE,
    SAMPLES,
)
"""In the order in which they are tried: the first that fits counts."""
OF_LOG_LINES = (PHASES_OF_SUBTASK, WAITED, CHECKPOINT_NUMBER, QUERIES)
"""Those beside log lines that state several values; any other citation of a log has the words of the line."""

PARTS = (
    to_say("read-records {read}"),
    to_say("busy {seconds} s"),
    to_say("back-pressured {seconds} s"),
    to_say("end to end {duration}"),
    to_say("start delay {duration}"),
    to_say("alignment {duration}"),
    to_say("sync {duration}"),
    to_say("async {duration}"),
    to_say("wrote {written} of {state}"),
    to_say("timeout {waited} ms"),
    to_say("timeout {waited} ms after {count} doublings"),
)
"""What the value `parts` of a form consists of, with commas between them; another part is of the evidence."""

QUOTED = ("log", "config")
"""Kinds of citations that have the words of their line."""

WORDS = (to_say("unknown"),)
"""Values that are words of ours."""
BYTES = re.compile(r"([\d,]+) bytes")
"""A size that is small, or exact; the other units are signs that both languages have."""

LONGEST_TEXT = 1_000
"""Characters of a text in which a form is looked for. Our choice: three times what a citation keeps of a log line; a
pattern with two values that are any text takes the square of it in the worst case.
"""

NUMBER = r"[\d.,e+-]+"
PATTERNS = {
    **dict.fromkeys(("number", "partition", "samples", "segments", "again", "events", "lag"), r"[\d,]+"),
    **dict.fromkeys(("seconds", "waited", "pause", "rate", "usual", "most", "count"), NUMBER),
    "subtask": r"\d+|None",
    "share": r"[\d.,]+ ?%",
    "duration": r"[\d.,]+ [a-zµ]+(?: \d+ [a-z]+)*",
    "metric": r"[\w.%/:-]+",
    "value": rf"unknown|{NUMBER}(?:: {NUMBER} ms/s over .+)?",
    "status": r"[A-Z_]+",
    "state": r"[A-Z_]+|unknown|[\d.,]+ \w+",
    **dict.fromkeys(("used", "largest", "delay"), r"unknown|[\d.,]+ \w+"),
    "level": r"\S+",
    "device": r"\S+",
    "host": r"\S+(?: to \S+)?",
    "task_manager": r"\S+",
}
"""Value of a form -> what it looks like; others are any text."""


def cited_text(form: str, **values: Any) -> str:
    """The text of a form in English, for storage."""
    return form.format(**values)


def sample_text(metric: str, subtask: int | None, place: str | None, value: str) -> str:
    """The text of a sample of a metric.

    place  operator, task or TaskManager that it is of
    """
    values = {"metric": metric, "value": value}
    if subtask is None:
        return cited_text(OF_METRIC_AND_PLACE, place=place, **values) if place else f"{metric} = {value}"
    if not place:
        return cited_text(OF_METRIC_AND_SUBTASK, subtask=subtask, **values)
    return cited_text(OF_METRIC, subtask=subtask, place=place, **values)


def read_cited_text(english: str, kind: str) -> str:
    """A stored text of `cited_text` in the reader's language; any other one unchanged."""
    if reader_language() == ENGLISH or len(english) > LONGEST_TEXT:
        return english
    for form in OF_LOG_LINES if kind in QUOTED else FORMS:
        if values := _pattern(form).fullmatch(english):
            return say(form, **{name: _read_value(name, value) for name, value in values.groupdict().items()})
    return english


def _read_value(name: str, value: str) -> str:
    if name == "parts":
        return _read_parts(value)
    if values := _pattern(COUNTED).fullmatch(value):
        return say(COUNTED, **values.groupdict())
    if count := BYTES.fullmatch(value):
        return f"{count[1]} {say('bytes')}"
    return say(value) if value in WORDS else value


def _read_parts(english: str) -> str:
    """The parts of a form, each in the reader's language; a comma within what is of the evidence stays."""
    text, was_said = "", True
    for part in english.split(", "):
        form = next((each for each in PARTS if _pattern(each).fullmatch(part)), None)
        values = _pattern(form).fullmatch(part) if form else None
        said = (
            say(form, **{name: _read_value(name, each) for name, each in values.groupdict().items()})
            if form and values
            else part
        )
        comma = say(", ") if form or was_said else ", "
        text += f"{comma if text else ''}{said}"
        was_said = form is not None
    return text


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """What a text of the form looks like, with a group for each value."""
    return re.compile(
        "".join(
            re.escape(words) + (f"(?P<{name}>{PATTERNS.get(name, '.+?')})" if name else "")
            for words, name, _, _ in Formatter().parse(form)
        ),
        re.DOTALL,
    )
