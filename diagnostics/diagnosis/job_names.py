"""Names the jobs of a document with several, where a sentence about one of them has to say which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import say
from diagnostics.symptoms import symptom
from diagnostics.wording.phrase import within_sentence


def names_of_several(document: Mapping[str, Any]) -> Mapping[str | None, str]:
    """The id of each job -> its name, to be stated with what is about it; empty where there is one job only."""
    jobs = document["jobs"]
    return {job["job_id"]: job["name"] or job["job_id"] or "" for job in jobs} if len(jobs) > 1 else {}


def job_named(names: Mapping[str | None, str], finding: Mapping[str, Any]) -> str:
    """The name of the job of a finding, as of `names_of_several`; empty where none is to be stated."""
    return names.get(finding["subject"].get("job"), "")


def with_job_name(name: str, text: str) -> str:
    """A text about a job after the name of that job; the text alone without a name, or where it begins with it."""
    return f"{name}{say(': ')}{text}" if name and not text.startswith(f"{name}{say(': ')}") else text


def job_line(job: Mapping[str, Any]) -> str:
    """A job of a document with its verdict and its health."""
    return say(
        "{job} ({verdict}, health {score})",
        job=job["name"] or job["job_id"],
        verdict=within_sentence(symptom(job["verdict"]["symptom_class"]).read_title),
        score=job["health"],
    )


def lead_name(document: Mapping[str, Any]) -> str:
    """The name of the job that the verdict of the document is about; empty where there is one job only."""
    return next(iter(names_of_several(document).values()), "")
