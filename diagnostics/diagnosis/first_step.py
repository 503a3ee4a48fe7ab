"""What a diagnosis says to do first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.diagnosis.missing import needs
from diagnostics.diagnosis.unread_files import name_files, unread_files
from diagnostics.language import in_reader_language, joined_sentences, say
from diagnostics.symptoms import HEALTHY, UNDECIDED, UNEXPLAINED
from diagnostics.wording.phrase import within_sentence

SURE_BUG = "bug.known"
"""The rule of a bug that a failure shows and that the release is known to have."""
LOG = "jobmanager-log"
"""The kind of evidence whose records would show trouble."""


def first_step_of(document: Mapping[str, Any], job: Mapping[str, Any] | None = None) -> str | None:
    """What to do first about a job of several, or about that of the verdict.

    The first step of the root cause; without one, that of a known bug of the release that runs, of what is seen and
    nothing explains, or of what contributes; where nothing else is seen, that of a remark.

    Where nothing stands out: what the job does by design and people take for a trouble. Where the files do not show
    whether the job is well: the one file that decides, and the remark that nothing in these asks for a change. A job
    that is well has a first step only where something warns.

    document  of an analysis, in the reader's language
    job       one of its jobs
    """
    jobs = document.get("jobs", ())
    first = jobs[0] if len(jobs) > 1 else None
    about = job or first
    findings = _findings_about(document, about)
    leading = [each for each in findings if each["role"] == "root_cause"] or [
        *(each for each in findings if each.get("rule", {}).get("id") == SURE_BUG),
        *(
            each
            for each in findings
            if each["role"] == "consequence" and each["caused_by"] is None and each["severity"] != "info"
        ),
    ]
    if first and about is not first:  # beside a job with trouble a remark asks for nothing
        steps = (each["first_step"] for each in leading if each["severity"] != "info")
        return next(filter(None, steps), None)
    verdict = (about or document)["verdict"]["symptom_class"]
    leading = leading or [
        each
        for each in findings
        if each["role"] == "contributing"
        and each.get("first_step")
        and (verdict != HEALTHY or each["severity"] != "info")
    ]
    if not leading and verdict == UNDECIDED.id:
        leading = [each for each in findings if each["caused_by"] is None and each.get("first_step")]
    stated = next((each["first_step"] for each in leading if each.get("first_step")), None)
    return stated if stated or leading else _by_design(document) or _step_for_quiet_files(document, findings)


def _findings_about(document: Mapping[str, Any], job: Mapping[str, Any] | None) -> Sequence[Mapping[str, Any]]:
    """The findings of a job, and those of no job."""
    if job is None:
        findings: Sequence[Mapping[str, Any]] = document["findings"]
        return findings
    return [each for each in document["findings"] if each["subject"].get("job") in (None, job["job_id"])]


def _by_design(document: Mapping[str, Any]) -> str | None:
    """What the job does by design and people take for a trouble; None without it, and for a job known to be well."""
    said = [each for place in document.get("looked_at", ()) for each in place.get("by_design", ())]
    return joined_sentences(said) if said and document["verdict"]["symptom_class"] == UNDECIDED.id else None


def _step_for_quiet_files(document: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> str | None:
    """What to add to logs without trouble, with the remark that they ask for no change; for files that were not
    understood, and may hold a request for one, how to give them. None where something stands out, or no file helps.

    What to add is in the first sentence: a person who was paged has a trouble, and reads "change nothing" alone as
    a dismissal.
    """
    missing = document.get("split") or next(iter(document.get("missing_evidence", ())), None)
    stands_out = any(
        each["severity"] != "info" or each["symptom_class"] == UNEXPLAINED or each["role"] == "contributing"
        for each in findings
    )
    log = in_reader_language(needs()[LOG].what)
    was_read = any(each["read"] and each["evidence"] == log for each in document.get("looked_at", ()))
    unread = unread_files(document["inputs"])
    is_undecided = document["verdict"]["symptom_class"] == UNDECIDED.id
    if stands_out or not was_read or not is_undecided or missing is None:
        return None
    if unread:
        return _how_to_give(unread)
    return joined_sentences((*_about_harmless(document), _file_to_add(document, missing), _files_by_trouble()))


def _how_to_give(unread: Sequence[str]) -> str:
    return say(
        "What shows the trouble may be in {files}, which could not be understood. If so, add it again as its program"
        " writes it: a log with the head of its records, an answer of REST, metrics as the lines of a reporter. Nothing"
        " else in these files asks for a change.",
        files=name_files(unread),
    )


def _about_harmless(document: Mapping[str, Any]) -> Sequence[str]:
    """That nothing is wrong on account of the harmless records, and what helps who wanted something by them."""
    harmless = next((each["harmless"] for each in document["looked_at"] if each.get("harmless")), None)
    if harmless is None:
        return ()
    what, *advice = harmless
    return (say("Nothing is wrong with the job because of what its logs report: {what}.", what=what), *advice)


def _file_to_add(document: Mapping[str, Any], missing: Mapping[str, Any]) -> str:
    if all(each["job_id"] is None for each in document["jobs"]):
        return say(
            "Change nothing for what these files hold: no record of them is known to ask for it, and none is of a job"
            " that runs. If a process or the job does not come up, add its log from its start (of a pod also kubectl"
            " describe pod); if the job runs, add {what} ({how}).",
            what=within_sentence(missing["what"]),
            how=missing["how"],
        )
    return say(
        "Change nothing for what these files hold, and add {what} ({how}): they do not show whether the job is well.",
        what=within_sentence(missing["what"]),
        how=missing["how"],
    )


def _files_by_trouble() -> str:
    """What to add where the reader sees a trouble that the files do not show."""
    return say(
        "Where you see a trouble, add what shows it: the records and watermarks of each task for rows that are missing"
        " or late, a checkpoint's details by subtask for slow checkpoints, three thread dumps for a task that hangs,"
        " metrics of some hours for memory or state that grows."
    )
