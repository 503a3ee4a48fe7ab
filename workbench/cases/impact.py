"""What an incident cost those who depend on its jobs, as people state it, in words."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.cases.models import Case

IMPACT_COLUMNS = ("minutes_late", "jobs_affected", "records_lost", "records_delayed")
"""Columns of a case that state its impact; null means that nobody has said it yet."""


def impact_words(case: Case) -> list[str]:
    """The stated impact, each as a phrase: `12 min late`, `2 jobs affected`."""
    return list(_phrases(case))


def _phrases(case: Case) -> Iterator[str]:
    if case.minutes_late is not None:
        yield f"{case.minutes_late:,} min late"
    if case.jobs_affected is not None:
        yield f"{case.jobs_affected:,} job{'' if case.jobs_affected == 1 else 's'} affected"
    for count, what in ((case.records_lost, "lost"), (case.records_delayed, "delayed")):
        if count is not None:
            yield f"{count:,} record{'' if count == 1 else 's'} {what}"
