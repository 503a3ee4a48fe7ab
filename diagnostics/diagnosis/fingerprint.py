"""Fingerprint of a problem, which recognises it when it recurs, and the traits by which two cases are compared.

The fingerprint is a hash over what stays the same when the same problem recurs:

* the symptom class of the verdict,
* the name of the worst job, without digits that stamp a deployment (six or more in a row),
* of each root cause: its operator, and what distinguishes problems of one class: the resource, the class of the
  exception, the user frame. For a misconfiguration it is the rule, because its rules are different mistakes, while the
  rules of other classes are different evidence of the same problem.

It excludes what changes between occurrences: numbers, subtasks, hosts, TaskManagers, job ids, versions of rules,
consequences. Without a job's name, and for `healthy` and `inconclusive`, there is no fingerprint: unknown values are
not equal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from diagnostics.symptoms import HEALTHY, NO_CAUSE, symptom

NAMED_BY_RULE = ("misconfiguration",)
TELLING_FACTS = ("resource", "exception_class", "frame")
LONGEST_VALUE = 200

DEPLOYMENT = re.compile(r"[-_. ]?\d[\d\-_:T]{5,}")
"""Date, time or build number in a job's name."""

Kind = Literal["class", "job", "operator", "detail", "finding", "follows", "flink"]


@dataclass(frozen=True, slots=True, order=True)
class Trait:
    """One property that two cases may share.

    kind   class: the verdict of a job; job: its name, without healthy jobs beside ill ones; operator: location of a
           cause; detail: what distinguishes problems of a class; finding: the rule of a cause; follows: the rule of a
           consequence; flink: major and minor version
    value  an id or a name
    """

    kind: Kind
    value: str


def fingerprint(document: Mapping[str, Any]) -> str | None:
    """64 hexadecimal digits, None when the problem has no fingerprint."""
    parts = fingerprint_parts(document)
    return hashlib.sha256("\n".join(f"{what} {value}" for what, value in parts).encode()).hexdigest() if parts else None


def fingerprint_parts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The hashed parts: `class`, `job`, then details of each root cause, sorted, with values; [] when unknown."""
    symptom_class = document["verdict"]["symptom_class"]
    job = worst_job(document)
    if symptom_class in NO_CAUSE or job is None or not job["name"]:
        return []
    roots = [
        finding
        for finding in document["findings"]
        if finding["role"] == "root_cause" and finding["subject"].get("job") in (job["job_id"], None)
    ]
    told = sorted({part for finding in roots for part in _marks(finding)})
    return [("class", symptom_class), ("job", _steady(job["name"])), *told]


def traits(document: Mapping[str, Any]) -> list[Trait]:
    """The traits for comparing the case, distinct and sorted."""
    return sorted(set(_traits(document)))


def _traits(document: Mapping[str, Any]) -> Iterator[Trait]:
    ill = [job for job in document["jobs"] if job["verdict"]["symptom_class"] != HEALTHY]
    yield Trait("class", document["verdict"]["symptom_class"])
    yield from (Trait("class", job["verdict"]["symptom_class"]) for job in ill)
    for job in ill or document["jobs"]:
        if job["name"]:
            yield Trait("job", _steady(job["name"])[:LONGEST_VALUE])
    for finding in document["findings"]:
        if finding["severity"] == "info":
            continue
        if symptom(finding["symptom_class"]).kind == "consequence":
            yield Trait("follows", finding["rule"]["id"])
            continue
        yield Trait("finding", finding["rule"]["id"])
        if operator := _operator(finding):
            yield Trait("operator", operator)
        yield from (Trait("detail", value[:LONGEST_VALUE]) for value in _identifying_facts(finding).values())
    for entry in document["inputs"]:
        if version := entry.get("flink_version"):
            yield Trait("flink", ".".join(str(version).split(".")[:2])[:LONGEST_VALUE])


def worst_job(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The job of the verdict: among the jobs with its class, the one with the lowest health."""
    symptom_class = document["verdict"]["symptom_class"]
    jobs: Sequence[Mapping[str, Any]] = document["jobs"]
    of_the_class = [job for job in jobs if job["verdict"]["symptom_class"] == symptom_class]
    return min(of_the_class, key=lambda job: (job["health"], job["job_id"] or ""), default=None)


def _marks(finding: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if finding["symptom_class"] in NAMED_BY_RULE:
        yield "rule", finding["rule"]["id"]
    if operator := _operator(finding):
        yield "operator", operator
    yield from ((name.replace("_", " "), value) for name, value in _identifying_facts(finding).items())


def _operator(finding: Mapping[str, Any]) -> str | None:
    name = finding["subject"].get("vertex")
    return str(name)[:LONGEST_VALUE] if name else None


def _identifying_facts(finding: Mapping[str, Any]) -> dict[str, str]:
    facts = finding["facts"]
    return {name: facts[name][:LONGEST_VALUE] for name in TELLING_FACTS if isinstance(facts.get(name), str)}


def _steady(name: str) -> str:
    """A job's name in lower case, without what changes with each deployment."""
    return DEPLOYMENT.sub("", " ".join(name.split())).casefold() or name.casefold()
