"""The evidence of a past case for a drill: raw lines by kind, in their original order, without names.

The lines are the citations of all signals, including harmless ones: a selection of only the relevant lines would be
half of the answer. Findings, rules, file names and job names are left out.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.redaction import Redactor, shipped_redaction_rules
from diagnostics.symptoms import symptom
from diagnostics.wording.cited_text import read_cited_text
from workbench.analyses.models import Analysis
from workbench.drills.models import DrillStep, StepKind
from workbench.languages.sentences import say_later

KINDS: Mapping[str, str] = {
    "log": say_later("Logs"),
    "rest": say_later("Answers of REST: checkpoints, back pressure, subtasks"),
    "metric": say_later("Metrics"),
    "gc": say_later("GC logs"),
    "thread": say_later("Thread dumps"),
    "frame": say_later("Profiles and flame graphs"),
    "config": say_later("Configuration"),
    "event": say_later("Events and Kubernetes"),
}
"""The kinds of evidence of the contract, in the order of the page."""

AT_ONCE = 6
"""Lines revealed per step: about what a person reads before moving on. Our choice."""
MOST_PIECES = 48
"""Lines of one kind: eight steps. Lines cited by a finding come first. Our choice."""
CAUSES = ("root_cause", "contributing")
SAME_NAMES = b"workbench drill"
"""Key of the pseudonyms. It only makes the case hard to recognise; its readers may know the names."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One line of evidence.

    ts_ms      epoch ms, None without a time
    source     kind of its file
    decisive   whether the confirmed cause cites it; hidden until the end
    """

    ts_ms: int | None
    text: str
    source: str
    decisive: bool

    @property
    def at(self) -> dt.datetime | None:
        """UTC."""
        return None if self.ts_ms is None else dt.datetime.fromtimestamp(self.ts_ms / 1000, dt.UTC)


@dataclass(frozen=True, slots=True)
class Drawer:
    """The evidence of one kind, dated pieces first, in their original order."""

    kind: str
    title: str
    pieces: Sequence[Piece]

    @property
    def decisive(self) -> list[Piece]:
        """The lines that the confirmed cause cites."""
        return [piece for piece in self.pieces if piece.decisive]


@dataclass(frozen=True, slots=True)
class DrawerShown:
    """A drawer with its revealed part."""

    drawer: Drawer
    open: int

    @property
    def pieces(self) -> Sequence[Piece]:
        return self.drawer.pieces[: self.open]

    @property
    def left(self) -> int:
        return len(self.drawer.pieces) - len(self.pieces)

    @property
    def saw_decisive(self) -> bool:
        return any(piece.decisive for piece in self.pieces)


Place = tuple[str, int | None, str]
"""File, line and text of a citation."""


def drawers(analysis: Analysis, truth: str) -> list[Drawer]:
    """The evidence of a diagnosis by kind; without empty kinds."""
    inputs = analysis.inputs or []
    findings = analysis.document["findings"]
    cited = {_place(each) for finding in findings for each in finding["evidence"]}
    rests_on = {_place(each) for finding in findings if _is_of(finding, truth) for each in finding["evidence"]}
    unnamed = _unnamed(analysis.document)
    places: dict[str, dict[Place, tuple[bool, Mapping[str, Any]]]] = {}
    for citation in _citations(analysis.signals):
        entry = inputs[citation["file_id"]] if citation["file_id"] < len(inputs) else {"file": ""}
        place = (entry["file"], citation.get("line"), citation.get("text") or "")
        if place[2].strip():
            places.setdefault(citation["kind"], {}).setdefault(place, (place in cited, {**citation, "entry": entry}))
    return [
        Drawer(kind, title, list(_pieces(places[kind], rests_on, unnamed)))
        for kind, title in KINDS.items()
        if kind in places
    ]


def _is_of(finding: Mapping[str, Any], truth: str) -> bool:
    return finding["symptom_class"] == truth and finding["role"] in CAUSES


def _place(evidence: Mapping[str, Any]) -> Place:
    return evidence["file"], evidence.get("line"), evidence.get("text") or ""


def _citations(signals: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for signal in signals or ():
        yield from signal.get("citations") or ()


def _pieces(
    found: Mapping[Place, tuple[bool, Mapping[str, Any]]], rests_on: set[Place], unnamed: Callable[[str], str]
) -> Iterator[Piece]:
    chosen = sorted(found.items(), key=lambda each: (not each[1][0], _order(each[1][1])))[:MOST_PIECES]
    for place, (_, citation) in sorted(chosen, key=lambda each: _order(each[1][1])):
        source = str(citation["entry"].get("format") or "").replace("-", " ")
        text = read_cited_text(place[2], citation["kind"])
        yield Piece(citation.get("ts_ms"), unnamed(text), source, place in rests_on)


def _order(citation: Mapping[str, Any]) -> tuple[bool, int, str, int]:
    moment = citation.get("ts_ms")
    return moment is None, moment or 0, str(citation["entry"]["file"]), citation.get("line") or 0


def _unnamed(document: Mapping[str, Any]) -> Callable[[str], str]:
    """Removes what identifies the case: names and ids of its jobs, hosts, addresses, people, secrets."""
    redactor = Redactor(shipped_redaction_rules(), SAME_NAMES)
    names = {each for job in document["jobs"] for each in (job["name"], job["job_id"]) if each}
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    jobs = re.compile("|".join(re.escape(name) for name in longest_first)) if names else None

    def without_names(text: str) -> str:
        shown = redactor.text(text.encode()).decode("utf-8", "replace")
        return jobs.sub("THE-JOB", shown) if jobs else shown

    return without_names


def drawers_shown(all_drawers: Sequence[Drawer], steps: Iterable[DrillStep]) -> list[DrawerShown]:
    """The drawers with the parts revealed by the steps."""
    opened: dict[str, int] = {}
    for step in steps:
        if step.kind == StepKind.LOOK:
            opened[step.subject] = max(opened.get(step.subject, 0), step.shown)
    return [DrawerShown(drawer, opened.get(drawer.kind, 0)) for drawer in all_drawers]


def noticed(document: Mapping[str, Any]) -> list[str]:
    """What an alert would have reported: titles of consequences, which are never a cause."""
    titles = [each["title"] for each in document["findings"] if symptom(each["symptom_class"]).kind == "consequence"]
    return list(dict.fromkeys(titles))
