"""The diagnosis document as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.diagnosis.job_names import job_named, names_of_several, with_job_name
from diagnostics.diagnosis.job_parts import JobPart, evidence_to_add, parts_of_jobs
from diagnostics.language import say, say_stored, to_say
from diagnostics.notation.control_characters import show_controls
from diagnostics.wording import phrase

WIDTH = 100
ROLES = {
    "root_cause": to_say("root cause"),
    "contributing": to_say("contributing"),
    "consequence": to_say("consequence"),
}
SEVERITIES = {"critical": to_say("critical"), "warning": to_say("warning"), "info": to_say("info")}
"""Words for the contract's values; an identifier of a symptom class or rule stays."""
MOST_EVIDENCE = 6
"""Evidence lines shown per finding; the document has all of them. Our choice."""


def render(document: Mapping[str, Any]) -> str:
    """The verdict, the jobs, the findings with their evidence, the missing evidence and the inputs."""
    return "".join(f"{show_controls(line)}\n" for line in _lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    verdict = document["verdict"]
    sure = phrase.percent(verdict["confidence"])
    health = say("{sure} sure  health {score}", sure=sure, score=document["health"]["score"])
    yield f"{verdict['symptom_class']}  {health}"
    yield from _wrapped(verdict["summary"], "")
    if len(document["jobs"]) > 1:
        yield ""
        for job in document["jobs"]:
            yield "  " + say(
                "job {job}: {verdict} ({sure}), health {score}",
                job=job["name"] or job["job_id"],
                verdict=job["verdict"]["symptom_class"],
                sure=phrase.percent(job["verdict"]["confidence"]),
                score=job["health"],
            )
            if job["summary"] != verdict["summary"]:
                yield from _wrapped(job["summary"], "    ")
    names = names_of_several(document)
    for number, finding in enumerate(document["findings"]):
        yield from _finding(number, finding, job_named(names, finding))
    parts = parts_of_jobs(document)
    for part in parts:
        yield from _hypotheses(part)
    if missing := evidence_to_add(parts):
        yield ""
        yield say("To be surer, add:")
    for each in missing:
        yield from _wrapped(say("{what}. {why}", what=each.what, why=each.why), "  - ")
        yield from (f"    {way}" for way in each.ways)
    yield ""
    yield from _inputs(document["inputs"])


def _hypotheses(part: JobPart) -> Iterator[str]:
    if not part.hypotheses:
        return
    yield ""
    yield with_job_name(part.name, say("{title}:", title=part.heading))
    yield from _wrapped(part.note, "  ")
    for each in part.hypotheses:
        yield f"  {phrase.percent(each['probability']):>5}  {each['title']}"
        for sign, lines in (("+", each["for"]), ("-", each["against"])):
            for line in lines:
                yield from _wrapped(line, f"         {sign} ")
    if part.split:
        yield from _wrapped(part.split_heading, "  ")
        yield f"    {part.split['how']}"


def _finding(number: int, finding: Mapping[str, Any], job: str) -> Iterator[str]:
    yield ""
    caused_by = finding["caused_by"]
    follows = say(", follows from [{number}]", number=caused_by) if caused_by is not None else ""
    yield say(
        "[{number}] {title} ({symptom_class}, {severity}, {role}{follows}, {sure}, rule {rule} v{version})",
        number=number,
        title=with_job_name(job, finding["title"]),
        symptom_class=finding["symptom_class"],
        severity=say(SEVERITIES[finding["severity"]]),
        role=say(ROLES[finding["role"]]),
        follows=follows,
        sure=phrase.percent(finding["confidence"]),
        rule=finding["rule"]["id"],
        version=finding["rule"]["version"],
    )
    yield from _wrapped(finding["statement"], "    ")
    for evidence in finding["evidence"][:MOST_EVIDENCE]:
        place = str(evidence["file"])
        if evidence.get("line") is not None:
            place += f":{evidence['line']}"
        if evidence.get("pointer"):
            place += f" {evidence['pointer']}"
        yield f"    {place}  {show_controls(str(evidence.get('text', '')))[:160]}"
    rest = len(finding["evidence"]) - MOST_EVIDENCE
    if rest > 0:
        yield "    " + say("and {count} more", count=rest)


def _inputs(inputs: list[Mapping[str, Any]]) -> Iterator[str]:
    read = [each for each in inputs if each.get("records")]
    yield say("{read} of {all} files were read as evidence.", read=len(read), all=len(inputs))
    for each in inputs:
        for warning in each.get("warnings") or ():
            yield f"  {each['file']}: {say_stored(warning)}"


def _wrapped(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        show_controls(text), WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent), break_long_words=False
    )
