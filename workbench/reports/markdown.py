"""A report as Markdown for chats, tickets and wikis, and the draft of a post-mortem."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any
from urllib.parse import urljoin

from django.urls import reverse

from diagnostics.diagnosis.job_names import job_named, names_of_several, with_job_name
from diagnostics.diagnosis.job_parts import EvidenceToAdd
from diagnostics.language import joined_sentences
from diagnostics.notation.control_characters import show_controls
from diagnostics.symptoms import symptom
from diagnostics.wording import phrase
from workbench.cases.impact import impact_words
from workbench.cases.words import severity_word
from workbench.history.timeline import Entry
from workbench.languages.sentences import say, to_say
from workbench.reports.content import COMMAND, ROOT, Report, ReportedCauses, ReportedFinding, minute_utc
from workbench.reports.events import Event
from workbench.runbooks.filling import StepShown
from workbench.runbooks.plans import PlanShown

MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
LONGEST_CODE = 500


def plain(text: str) -> str:
    """Untrusted text without markup, control characters and line breaks."""
    return MARKUP.sub(r"\\\1", show_controls(" ".join(text.split())))


def with_code(text: str) -> str:
    """A text of ours: what is between backticks as inline code, the rest without markup."""
    pieces = show_controls(" ".join(text.split())).split("`")
    if len(pieces) % 2 == 0 or not all(map(str.strip, pieces[1::2])):
        return plain(text)
    return "".join(f"`{piece}`" if place % 2 else MARKUP.sub(r"\\\1", piece) for place, piece in enumerate(pieces))


def code(text: str) -> str:
    """Text as inline code, whatever backticks it contains."""
    whole = show_controls(" ".join(text.split()))
    shown = whole if len(whole) <= LONGEST_CODE else f"{whole[: LONGEST_CODE - 1]}…"
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"`{shown}`"


IN_FORCE = to_say(
    "None of the changes of this step applies to this case: it runs with the settings already, does not need them, or "
    "its measurements decide against them."
)


def as_markdown(report: Report, address: str) -> str:
    """The whole report. `address` leads to the case."""
    return "\n".join(_lines(report, address)) + "\n"


def fenced(text: str) -> Iterator[str]:
    """Lines as a code block, whatever backticks they contain."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    yield from (fence, *map(show_controls, text.splitlines()), fence, "")


def finding_as_markdown(finding: ReportedFinding, address: str) -> str:
    """One finding with its evidence. `address` leads to it."""
    return "\n".join([*list(_finding_lines(finding))[1:], "", f"<{address}>"]) + "\n"


def step_as_markdown(step: StepShown, address: str) -> str:
    """One step of a runbook, with commands and changes as blocks of code. `address` leads to it."""
    return "\n".join([*_step_lines(step), f"<{address}>"]) + "\n"


def _step_lines(step: StepShown) -> Iterator[str]:
    content = step.content
    yield from (f"### {step.number}. {plain(content['question'])}", "")
    if content.get("why"):
        yield from (plain(content["why"]), "")
    yield from _list(say("Measured"), content["measured"])
    for each in content["look"]:
        yield from (plain(each["what"]), "", *fenced(each["command"]))
    answers = [say("{condition}: {meaning}", condition=each["if"], meaning=each["then"]) for each in content["answers"]]
    yield from _list(say("What the answer means"), answers)
    if not step.is_met:
        yield from _remedy_lines(content)
    yield from _list(say("What will not help"), content["wont_help"])
    yield from _list(say("Done when"), [content["done"]["text"]] if content["done"]["text"] else [])
    if step.record:
        yield from (
            f"{plain(str(step.record.by))} {plain(step.record.action_words)}, {minute_utc(step.record.at)} UTC",
            "",
        )


def _restart_lines(way: Mapping[str, Any]) -> Iterator[str]:
    yield from (with_code(way["text"]), "")
    yield from (line for each in (way["look"], way["command"]) if each for line in fenced(each))


def _remedy_lines(content: Mapping[str, Any]) -> Iterator[str]:
    """What a step changes, how the job is restarted for it, its cost and the way back."""
    if content["in_force"]:
        yield from (say(IN_FORCE), "")
    for change in content["shown_change"]:
        yield from change_lines(change)
    if content["savepoint"]:
        yield from _restart_lines(content["savepoint"])
    yield from _list(say("Cost"), [content["cost"]] if content.get("cost") else [])
    yield from _list(say("Way back"), [content["rollback"]] if content.get("rollback") else [])


def change_lines(change: Mapping[str, Any]) -> Iterator[str]:
    """What one change of a file replaces or adds, or a command to run."""
    name = plain(change["file"] or change["kind"])
    if change["only_if"]:
        yield from (say("Only if {condition}:", condition=plain(change["only_if"])), "")
    if change["kind"] == COMMAND:
        yield from (say("{name}: run", name=name), "")
    elif change["from"]:
        yield from (say("Change {name} from this:", name=name), "", *fenced(change["from"]), say("to this:"), "")
    else:
        yield from (say("Add to {name}:", name=name), "")
    yield from fenced(change["to"])
    yield from (line for said in change["unset"] for line in (plain(said), ""))


def _list(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield from (f"**{title}**", "", *(f"- {with_code(each)}" for each in items), "")


def _causes_lines(possible: ReportedCauses) -> Iterator[str]:
    yield from ("", "## " + plain(possible.title), "")
    yield from (line for each in possible.note for line in (plain(each), ""))
    for title, share, arguments in possible.causes:
        yield f"- {plain(title)}{say(': ')}{share}"
        yield from (f"  - {plain(line)}" for line in arguments)


def _missing_line(missing: EvidenceToAdd) -> str:
    return f"- {plain(missing.what)}{say(': ')}{plain(missing.why)} {' '.join(map(code, missing.ways))}"


def _lines(report: Report, address: str) -> Iterator[str]:
    yield f"# {plain(report.case.read_title)}"
    yield ""
    yield f"**{plain(report.verdict)}**"
    first_step = f"**{plain(report.first_step)}**" if report.first_step else ""
    yield from (line for text in (plain(report.summary), first_step) if text for line in ("", text))
    for job in report.others:
        yield from ("", f"**{plain(job.verdict)}**", "", plain(job.summary))
        yield from ("", f"**{plain(job.first_step)}**") if job.first_step else ()
    yield ""
    yield from (f"- {name}{say(': ')}{plain(value)}" for name, value in report.facts)
    yield "- " + say("Address") + say(": ") + f"<{address}>"
    yield from ("", "## " + say("Findings"))
    for finding in report.findings:
        yield from _finding_lines(finding)
    if not report.findings:
        yield from ("", say("No rule found a problem.") if report.document else say("There is no diagnosis yet."))
    yield from chain.from_iterable(map(_causes_lines, report.undecided))
    if report.looked_at:
        yield from ("", "## " + say("Where trouble would show"), "")
        yield from (f"- {plain(what)}{say(': ')}{plain(answer)}" for what, answer in report.looked_at)
    if report.runbooks:
        yield from ("", "## " + say("What to do"), "")
        yield from (f"- {plain(each.title)}{say(': ')}{plain(each.course)}" for each in report.runbooks)
    yield from chain.from_iterable(map(_plan_lines, report.plans))
    if report.later:
        yield from ("", "## " + say("After each change"), "")
        yield from (f"- {plain(change)}{say(': ')}{plain(verdict)}" for change, verdict in report.later)
    if report.charts:
        yield from ("", "## " + say("What the charts show"), "")
        yield from (f"- {plain(title)}{say(': ')}{plain(summary)}" for title, summary in report.charts)
    if report.actions:
        yield from ("", "## " + say("Actions"), "", *_action_lines(report))
    if report.missing:
        yield from ("", "## " + say("What would make it surer"), "")
        yield from map(_missing_line, report.missing)
    yield from _timeline_lines(report)


def _plan_lines(shown: PlanShown) -> Iterator[str]:
    plan = shown.plan
    yield from ("", f"## {plain(shown.title)}", "")
    if shown.waits_because:
        yield from (plain(shown.waits_because), "")
    if shown.remark:
        yield from (plain(shown.remark), "")
    if plan["at_once"]:
        yield from (f"**{say('First, without a restart')}**", "")
    for each in plan["at_once"]:
        yield from (plain(each["text"]), "")
        yield from (line for look in each["look"] for line in (plain(look["what"]), "", *fenced(look["command"])))
    if plan["look_first"]:
        yield from _open_lines(plan)
        if plan["open"] and plan["changes"]:
            yield from (f"**{say('Beside that, in the same restart')}**", "")
    for change in plan["changes"]:
        yield from change_lines({**change, "only_if": None})
    if plan["restart"] and not shown.waits_because:
        yield from ((plain(shown.price), "") if shown.price else ())
        yield from _restart_lines(plan["restart"])
    if not plan["look_first"]:
        yield from _open_lines(plan)
    yield from _list(say("Left out"), shown.left_out)


def _open_lines(plan: Mapping[str, Any]) -> Iterator[str]:
    """The changes that an answer decides about."""
    if plan["open"]:
        yield from (f"**{say('Only after a look')}**", "")
    for each in plan["open"]:
        question = say("{question} If {condition}:", question=each["question"], condition=each["only_if"])
        yield from (plain(question), "")
        for place, change in enumerate(each["changes"]):
            if place and change["instead"]:
                yield from (say("Or, instead:"), "")
            yield from change_lines({**change, "only_if": None})


def _finding_lines(finding: ReportedFinding) -> Iterator[str]:
    yield from ("", f"### {finding.role}{say(': ')}{plain(finding.title)}", "")
    if finding.where:
        yield from (plain(finding.where), "")
    about = say(
        "({sure} sure, {severity}, rule {rule})",
        sure=finding.sure,
        severity=severity_word(finding.severity).lower(),
        rule=plain(finding.rule),
    )
    yield joined_sentences((plain(finding.statement), about))
    if finding.evidence:
        yield ""
    yield from (f"- {code(place)} {code(text) if text else ''}".rstrip() for place, text in finding.evidence)
    if finding.cited > len(finding.evidence):
        yield "- " + say("and {count} more", count=finding.cited - len(finding.evidence))


def _action_lines(report: Report) -> Iterator[str]:
    for what, who, is_done in report.actions:
        yield f"- [{'x' if is_done else ' '}] {say('{what} ({who})', what=plain(what), who=plain(who))}"


def _timeline_lines(report: Report) -> Iterator[str]:
    if report.events:
        yield from ("", "## " + say("What happened (UTC)"), "", *map(_event_line, report.events))
    yield from ("", "## " + say("What was done in the workbench (UTC)"), "", *map(_entry_line, report.timeline))


def _entry_line(entry: Entry) -> str:
    who = f"{plain(str(entry.by))} " if entry.by else ""
    detail = f"{say(': ')}{plain(entry.detail)}" if entry.detail else ""
    return f"- {minute_utc(entry.at)} {who}{plain(entry.text)}{detail}"


def _event_line(event: Event) -> str:
    later = event.line_at is not None and event.line_at.replace(microsecond=0) > event.at.replace(microsecond=0)
    quoted = f"{event.line_at:%H:%M:%S} {code(event.line)}" if later else code(event.line)
    line = f"{say(': ')}{quoted}" if event.line else ""
    return f"- {event.when} {plain(say('; ').join(event.titles))}{line}"


def as_post_mortem(report: Report, address: str) -> str:
    """A draft: facts known to the workbench are filled in, and the others are marked for people."""
    return "\n".join(_post_mortem_lines(report, address)) + "\n"


def _post_mortem_lines(report: Report, address: str) -> Iterator[str]:
    case = report.case
    roots = [finding for finding in report.findings if finding.role == say(ROOT)]
    yield from ("# " + say("Post-mortem: {title}", title=plain(case.read_title)), "", say("Case") + f" <{address}>", "")
    yield from ("## " + say("Summary"), "", plain(report.summary or report.verdict), "")
    yield from ("## " + say("Impact"), "")
    yield from (f"- {plain(phrase.sentence_start(each))}" for each in (*report.impact, *impact_words(case)))
    yield from ("- _" + say("Who noticed, what was late or wrong for them, for how long?") + "_", "")
    yield from ("## " + say("Timeline (UTC)"), "")
    yield from _incident_lines(report)
    yield from ("", "## " + say("Cause"), "")
    for finding in roots:
        claim, *further = phrase.split_sentences(finding.statement)
        title = plain(with_job_name(finding.job, finding.title))
        yield "- " + say("{title}. {statement}", title=title, statement=plain(claim))
        yield from (f"  - {plain(sentence)}" for sentence in further)
    if case.confirmed_class:
        person, cause = plain(str(case.closed_by or case.owner)), plain(symptom(case.confirmed_class).read_title)
        yield "- " + say("Confirmed by {person}: {cause}", person=person, cause=cause)
    yield from ("- _" + say("Why was it possible, and why was it not seen earlier?") + "_", "")
    yield from ("## " + say("What fixed it"), "")
    yield plain(case.what_fixed_it) if case.what_fixed_it else "_" + say("Not written down yet.") + "_"
    yield from (f"- {plain(change)}{say(': ')}{plain(verdict)}" for change, verdict in report.later)
    yield from ("", "## " + say("Actions"), "", *_action_lines(report))
    yield from (f"- [ ] {plain(step)}" for step in _steps_against(report))
    for each in report.missing:
        what = plain(phrase.within_sentence(each.what))
        yield "- [ ] " + say("Collect {what}: {why}", what=what, why=plain(each.why))
    owner = say("Owner, date")
    alerts = urljoin(address, reverse("prevention:detail", args=[case.pk]))
    load = say("Load the alert rules of this case into Prometheus.")
    yield "- [ ] " + joined_sentences((load, f"<{alerts}>", f"_{owner}_"))
    yield f"- [ ] _{joined_sentences((say('What keeps it from happening again?'), owner))}_"


def _steps_against(report: Report) -> Iterator[str]:
    """The first step against each root cause, while nobody wrote down what fixed it."""
    if report.document and not report.case.what_fixed_it:
        names = names_of_several(report.document)
        roots = [each for each in report.document["findings"] if each["role"] == "root_cause"]
        steps = (with_job_name(job_named(names, each), each["first_step"]) for each in roots if each.get("first_step"))
        yield from dict.fromkeys(steps)


MOST_EVENTS = 20
"""Onsets of findings in a post-mortem, the earliest first. Our choice: further ones are repetitions mostly."""


def _incident_lines(report: Report) -> Iterator[str]:
    """What the evidence shows and what people did, in the order of time."""
    events = [(event.at, _event_line(event)) for event in report.events[:MOST_EVENTS]]
    entries = [(entry.at, _entry_line(entry)) for entry in report.timeline]
    for _, line in sorted([*events, *entries], key=lambda dated: dated[0]):
        yield line
