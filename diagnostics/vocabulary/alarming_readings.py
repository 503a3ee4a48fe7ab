"""Readings of metrics that suffice for a judgement where only a few were copied, from `alarming_readings.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

FILE = "alarming_readings.yaml"
Take = Literal["least", "most", "first", "last", "grown", "unknown", "idle", "series"]
By = Literal["subtask", "task", "process", "job"]
BEHIND_METRIC = "@"
"""Between a metric and the aggregate of REST (`busyTimeMsPerSecond@max`) or the quantile (`…Latency@0.99`)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What has to be read at one place.

    metrics  names, with `@` before an aggregate or quantile; the first that was read counts
    take     of all its series there: the least, the most, the sum of the first or of the last values, the sum of what
             they grew by, the number of series without a value, of those at 0 beside others, or of all
    over     metrics whose sum of last values it is divided by; empty where the value itself is compared
    bounds   inclusive, None for no bound
    anywhere whether it is looked for at all places of the job
    elsewhere the same, without the place itself
    at       what the name of such a place must have; None where it does not matter
    not_at   what it must not have
    """

    metrics: tuple[str, ...]
    take: Take
    over: tuple[str, ...]
    at_least: float | None
    at_most: float | None
    anywhere: bool
    elsewhere: bool
    at: re.Pattern[str] | None
    not_at: re.Pattern[str] | None

    def fits(self, value: float) -> bool:
        """Whether a value is within the bounds."""
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


@dataclass(frozen=True, slots=True)
class AlarmingReading:
    """One entry: the readings that must be there together, and what they say.

    same_as  signals that measure the same over the time of the evidence
    by      what one place is; `task` joins the subtasks
    scope   of the process whose metrics count; None for any
    main    the reading that is shown
    named   what the task's name must have; None where it does not matter
    stands_still  whether it says that the watermark does not arrive or does not advance
    unread  metrics that, where they are read anywhere, let other rules judge
    declared  whether a source of the job must assign watermarks and let no idle input pass
    """

    symptom_class: str
    same_as: frozenset[str]
    by: By
    scope: str | None
    main: Reading
    others: tuple[Reading, ...]
    named: re.Pattern[str] | None
    not_named: re.Pattern[str] | None
    unread: tuple[str, ...]
    declared: bool
    stands_still: bool
    unit: str
    what: str
    advice: str
    option: str | None
    option_times: float
    option_unit: str

    @property
    def readings(self) -> Sequence[Reading]:
        """All of them, the one that is shown first."""
        return (self.main, *self.others)


def base_of(metric: str) -> str:
    """The metric without its aggregate or quantile."""
    return metric.partition(BEHIND_METRIC)[0]


@cache
def asked_metrics() -> frozenset[str]:
    """The metrics that an entry reads."""
    return frozenset(
        base_of(metric)
        for entry in alarming_readings().values()
        for metric in (
            *entry.unread,
            *(name for each in entry.readings for name in (*each.metrics, *each.over)),
        )
    )


@cache
def alarming_readings() -> Mapping[str, AlarmingReading]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue(FILE)
    return {name: _entry(entry) for name, entry in content.items()}


@cache
def reading_classes() -> tuple[str, ...]:
    """The symptom classes that an entry speaks for."""
    return tuple(dict.fromkeys(entry.symptom_class for entry in alarming_readings().values()))


def _entry(entry: Mapping[str, Any]) -> AlarmingReading:
    main, *others = (_reading(each) for each in entry["read"])
    proposed = entry.get("propose", {})
    return AlarmingReading(
        symptom_class=entry["class"],
        same_as=frozenset(entry.get("same_as", ())),
        by=entry["by"],
        scope=entry.get("scope"),
        main=main,
        others=tuple(others),
        named=_pattern(entry.get("named")),
        not_named=_pattern(entry.get("not_named")),
        unread=tuple(entry.get("unread", ())),
        declared=entry.get("declared") is True,
        stands_still=entry.get("stands_still") is True,
        unit=entry["unit"],
        what=with_translations(entry["what"].strip(), entry, "what"),
        advice=with_translations(entry["advice"].strip(), entry, "advice"),
        option=proposed.get("option"),
        option_times=float(proposed.get("times", 1)),
        option_unit=proposed.get("unit", ""),
    )


def _reading(stated: Mapping[str, Any]) -> Reading:
    takes = [name for name in get_args(Take) if name in stated]
    [take] = takes
    metrics = stated[take]
    over = stated.get("over", ())
    return Reading(
        metrics=(metrics,) if isinstance(metrics, str) else tuple(metrics),
        take=take,
        over=(over,) if isinstance(over, str) else tuple(over),
        at_least=stated.get("at_least"),
        at_most=stated.get("at_most"),
        anywhere=stated.get("anywhere") is True,
        elsewhere=stated.get("elsewhere") is True,
        at=_pattern(stated.get("at")),
        not_at=_pattern(stated.get("not_at")),
    )


def _pattern(parts: Sequence[str] | None) -> re.Pattern[str] | None:
    return re.compile("|".join(map(re.escape, parts)), re.IGNORECASE) if parts else None
