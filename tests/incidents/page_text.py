"""What the pages of a diagnosed case tell to do, as plain text for a reader who holds the stated fix beside it.

It has no confidence, duration or address of a run: the same evidence and the same program give the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.analyze import Report
from diagnostics.diagnosis.first_step import first_step_of
from diagnostics.runbook import fill, runbooks

FOLDED = "folded"
"""Marks what a page shows only when somebody opens it: steps that the case leads past, and changes that are met."""


def page_text(analysis: Report) -> str:
    """The verdict, what to do first, the findings, and the runbooks of the case as its pages show them.

    The runbooks are those of the root causes; where none leads, those of the findings that nothing explains. Where no
    cause leads, the possible causes and the evidence that would tell them apart follow.
    """
    return "\n".join(_lines(analysis))


def _lines(analysis: Report) -> Iterator[str]:
    document = analysis.document
    verdict, findings = document["verdict"], document["findings"]
    yield f"Verdict: {verdict['symptom_class']}. {verdict['summary']}"
    said = {first_step_of(document)}
    yield f"Do first: {first_step_of(document) or '-'}"
    for each in findings:
        statement = "" if each["statement"] in verdict["summary"] else f" {each['statement']}"
        step = f" First: {each['first_step']}" if each["first_step"] and each["first_step"] not in said else ""
        said.add(each["first_step"])
        yield f"Finding ({each['role']}): {each['title']}.{statement}{step}"
    roots = [each for each in findings if each["role"] == "root_cause"]
    shown = roots or [each for each in findings if each["caused_by"] is None]
    for name, each in {each["runbook"]: each for each in reversed(shown) if each.get("runbook")}.items():
        yield from _runbook_lines(fill(runbooks()[name], each, analysis.signals))
    if document["hypotheses"]:
        yield f"Possible causes: {', '.join(each['title'] for each in document['hypotheses'])}"
    if split := document["split"]:
        yield f"To tell them apart, add: {split['what']}. {split['why']}"


def _runbook_lines(filled: Mapping[str, Any]) -> Iterator[str]:
    yield f"Runbook: {filled['title']}. {filled['goal']}"
    for number, step in enumerate(filled["steps"], 1):
        if step["left_out"]:
            yield f"{number}. ({FOLDED}) {step['question']}"
            continue
        yield f"{number}. {step['question']} {step.get('why', '')}".rstrip()
        yield from (f"   measured: {each}" for each in step["measured"])
        yield from (f"   look: {each['what']}" for each in step["look"])
        for answer in step["answers"]:
            if answer["taken"] is not False:
                yield f"   - {'[this case] ' if answer['taken'] else ''}{answer['if']}: {answer['then']}"
        met = f" ({FOLDED}: met)" if step["done"]["holds"] else ""
        for change in step["shown_change"]:
            only_if = f"only if {change['only_if']}, " if change["only_if"] else ""
            place, lines = change["file"] or change["kind"], " ; ".join(change["to"].splitlines())
            yield f"   change{met}: {only_if}{place}: {lines}"
        yield from (f"   will not help: {each}" for each in step["wont_help"])
