"""The catalogue of limits: title, unit, default and upper bound of each.

The variables WORKBENCH_MOST_* are upper bounds, set by the operator of the machine; administrators set lower values on
the page. The default of a limit is its upper bound or, without a variable, its own default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings

from diagnostics.intake.limits import GIB, MIB, USUAL
from workbench.languages.sentences import say_later
from workbench.machine.disk import disk_room


class Unit(StrEnum):
    BYTES = "bytes"
    COUNT = "count"
    RATIO = "ratio"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.

    usual, most  evaluated when read, because tests and the environment set them
    variable     the environment's name for `most`, if any
    """

    name: str
    title: str
    explanation: str
    unit: Unit
    least: int
    usual: Callable[[], int]
    most: Callable[[], int]
    variable: str | None = None


def _half_of_the_disk() -> int:
    """In whole MiB, up to the upper bound."""
    return min(max(disk_room().total // 2 // MIB * MIB, MIB), settings.MOST_TEAM_BYTES)


LIMITS: Mapping[str, Limit] = {
    limit.name: limit
    for limit in (
        Limit(
            "file_bytes",
            say_later("One file"),
            say_later("An uploaded file as it comes, and a file inside an archive when it is unpacked."),
            Unit.BYTES,
            1,
            lambda: settings.MOST_FILE_BYTES,
            lambda: settings.MOST_FILE_BYTES,
            "WORKBENCH_MOST_FILE_BYTES",
        ),
        Limit(
            "case_bytes",
            say_later("All files of a case"),
            say_later("As they come: an archive counts with its own size."),
            Unit.BYTES,
            1,
            lambda: settings.MOST_CASE_BYTES,
            lambda: settings.MOST_CASE_BYTES,
            "WORKBENCH_MOST_CASE_BYTES",
        ),
        Limit(
            "team_bytes",
            say_later("All cases of a team"),
            say_later(
                "What their files take on the disk. By itself half of the disk, so that one team leaves room for "
                "others.",
            ),
            Unit.BYTES,
            1,
            _half_of_the_disk,
            lambda: settings.MOST_TEAM_BYTES,
            "WORKBENCH_MOST_TEAM_BYTES",
        ),
        Limit(
            "case_files",
            say_later("Files of a case"),
            say_later("An archive counts as one."),
            Unit.COUNT,
            1,
            lambda: settings.MOST_CASE_FILES,
            lambda: settings.MOST_CASE_FILES,
            "WORKBENCH_MOST_CASE_FILES",
        ),
        Limit(
            "files",
            say_later("Files of a case, unpacked"),
            say_later(
                "Those inside archives counted. Of one archive four times as many entries are looked at, folders "
                "counted.",
            ),
            Unit.COUNT,
            1,
            lambda: USUAL.files,
            lambda: 100_000,
        ),
        Limit(
            "total_bytes",
            say_later("All files of a case, unpacked"),
            say_later("What comes out of all archives and compressions together."),
            Unit.BYTES,
            MIB,
            lambda: USUAL.total_bytes,
            lambda: 1024 * GIB,
        ),
        Limit(
            "ratio",
            say_later("How many times an upload may grow when it is unpacked"),
            say_later("Beyond that it counts as a decompression bomb. Logs stay below 60."),
            Unit.RATIO,
            10,
            lambda: USUAL.ratio,
            lambda: 2_000,
        ),
        Limit(
            "nesting",
            say_later("Archives within one another"),
            say_later("The outer one counted."),
            Unit.COUNT,
            1,
            lambda: USUAL.nesting,
            lambda: 4,
        ),
        Limit(
            "name_characters",
            say_later("Characters of a path inside an archive"),
            say_later("A file with a longer one is not read."),
            Unit.COUNT,
            64,
            lambda: USUAL.name_characters,
            lambda: 4_096,
        ),
    )
}

ALWAYS = (
    (say_later("Links in archives"), say_later("Never followed: a link can lead to any file of this machine.")),
    (say_later("Devices, pipes and sockets in archives"), say_later("Never opened.")),
    (say_later("Paths that leave the archive"), say_later("Never taken: neither a root nor .. leads anywhere.")),
)
"""Hard limits that nobody can raise."""
