"""`make audit`: reports installed versions with known vulnerabilities, from local data."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

ADVISORIES = Path(__file__).with_name("advisories.yaml")


@dataclass(frozen=True, slots=True)
class Advisory:
    """A known vulnerability; the fields are those of `advisories.yaml`.

    version   of the bundled program, when the package's own version is unrelated
    """

    package: str
    id: str
    fixed: str
    what: str
    version: str = ""
    accepted: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """The known vulnerabilities, and the date of the last review."""

    reviewed: str
    advisories: tuple[Advisory, ...]


def known_advisories(text: str) -> Known:
    """Reads `advisories.yaml`."""
    document: dict[str, Any] = yaml.safe_load(text)
    return Known(str(document["reviewed"]), tuple(Advisory(**each) for each in document["advisories"]))


def affecting(known: Known, installed: Callable[[str], str] = version) -> Iterator[tuple[Advisory, str]]:
    """The advisories that apply to the installed versions, with that version."""
    for advisory in known.advisories:
        try:
            found = advisory.version or installed(advisory.package)
        except PackageNotFoundError:
            continue
        if _numbers(found) < _numbers(advisory.fixed):
            yield advisory, found


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def main() -> int:
    """Prints the advisories; 1 when one is not accepted."""
    known = known_advisories(ADVISORIES.read_text("utf-8"))
    affected = list(affecting(known))
    print(
        f"{len(known.advisories)} known vulnerabilities, reviewed on {known.reviewed}; later ones are not known here."
    )
    for advisory, found in affected:
        print(f"{advisory.package} {found}: {advisory.id}, {advisory.what}; mended in {advisory.fixed}.")
        print(f"  Accepted: {advisory.accepted}" if advisory.accepted else "  NOT ACCEPTED: update it.")
    return int(any(not advisory.accepted for advisory, _ in affected))


if __name__ == "__main__":
    sys.exit(main())
