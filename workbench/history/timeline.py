"""The timeline of a case in chronological order, with minor entries hidden by default.

Nothing is stored twice: the timeline is derived from files, analyses, runbook steps, notes, actions and changes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import Q, prefetch_related_objects
from django.utils.safestring import SafeString

from diagnostics.diagnosis.job_names import with_job_name
from diagnostics.language import listed
from diagnostics.symptoms import symptom
from diagnostics.wording import phrase
from workbench.accounts.models import User
from workbench.analyses.models import AnalysisStatus, Verdict, verdict_of
from workbench.cases.impact import IMPACT_COLUMNS, impact_words
from workbench.cases.mentions import marked, names_mentioned
from workbench.cases.models import Case, CaseChange, CaseStatus
from workbench.cases.own_texts import TITLES
from workbench.history.case_records import CaseRecords
from workbench.languages.sentences import say, say_counted, say_stored, to_say
from workbench.uploads.models import UploadedFile

MOST_ENTRIES = 500
"""The newest entries shown; nobody reads more. Our choice."""
ONE_DROP = dt.timedelta(minutes=2)
"""Files of one person that arrive closer together than this count as one upload. Our choice."""
NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One event.

    icon      its picture in icons.svg
    text      what happened, as a sentence that follows the person's name
    detail    further text below it
    mentioned names in it of notified people
    link      its target, "" for none
    is_minor  hidden by default
    tone      good, warning, critical, or "" for neutral
    """

    at: dt.datetime
    icon: str
    by: User | None
    text: str
    detail: str = ""
    is_minor: bool = False
    is_note: bool = False
    tone: str = ""
    mentioned: Sequence[str] = ()
    link: str = ""

    @property
    def marked_detail(self) -> SafeString:
        """The detail as HTML, with the names in it marked."""
        return marked(self.detail, self.mentioned)


def timeline(records: CaseRecords) -> list[Entry]:
    """All events of a case, oldest first."""
    entries = [entry for source in SOURCES for entry in source(records)]
    return sorted(entries, key=lambda entry: entry.at)[-MOST_ENTRIES:]


def _opened(records: CaseRecords) -> Iterator[Entry]:
    yield Entry(records.case.created_at, "plus", records.case.created_by, say("opened the case"))


def _snapshots(records: CaseRecords) -> Iterator[Entry]:
    # The first snapshot is not stored when the case's opening started it.
    for each in (snapshot for snapshot in records.snapshots if snapshot.pk is not None):
        began = say("began snapshot {number}: {change}", number=each.number, change=each.read_change)
        yield Entry(each.started_at, "check", each.started_by, began)


def _uploads(records: CaseRecords) -> Iterator[Entry]:
    drops: list[list[UploadedFile]] = []
    for _, files in groupby(records.files, key=lambda file: file.uploaded_by_id):
        last: dt.datetime | None = None
        for file in files:
            if last is None or file.uploaded_at - last > ONE_DROP:
                drops.append([])
            drops[-1].append(file)
            last = file.uploaded_at
    for drop in drops:
        yield Entry(drop[0].uploaded_at, "upload", drop[0].uploaded_by, _added([file.name for file in drop]))


def _added(names: Sequence[str]) -> str:
    """What came together: a few files by their names, many of one folder by that."""
    folders = {name.rpartition("/")[0].partition("/")[0] for name in names}
    shown, more = listed(names[:NAMES_SHOWN]), len(names) - NAMES_SHOWN
    if more <= 0:
        return say_counted("added {count} file: {names}", "added {count} files: {names}", len(names), names=shown)
    if len(folders) == 1 and all(folders):
        return say("added {count} files of {folder}", count=len(names), folder=folders.pop())
    return say("added {count} files: {names} and {more} more", count=len(names), names=shown, more=more)


def _analyses(records: CaseRecords) -> Iterator[Entry]:
    last: Verdict | None = None
    for analysis in reversed(records.analyses):
        at = analysis.finished_at or analysis.queued_at
        if analysis.status == AnalysisStatus.DONE:
            reached = verdict_of(analysis)
            yield Entry(at, "brand", None, _diagnosis(*reached, again=last is not None), is_minor=reached == last)
            last = reached
        elif analysis.status == AnalysisStatus.FAILED:
            yield Entry(
                at, "warning", None, say("The analysis failed."), detail=say_stored(analysis.error), tone="warning"
            )
        elif analysis.status == AnalysisStatus.CANCELLED:
            yield Entry(at, "cross", None, say("An analysis was cancelled."), is_minor=True)


def _diagnosis(
    symptom_class: str, confidence: float, score: int, job: str | None, beside: str | None, *, again: bool
) -> str:
    """The verdict of one analysis in a sentence, with the job that it is about where there are several."""
    sentence = (
        to_say("Diagnosed again: {title}, {sure} sure, health {score}.")
        if again
        else to_say("Diagnosed: {title}, {sure} sure, health {score}.")
    )
    title = with_job_name(job or "" if beside else "", symptom(symptom_class).read_title)
    return say(sentence, title=title, sure=phrase.percent(confidence), score=score)


STEP_ICONS: Mapping[str, tuple[str, str]] = {
    "done": ("check", "good"),
    "approved": ("check", "good"),
    "failed": ("cross", "warning"),
    "refused": ("cross", "warning"),
}


def _steps(records: CaseRecords) -> Iterator[Entry]:
    for record in records.steps:
        icon, tone = STEP_ICONS.get(record.state, ("book", ""))
        text = f"{record.action_words}{say(': ')}{record.question}"
        yield Entry(record.at, icon, record.by, text, detail=record.note, tone=tone)


def _notes(records: CaseRecords) -> Iterator[Entry]:
    mentioning = [note for note in records.notes if names_mentioned(note.text)]
    prefetch_related_objects(mentioning, "mentions")
    for note in records.notes:
        names = [person.get_username() for person in note.mentions.all()] if note in mentioning else []
        by, did = (None, say("The workbench noted")) if note.unattended else (note.author, say("wrote"))
        yield Entry(note.created_at, "note", by, did, note.read_text, is_note=True, mentioned=names)


def _follow_ups(records: CaseRecords) -> Iterator[Entry]:
    for action in records.follow_ups:
        asked = (
            say("asked {owner} for an action by {date}", owner=action.owner, date=f"{action.due:%Y-%m-%d}")
            if action.due
            else say("asked {owner} for an action", owner=action.owner)
        )
        yield Entry(action.added_at, "flag", action.added_by, asked, action.text)
        if action.done_at:
            yield Entry(action.done_at, "check", action.done_by, say("ticked an action"), action.text, tone="good")


def _pins(records: CaseRecords) -> Iterator[Entry]:
    for pin in records.pins:
        pinned = (
            say("pinned {record} of {time} UTC", record=pin, time=f"{pin.ts:%Y-%m-%d %H:%M:%S}")
            if pin.ts
            else say("pinned {record}", record=pin)
        )
        detail = "\n".join(part for part in (pin.text, pin.note) if part)
        yield Entry(pin.at, "flag", pin.by, pinned, detail, link=pin.get_absolute_url())


def _changes(records: CaseRecords) -> Iterator[Entry]:
    """Changes of the case, and of other cases that were merged into it or separated."""
    number = records.case.pk
    is_merged = Q(after__merged_into_id=number) | Q(before__merged_into_id=number)
    changes = list(CaseChange.objects.filter(Q(case=number) | is_merged).select_related("by", "case"))
    owners = {change.after["owner_id"] for change in changes if "owner_id" in change.after}
    names = dict(User.objects.filter(pk__in=owners).values_list("pk", "username")) if owners else {}
    for change in changes:
        if change.case_id == number:
            yield from _own_change(change, names)
        elif change.after["merged_into_id"] == number:
            text = say("merged case {case} into this one: {title}", case=change.case_id, title=change.case.read_title)
            yield Entry(change.at, "link", change.by, text)
        else:
            text = say("took case {case} out again: {title}", case=change.case_id, title=change.case.read_title)
            yield Entry(change.at, "undo", change.by, text)


def _own_change(change: CaseChange, names: Mapping[int, str]) -> Iterator[Entry]:
    for words in CHANGES:
        if change_words := words(change.before, change.after, names):
            icon, text, detail, tone, is_minor = change_words
            yield Entry(change.at, icon, change.by, text, detail, tone=tone, is_minor=is_minor)


ChangeWords = tuple[str, str, str, str, bool] | None
"""Icon, text, detail, tone, and whether it is minor."""


def _status_words(before: Mapping[str, Any], after: Mapping[str, Any], names: Mapping[int, str]) -> ChangeWords:
    if "status" not in after:
        return None
    if after["status"] == CaseStatus.CLOSED:
        return None if "confirmed_class" in after else ("check", say("closed the case again"), "", "good", False)
    was_closed = before["status"] == CaseStatus.CLOSED
    if was_closed and after["status"] == CaseStatus.OPEN:
        return "undo", say("opened the case again"), "", "warning", False
    status = say("set the status to {status}", status=str(CaseStatus(after["status"]).label).lower())
    return "flag", status, "", "", False


def _cause_words(before: Mapping[str, Any], after: Mapping[str, Any], names: Mapping[int, str]) -> ChangeWords:
    if "confirmed_class" not in after:
        return None
    if not after["confirmed_class"]:
        return "undo", say("took back the confirmed cause"), "", "", False
    cause = symptom(after["confirmed_class"]).read_title
    text = (
        say("closed the case. Confirmed cause: {cause}", cause=cause)
        if after.get("status") == CaseStatus.CLOSED
        else say("confirmed another cause: {cause}", cause=cause)
    )
    return "check", text, after.get("what_fixed_it", ""), "good", False


def _owner_words(before: Mapping[str, Any], after: Mapping[str, Any], names: Mapping[int, str]) -> ChangeWords:
    if "owner_id" not in after:
        return None
    owner = names.get(after["owner_id"]) or say("somebody")
    return "person", say("handed the case to {owner}", owner=owner), "", "", False


def _title_words(before: Mapping[str, Any], after: Mapping[str, Any], names: Mapping[int, str]) -> ChangeWords:
    if "title" not in after:
        return None
    return "edit", say("renamed the case from {title}", title=TITLES.read(before["title"])), "", "", True


def _impact_words(before: Mapping[str, Any], after: Mapping[str, Any], names: Mapping[int, str]) -> ChangeWords:
    stated = {column: after[column] for column in IMPACT_COLUMNS if column in after}
    if not stated:
        return None
    impact = listed(impact_words(Case(**stated)))
    text = say("stated the impact: {impact}", impact=impact) if impact else say("took back the stated impact")
    return "edit", text, "", "", False


def _merging_words(before: Mapping[str, Any], after: Mapping[str, Any], names: Mapping[int, str]) -> ChangeWords:
    if "merged_into_id" not in after:
        return None
    into = after["merged_into_id"]
    if into is None:
        return "undo", say("took the case out of case {case} again", case=before["merged_into_id"]), "", "", False
    return "link", say("merged the case into case {case}", case=into), "", "", False


CHANGES = (_status_words, _cause_words, _owner_words, _title_words, _impact_words, _merging_words)

SOURCES: tuple[Callable[[CaseRecords], Iterator[Entry]], ...] = (
    _opened,
    _snapshots,
    _pins,
    _uploads,
    _analyses,
    _steps,
    _notes,
    _follow_ups,
    _changes,
)
"""Sources of a timeline."""
