"""What an incident cost those who depend on its jobs, as people state it, in words."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.cases.models import Case
from workbench.languages.sentences import say, say_counted

IMPACT_COLUMNS = ("minutes_late", "jobs_affected", "records_lost", "records_delayed")
"""Columns of a case that state its impact; null means that nobody has said it yet."""


def impact_words(case: Case) -> list[str]:
    """The stated impact, each as a phrase: `12 min late`, `2 jobs affected`."""
    return list(_phrases(case))


def _phrases(case: Case) -> Iterator[str]:
    if case.minutes_late is not None:
        yield say("{count} min late", count=f"{case.minutes_late:,}")
    if case.jobs_affected is not None:
        yield say_counted("{count:,} job affected", "{count:,} jobs affected", case.jobs_affected)
    if case.records_lost is not None:
        yield say_counted("{count:,} record lost", "{count:,} records lost", case.records_lost)
    if case.records_delayed is not None:
        yield say_counted("{count:,} record delayed", "{count:,} records delayed", case.records_delayed)
