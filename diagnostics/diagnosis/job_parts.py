"""What a diagnosis document states of each of its jobs: what was read, the possible causes, and what to add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.job_names import names_of_several, with_job_name
from diagnostics.diagnosis.possible_causes import causes_heading, causes_note, split_heading
from diagnostics.language import joined_sentences
from diagnostics.symptoms import HEALTHY

OWN = ("verdict", "looked_at", "hypotheses", "split", "missing_evidence")
"""Entries that a job has of its own; those of the document are those of its first job."""


@dataclass(frozen=True, slots=True)
class JobPart:
    """A job of a document, or all of a document without several.

    name      empty where there is one job only
    job_id    None where no job is named
    document  as that of the job alone, with the entries of OWN and the findings about the job
    is_first  whether the verdict of the document is about it
    """

    name: str
    job_id: str | None
    document: Mapping[str, Any]
    is_first: bool

    @property
    def hypotheses(self) -> Sequence[Mapping[str, Any]]:
        """Its possible causes; none where its verdict is known."""
        return self.document.get("hypotheses") or ()

    @property
    def heading(self) -> str:
        """What its possible causes are called."""
        return causes_heading(self.document)

    @property
    def note(self) -> str:
        """What the shares of its possible causes are worth."""
        return causes_note(self.document)

    @property
    def split(self) -> Mapping[str, Any] | None:
        """The one file to add."""
        return self.document.get("split")

    @property
    def split_heading(self) -> str:
        """What that file is for."""
        return split_heading(self.document)

    @property
    def missing(self) -> Sequence[Mapping[str, Any]]:
        """What to add for a surer verdict; nothing for a healthy job beside another one."""
        is_asked = self.is_first or self.document["verdict"]["symptom_class"] != HEALTHY
        return (self.document.get("missing_evidence") or ()) if is_asked else ()

    @property
    def looked_at(self) -> Sequence[Mapping[str, Any]]:
        """The places where its trouble would show."""
        return self.document.get("looked_at") or ()


@dataclass(frozen=True, slots=True)
class EvidenceToAdd:
    """One kind of evidence to add, for one job or several.

    reasons  (name of a job, what it would show of it); the name is empty where there is one job only
    ways     the commands or settings that get it: one, or one for each job
    """

    what: str
    reasons: Sequence[tuple[str, str]]
    ways: Sequence[str]

    @property
    def why(self) -> str:
        """All reasons, each with its job."""
        return joined_sentences([with_job_name(name, why) for name, why in self.reasons])


def evidence_to_add(parts: Sequence[JobPart]) -> list[EvidenceToAdd]:
    """Each kind of evidence once, those of the first job first."""
    wanted: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for part in parts:
        for each in part.missing:
            wanted.setdefault(each["what"], []).append((part.name, each))
    return [
        EvidenceToAdd(
            what,
            [(name, each["why"]) for name, each in asked],
            list(dict.fromkeys(each["how"] for _, each in asked)),
        )
        for what, asked in wanted.items()
    ]


def parts_of_jobs(document: Mapping[str, Any]) -> list[JobPart]:
    """One part for each job, in the order of the document; one without a name where it has less than two jobs.

    In documents of earlier versions only the first job has all entries of OWN.
    """
    names = names_of_several(document)
    if not names:
        job = next(iter(document["jobs"]), None)
        return [JobPart("", job["job_id"] if job else None, document, is_first=True)]
    first = {name: document.get(name) for name in OWN}
    return [
        JobPart(
            names[job["job_id"]],
            job["job_id"],
            _own_document(document, job, {} if place else first),
            is_first=not place,
        )
        for place, job in enumerate(document["jobs"])
    ]


def _own_document(document: Mapping[str, Any], job: Mapping[str, Any], first: Mapping[str, Any]) -> Mapping[str, Any]:
    own = {name: job[name] for name in OWN if name in job}
    about = [each for each in document["findings"] if each["subject"].get("job") in (None, job["job_id"])]
    return {**first, **own, "findings": about}
