"""Reads the sampled stacks of an analysis, and selects the part that a page shows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404

from diagnostics.errors import UnreadableInput
from diagnostics.profiles.call_tree import CallTree, call_tree, compared, shown
from diagnostics.profiles.frame_meaning import explained
from diagnostics.profiles.heat import heat
from diagnostics.profiles.selection import ALL, Cpu, Selection, choices, completed, named_task, task_name
from diagnostics.profiles.stored import StoredProfiles
from workbench.accounts.models import User
from workbench.analyses.models import Analysis, SampledStacks
from workbench.analyses.selectors import analysis_visible
from workbench.languages.sentences import say

MOST_OTHER_CASES = 50
CPU: Mapping[str, Cpu] = {"on": "on", "off": "off"}

Asked = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The profile to compare with."""

    analysis: Analysis
    selection: Selection
    tree: CallTree


def profiles_of_analysis(user: User, analysis_id: int) -> tuple[Analysis, StoredProfiles]:
    """The analysis and its stacks. Raises Http404 for a stranger, and for an analysis without stacks."""
    analysis = analysis_visible(user, analysis_id)
    if not has_stacks(analysis):
        raise Http404(say("The files of this case hold no sampled stacks."))
    return analysis, profiles_stored(analysis)


def has_stacks(analysis: Analysis) -> bool:
    """Whether stacks are stored."""
    return SampledStacks.objects.filter(analysis=analysis).exists()


def profiles_stored(analysis: Analysis) -> StoredProfiles:
    """The stacks of an analysis. Raises Http404 when another version stored them."""
    try:
        return _unpacked(analysis.pk, analysis.finished_at)
    except UnreadableInput as error:
        raise Http404(str(error)) from error


@lru_cache(maxsize=3)
def _unpacked(analysis_id: int, _finished_at: dt.datetime | None) -> StoredProfiles:
    """Cached: the stacks of an analysis never change, and a user opens many views of them."""
    return StoredProfiles.from_bytes(bytes(get_object_or_404(SampledStacks, analysis_id=analysis_id).content))


def selection_of(asked: Asked, profiles: StoredProfiles, prefix: str = "") -> Selection:
    """The selection in the address; missing or invalid parts mean all."""
    subtask = asked.get(f"{prefix}subtask", "")
    start, _, end = asked.get(f"{prefix}time", "").partition("/")
    return completed(
        profiles,
        Selection(
            source=asked.get(f"{prefix}source", ALL),
            task=asked.get(f"{prefix}task", ALL),
            subtask=int(subtask) if subtask.isascii() and subtask.isdigit() and len(subtask) < 6 else None,
            thread=asked.get(f"{prefix}thread", ALL),
            cpu=CPU.get(asked.get("cpu", ""), "mixed"),
            from_ms=_epoch_ms(start),
            to_ms=_epoch_ms(end),
        ),
    )


def _epoch_ms(text: str) -> int | None:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return round(moment.timestamp() * 1000) if moment.tzinfo else None


def tree_shown(user: User, analysis_id: int, asked: Asked) -> dict[str, Any]:
    """The requested call tree, alone or compared with another, and the available choices."""
    analysis, profiles = profiles_of_analysis(user, analysis_id)
    selection = selection_of(asked, profiles)
    tree = call_tree(profiles, selection.holds)
    baseline = _baseline(user, asked, analysis, profiles, selection)
    if baseline:
        tree = compared(tree, baseline.tree)
    root = asked.get("root", "")
    answer = shown(tree, int(root) if root.isascii() and root.isdigit() and len(root) < 9 else None)
    return {
        **answer,
        **explained(answer["names"]),
        "choices": choices(profiles, selection),
        "heat": heat(profiles, selection),
        "selection": {"source": selection.source, "task": selection.task, "cpu": selection.cpu},
        "baseline": _baseline_facts(baseline) if baseline else None,
        "stacks_left_out": profiles.left_out,
    }


def _baseline(
    user: User, asked: Asked, analysis: Analysis, profiles: StoredProfiles, selection: Selection
) -> Baseline | None:
    against = asked.get("against", "")
    if not against.isascii() or not against.isdigit() or len(against) > 12:
        return None
    other, other_profiles = profiles_of_analysis(user, int(against))
    chosen = selection_of(asked, other_profiles, "base_")
    if "base_source" not in asked:
        chosen = completed(other_profiles, replace(chosen, source=selection.source))
    if "base_task" not in asked:
        own = selection.task
        task = own if other == analysis else named_task(other_profiles, task_name(profiles, own) if own else None)
        chosen = completed(other_profiles, replace(chosen, task=task))
    return Baseline(other, chosen, call_tree(other_profiles, chosen.holds))


def _baseline_facts(baseline: Baseline) -> dict[str, Any]:
    return {
        "analysis": baseline.analysis.pk,
        "case": baseline.analysis.case.read_title,
        "source": baseline.selection.source,
        "task": baseline.selection.task,
    }


def other_analyses(user: User, analysis: Analysis) -> list[Analysis]:
    """The newest analyses with stacks of the other visible cases, one per case."""
    others = (
        Analysis.objects.visible_to(user)
        .only("case", "case__title")
        .filter(stacks__isnull=False)
        .exclude(case=analysis.case)
        .select_related("case")[: 4 * MOST_OTHER_CASES]
    )
    newest: dict[int, Analysis] = {}
    for each in others:
        newest.setdefault(each.case_id, each)
    return list(newest.values())[:MOST_OTHER_CASES]
