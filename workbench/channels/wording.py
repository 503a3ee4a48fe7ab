"""Writes the message about a case from the channel's template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from diagnostics.diagnosis.first_step import first_step_of
from diagnostics.diagnosis.job_names import job_line, lead_name, with_job_name
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.language import in_reader_language, joined_sentences
from diagnostics.notation.control_characters import show_controls
from diagnostics.symptoms import HEALTHY, symptom
from workbench.analyses.models import Analysis
from workbench.analyses.reading import document_read
from workbench.channels.kind import Earlier, Message
from workbench.channels.models import Channel, Delivery, DeliveryStatus
from workbench.languages.sentences import say, say_later, say_stored, to_say
from workbench.redaction.selectors import redaction_rules, redactor_for
from workbench.runbooks.filling import runbook_progress
from workbench.runbooks.verifying import read_headline, verification_of

FIELDS = {
    "what": say_later("why the message is sent: a verdict, another verdict, after a change, a verified fix"),
    "title": say_later("title of the case"),
    "verdict": say_later("name of the symptom class"),
    "summary": say_later("the verdict in a sentence or two; after a change, whether it helped first"),
    "sure": say_later("confidence in percent"),
    "health": say_later("health score"),
    "first": say_later("what to do first"),
    "jobs": say_later("names of the jobs"),
    "team": say_later("team of the case"),
    "url": say_later("address of the case"),
    "continues": say_later("when the first message on the case was sent, UTC; empty in the first one"),
}
"""Fields of a template."""
NAMED = re.compile(r"\{([a-z]+)\}")
LONGEST_TEXT = 3_500
"""Slack cuts messages of more than 4,000 characters. Source: Slack documentation, "chat.postMessage", truncation."""
NO_STEP = to_say("Read the findings of the case.")
NOTHING = to_say("Nothing: the evidence shows no trouble.")


def unknown_fields(template: str) -> list[str]:
    """Names in a template that are not fields."""
    return sorted(set(NAMED.findall(template)) - FIELDS.keys())


def message_about(delivery: Delivery) -> Message:
    """The message of a delivery in the language of the reader; a sample for a message that tries the channel."""
    channel, analysis = delivery.channel, delivery.analysis
    if delivery.notice is not None:
        return _notice(delivery.notice)
    fields = _sample(channel) if analysis is None else _fields(analysis)
    fields["what"] = delivery.reason
    earlier = earlier_of(delivery)
    fields["continues"] = f"{earlier.sent_at:%Y-%m-%dT%H:%M:%SZ}" if earlier else ""
    text = NAMED.sub(lambda name: fields[name[1]], channel.template_said)[:LONGEST_TEXT]
    return Message(text=text, url=fields["url"], fields={"schema": 1, **fields}, earlier=earlier)


def earlier_of(delivery: Delivery) -> Earlier | None:
    """The first message of the channel about the same case that was sent; None for none."""
    if delivery.case_id is None or delivery.pk is None:
        return None
    sent = delivery.channel.deliveries.filter(case=delivery.case_id, status=DeliveryStatus.SENT, pk__lt=delivery.pk)
    first = sent.exclude(sent_at=None).order_by("pk").first()
    if first is None or first.sent_at is None:
        return None
    return Earlier(first.message_id, first.reason, first.sent_at)


def _notice(notice: Mapping[str, str]) -> Message:
    """The message of a notice, which has neither confidence nor runbook and so no template."""
    fields = {name: _without_secrets(say_stored(notice[name])) for name in ("what", "title", "summary")}
    fields["url"] = _url(notice["page"])
    text = say("{what}: {title}\n{summary}\n{url}", **fields)
    return Message(text=text[:LONGEST_TEXT], url=fields["url"], fields={"schema": 1, **fields})


def _fields(analysis: Analysis) -> dict[str, str]:
    case, document = analysis.case, document_read(analysis)
    verdict, verification = document["verdict"], verification_of(analysis)
    inner = {
        "title": case.read_title,
        "verdict": in_reader_language(symptom(verdict["symptom_class"]).title),
        "summary": joined_sentences(
            [read_headline(verification) if verification else "", verdict["summary"], _other_jobs(document)]
        ),
        "sure": f"{verdict['confidence'] * 100:.0f} %",
        "health": str(document["health"]["score"]),
        "first": with_job_name(lead_name(document), _first(analysis, document)),
        "jobs": ", ".join(job["name"] for job in document["jobs"] if job["name"]),
        "team": case.team.name,
    }
    return {name: _without_secrets(value) for name, value in inner.items()} | {"url": _url(case.get_absolute_url())}


def _other_jobs(document: Mapping[str, Any]) -> str:
    """The verdicts of the jobs beside the one that the message is about; empty without another."""
    others = document["jobs"][1:]
    return say("Other jobs: {jobs}.", jobs=say("; ").join(map(job_line, others))) if others else ""


def _sample(channel: Channel) -> dict[str, str]:
    return {
        "title": say("This is a test of the channel"),
        "verdict": say("Test"),
        "summary": say("Somebody tried the channel {channel}; no case is behind this message.", channel=channel.name),
        "sure": "100 %",
        "health": "100",
        "first": say(NOTHING),
        "jobs": "",
        "team": channel.team.name,
        "url": _url(channel.get_absolute_url()),
    }


def _first(analysis: Analysis, document: Mapping[str, Any]) -> str:
    """What the case page says to do first; where it says nothing, the evidence that would show a cause."""
    progress = runbook_progress(analysis)
    for position, finding in enumerate(document["findings"]):
        if finding["role"] == "root_cause":
            opened = progress[position].next_question if position in progress else None
            step = finding.get("first_step") or opened or say(NO_STEP)
            if over_since(document, finding["subject"].get("job")):
                return say("Nothing now: it is over. To prevent it next time: {step}", step=step)
            return step
    if document["verdict"]["symptom_class"] == HEALTHY:
        return say(NOTHING)
    if step := first_step_of(document):
        return step
    missing = document.get("split") or next(iter(document["missing_evidence"]), None)
    return say("Add to the case: {what}.", what=missing["what"]) if missing else say(NO_STEP)


def _without_secrets(text: str) -> str:
    redactor = redactor_for([rule.id for rule in redaction_rules() if rule.usual])
    shown = show_controls(text)
    return redactor.text(shown.encode()).decode() if redactor else shown


def _url(path: str) -> str:
    return f"{settings.WORKBENCH_URL}{path}"
