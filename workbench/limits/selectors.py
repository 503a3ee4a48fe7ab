"""Reads the limits in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Max

from diagnostics.intake import Limits
from diagnostics.intake.limits import USUAL
from workbench.limits.catalogue import LIMITS
from workbench.limits.models import LimitChange


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """The current limits of an upload.

    file_bytes   of one file
    case_bytes   of all files of a case, as uploaded
    case_files   files of a case, as uploaded
    team_bytes   of all files of all cases of a team
    unpacked     limits for reading archives
    """

    file_bytes: int
    case_bytes: int
    case_files: int
    team_bytes: int
    unpacked: Limits


def values_set() -> dict[str, int]:
    """The values that administrators set, by name, without defaults. One query."""
    newest = LimitChange.objects.values("name").annotate(newest=Max("pk")).values("newest")
    rows = LimitChange.objects.filter(pk__in=newest, after__isnull=False).values_list("name", "after")
    return {name: value for name, value in rows if name in LIMITS and value is not None}


def values_now(chosen: Mapping[str, int]) -> dict[str, int]:
    """Every limit's value from those that were set: never above the upper bound, even when that was lowered later."""
    return {name: min(chosen.get(name, limit.usual()), limit.most()) for name, limit in LIMITS.items()}


def limits_now() -> UploadLimits:
    """The current limits. Read once per upload and analysis, so that a change needs no restart."""
    values = values_now(values_set())
    case_bytes, case_files, team_bytes = (values.pop(name) for name in ("case_bytes", "case_files", "team_bytes"))
    return UploadLimits(
        file_bytes=values["file_bytes"],
        case_bytes=case_bytes,
        case_files=case_files,
        team_bytes=team_bytes,
        unpacked=replace(USUAL, **values),
    )
