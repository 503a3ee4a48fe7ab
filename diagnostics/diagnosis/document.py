"""Builds the diagnosis document of the external contract.

Beside the contract's fields it has what the case page shows: `last_line` and `pointer` of evidence, each finding's
`checks` (measured value against bound) and `reasons` (steps of the confidence), `health.deductions`, `checks` of the
rules that did not hold (`covered_by` is the finding that one yields to, null where there is none) or could not be
judged, and `looked_at`: the places where trouble shows, and whether each was
measured (`evidence`: the kind of evidence that shows it). An inconclusive document has `hypotheses`, the possible
causes with probabilities that add up to one (the last, of class null, is any other cause), and `split`, the evidence
that distinguishes the first two. Those of the document are those of the worst job, and so is its `missing_evidence`;
each job has its own. `causes` are the indexes in `findings` of the independent causes of the worst job, the
largest `gain` first. `onset` of a finding is when it began: null when that is unknown, `at_start` when the first look
already shows it, `ended` when it was over, null where it goes on or nothing shows. `advice` is whether it proposes a
change and reports no trouble. `sentences` is the statement in
pieces; a value has its fact. `first_step` is what to do first, null when the rule does not state it. `trouble` is why a
health score is bounded, null when it is not, with `is_stop` where the job does not run; each
job has the `deductions` of its own score. `analyze` adds `program`,
the version of the program that read and measured. Readers ignore unknown fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.citation import Citation
from diagnostics.diagnosis.causes import independent_causes
from diagnostics.diagnosis.covering import covering
from diagnostics.diagnosis.finding import Finding
from diagnostics.diagnosis.health import Health
from diagnostics.diagnosis.looked_at import LookedAt
from diagnostics.diagnosis.match import Matches
from diagnostics.diagnosis.missing import MissingEvidence
from diagnostics.diagnosis.ranking import RankedCause
from diagnostics.diagnosis.unread_files import name_files, refused_files, unread_files
from diagnostics.diagnosis.verdict import Diagnosis, JobVerdict, Verdict
from diagnostics.language import in_reader_language, joined_sentences, say, say_stored
from diagnostics.notation.timestamp import timestamp
from diagnostics.rules.condition import Check
from diagnostics.symptoms import HEALTHY, INCONCLUSIVE, symptom
from diagnostics.vocabulary.sources import said_source
from diagnostics.wording.cited_text import read_cited_text

SCHEMA = 1
LONGEST_CITED = 280
"""Characters of a citation that are shown. Our choice: aggregators keep at least 300 of a record."""


def build_document(
    diagnosis: Diagnosis, inputs: Sequence[Mapping[str, Any]], timing: Mapping[str, int]
) -> dict[str, Any]:
    """The document, as JSON values.

    inputs  the contract's `inputs[]`; their order is that of the citations' file ids
    timing  `queued_ms`, `spark_ms`, `total_ms`
    """
    files, worst = [str(each["file"]) for each in inputs], diagnosis.worst
    return {
        "schema": SCHEMA,
        "verdict": {**_verdict(worst.verdict), "summary": _summary(worst.verdict, files, inputs)},
        "jobs": [_job(job, diagnosis.findings, files, inputs) for job in diagnosis.jobs],
        "health": {
            "score": worst.health.score,
            "dimensions": worst.health.dimensions,
            "deductions": _deductions(worst.health, diagnosis.findings),
            "trouble": _trouble(worst.health, diagnosis.findings),
        },
        "causes": [_position(each, diagnosis.findings) for each in independent_causes(worst.findings)],
        **_undecided(worst),
        "findings": [_finding(each, diagnosis.findings, files) for each in diagnosis.findings],
        "checks": _checks(diagnosis.matches, diagnosis.findings),
        "ruleset": diagnosis.ruleset.version,
        "inputs": [_input(each) for each in inputs],
        "timing": dict(timing),
    }


def _input(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of `inputs[]`; its warnings were stored when the file was read."""
    if not entry.get("warnings"):
        return dict(entry)
    return {**entry, "warnings": list(map(say_stored, entry["warnings"]))}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {"symptom_class": verdict.symptom_class, "confidence": verdict.confidence}


def _summary(verdict: Verdict, files: Sequence[str], inputs: Sequence[Mapping[str, Any]]) -> str:
    """The verdict's sentences, with what was not judged where no cause is named, and what to read first without any."""
    if verdict.symptom_class not in (INCONCLUSIVE, HEALTHY):
        return verdict.summary
    said = [verdict.summary]
    if verdict.symptom_class == INCONCLUSIVE:
        if verdict.lead and verdict.lead.citations:
            first = verdict.lead.citations[0]
            place = f"{files[first.file_id]}:{first.line}" if first.line else files[first.file_id]
            said.append(say("Read {place} first.", place=place))
        if unread := unread_files(inputs):
            said.append(say("Not understood, and so not judged: {files}.", files=name_files(unread)))
    if refused := refused_files(inputs):
        said.append(say("Not read, or not to the end: {files}.", files=name_files(refused)))
    return joined_sentences(said)


def _deductions(health: Health, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "points": deduction.points,
            "dimension": deduction.dimension,
            "symptom_class": deduction.finding.symptom_class if deduction.finding else None,
            "title": deduction.title,
            "finding": _position(deduction.finding, findings),
        }
        for deduction in health.deductions
    ]


def _trouble(health: Health, findings: Sequence[Finding]) -> dict[str, Any] | None:
    """Why the score is bounded, and the finding behind it."""
    if health.trouble is None:
        return None
    stop = {"is_stop": True} if health.trouble.is_stop else {}
    return {"title": health.trouble.title, "finding": _position(health.trouble.finding, findings), **stop}


def _job(
    job: JobVerdict, findings: Sequence[Finding], files: Sequence[str], inputs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "job_id": job.job,
        "name": job.name,
        "verdict": _verdict(job.verdict),
        "summary": _summary(job.verdict, files, inputs),
        "health": job.health.score,
        "deductions": _deductions(job.health, findings),
        "trouble": _trouble(job.health, findings),
        **_undecided(job),
    }


def _undecided(job: JobVerdict) -> dict[str, Any]:
    """What was read of the job, its possible causes, and what to add."""
    return {
        "looked_at": [_looked_at(each) for each in job.looked_at],
        "hypotheses": [_hypothesis(each) for each in job.hypotheses],
        "split": _missing(job.split) if job.split else None,
        "missing_evidence": [_missing(each) for each in job.missing],
    }


def _looked_at(place: LookedAt) -> dict[str, Any]:
    return {
        "what": in_reader_language(place.place.what),
        "read": place.was_read,
        "evidence": place.evidence,
        **({"harmless": list(place.harmless)} if place.harmless else {}),
        **({"by_design": list(place.by_design)} if place.by_design else {}),
    }


def _hypothesis(ranked: RankedCause) -> dict[str, Any]:
    return {
        "symptom_class": ranked.symptom_class,
        "title": symptom(ranked.symptom_class).read_title if ranked.symptom_class else say("Something else"),
        "probability": ranked.probability,
        "steps": [{"factor": each.factor, "because": each.because} for each in ranked.steps],
        "for": list(ranked.speaks_for),
        "against": list(ranked.speaks_against),
    }


def _missing(missing: MissingEvidence) -> dict[str, str]:
    return {"what": missing.what, "why": missing.why, "how": missing.how}


def _finding(finding: Finding, findings: Sequence[Finding], files: Sequence[str]) -> dict[str, Any]:
    return {
        "symptom_class": finding.symptom_class,
        "confidence": finding.confidence,
        "severity": finding.severity,
        "title": finding.title,
        "statement": finding.statement,
        "sentences": [[piece.as_json() for piece in sentence] for sentence in finding.sentences],
        "first_step": finding.first_step,
        "subject": finding.subject.as_json(),
        "facts": dict(finding.facts),
        "role": finding.role,
        "caused_by": _position(finding.cause, findings),
        "rule": {"id": finding.rule.id, "version": finding.rule.version},
        "evidence": [_evidence(each, files) for each in finding.citations],
        "runbook": None if finding.role == "consequence" and finding.cause else finding.rule.runbook,
        "checks": [_check(check) for check in finding.checks],
        "deciding_checks": finding.deciding,
        "onset": {
            "ts": timestamp(finding.began.ts_ms),
            "at_start": finding.began.at_start,
            "ended": timestamp(finding.began.ended_ms),
            "job_started": timestamp(finding.began.job_started_ms),
        },
        "advice": finding.rule.advice,
        "gain": {"share": finding.gain.share, "of": finding.gain.of} if finding.gain else None,
        "reasons": [{"delta": reason.delta, "because": reason.because} for reason in finding.reasons],
    }


def _check(check: Check) -> dict[str, Any]:
    return {**check.as_json(), "source": said_source(check.source) if check.source else None}


def _position(cause: Finding | None, findings: Sequence[Finding]) -> int | None:
    if cause is None:
        return None
    same = [
        index for index, each in enumerate(findings) if each.rule.id == cause.rule.id and each.subject == cause.subject
    ]
    return same[0] if same else None


def whole_words(text: str) -> str:
    """The text, cut between two words where it is long: what was read of a record may end within one."""
    return text if len(text) <= LONGEST_CITED else f"{text[:LONGEST_CITED].rsplit(maxsplit=1)[0]} …"


def _evidence(citation: Citation, files: Sequence[str]) -> dict[str, Any]:
    known = {
        "file": files[citation.file_id],
        "line": citation.line,
        "last_line": citation.last_line,
        "pointer": citation.pointer,
        "kind": citation.kind,
        "ts": timestamp(citation.ts_ms),
        "text": whole_words(read_cited_text(citation.text, citation.kind)),
        "name": citation.name,
        "value": citation.value,
    }
    return {name: value for name, value in known.items() if value is not None}


def _checks(matches: Matches, findings: Sequence[Finding]) -> dict[str, list[dict[str, Any]]]:
    """The rules that did not hold, with their margin, and those that could not be judged, with the unknown facts."""
    silent = [
        {
            "rule": {"id": match.rule.id, "version": match.rule.version},
            "title": in_reader_language(match.rule.title),
            "symptom_class": match.rule.symptom_class,
            "subject": match.subject.as_json(),
            "checks": [_check(check) for check in match.refuting],
            "covered_by": _position(covering(match, findings), findings),
        }
        for match in matches.silent
        if symptom(match.rule.symptom_class).kind != "verdict"
    ]
    undecided = [
        {
            "rule": {"id": match.rule.id, "version": match.rule.version},
            "title": in_reader_language(match.rule.title),
            "symptom_class": match.rule.symptom_class,
            "subject": match.subject.as_json(),
            "unknown": list(match.unknown),
        }
        for match in matches.undecided
    ]
    return {"silent": silent, "undecided": undecided}
