"""What later releases of Flink or a connector repaired that a failure may show."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.bugs.connector_release import flink_of
from diagnostics.reconstruction.bugs.running_release import jars_behind, stated_in_class_paths
from diagnostics.reconstruction.failures.fault import Fault
from diagnostics.vocabulary.known_bug import FLINK, Release, release_of
from diagnostics.vocabulary.later_fix import Candidate, later_fixes, products
from diagnostics.vocabulary.outside_refusals import refusal_of
from diagnostics.vocabulary.setting_faults import setting_fault_of

MOST_LISTED = 4
"""Fixes that are listed. Our choice: more would be read by nobody at night."""
FIX_FACTS = {
    "fix": "change of a later release that repairs this failure by its title",
    "fix_title": "title of that change",
    "fix_program": "whose change it is",
    "fix_release": "the nearest release above the one that runs, or the first of all, that has it",
    "fix_url": "where that change is described",
    "fix_running": "the release that runs, where a file states it",
    "fixes": "changes of later releases that may be about the failure, the closest first",
}
"""What the facts of `later_fix` mean, for the signals that state them."""


def later_fix(fault: Fault, evidence: Evidence) -> dict[str, FactValue]:
    """The later fix that is about the failure, if one is, and those that may be.

    A change beside a message with a repair of its own counts only where its title quotes that message.

    Gives  the facts of FIX_FACTS; without a fix that is about the failure only `fixes`
    """
    running = {name: release for name in products() if (release := _running(name, fault, evidence))}
    found = later_fixes(fault.throwers, fault.chain, running, quoting_only=_has_own_repair(fault, evidence))
    facts: dict[str, FactValue] = {"fixes": [_line_of(each, running) for each in found[:MOST_LISTED]] or None}
    if not found or not found[0].is_close:
        return facts
    first = found[0]
    product = first.fix.product
    release = running.get(product.name)
    return facts | {
        "fix": _name(first),
        "fix_title": first.fix.title.rstrip("."),
        "fix_program": product.program,
        "fix_release": _printed(first.fix.first_after(release)),
        "fix_url": product.address_of(first.fix.change),
        "fix_running": _printed(release) if release else None,
    }


def _has_own_repair(fault: Fault, evidence: Evidence) -> bool:
    """Whether a catalogue knows what repairs a failure with this message."""
    if repair_of(fault, evidence) or setting_fault_of(fault.chain, fault.places, fault.exception):
        return True
    refusal = refusal_of(fault.chain)
    return refusal is not None and not refusal.by_class


def _name(candidate: Candidate) -> str:
    """`FLINK-36375`, `#470` of a pull request, or a commit's id."""
    change = candidate.fix.change
    return f"#{change}" if change.isdigit() else change


def _line_of(candidate: Candidate, running: dict[str, Release]) -> str:
    """`Flink CDC 3.2.1: Fix missed default value (FLINK-36375)`."""
    fix = candidate.fix
    release = _printed(fix.first_after(running.get(fix.product.name)))
    return f"{fix.product.program} {release}: {fix.title} ({_name(candidate)})"


def _printed(release: Release) -> str:
    return ".".join(map(str, release))


def _running(product: str, fault: Fault, evidence: Evidence) -> Release | None:
    """The release of a product where the failure happened: Flink's own, or that of its JAR behind the frames or in the
    class path.
    """
    if product == FLINK:
        return flink_of(fault.frames, fault.citation.file_id, fault.ts_ms, evidence)
    behind = _release_among(product, jars_behind(fault.frames))
    return behind or stated_in_class_paths(fault.citation.file_id, evidence, lambda jars: _release_among(product, jars))


def _release_among(product: str, named: Sequence[tuple[str, str]]) -> Release | None:
    """The release of the product's first JAR."""
    return next((release_of(release) for name, release in named if products()[product].ships(name)), None)
