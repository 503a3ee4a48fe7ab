"""What the page of the audit log calls an action and the fields of its form; entries store the names of both."""

from __future__ import annotations

from collections.abc import Mapping

from django.apps import apps
from django.contrib.admin.models import LogEntry

from diagnostics.symptoms import symptom
from workbench.languages.sentences import say, to_say

ACTIONS: Mapping[str, str] = {
    "signed in": to_say("signed in"),
    "signed out": to_say("signed out"),
    "sign-in failed": to_say("sign-in failed"),
    "entries expired": to_say("deleted old entries of the audit log"),
    "alerts:remove": to_say("removed a source of alerts"),
    "alerts:source": to_say("changed a source of alerts"),
    "alerts:sources": to_say("added a source of alerts"),
    "alerts:token": to_say("made a new token for a source of alerts"),
    "analyses:cancel": to_say("cancelled an analysis"),
    "analyses:document": to_say("downloaded a diagnosis"),
    "analyses:retry": to_say("started an analysis again"),
    "api:case": to_say("changed a case over the API"),
    "api:cases": to_say("opened a case over the API"),
    "api:files": to_say("added files over the API"),
    "audit:export": to_say("downloaded the audit log"),
    "cases:analyse": to_say("asked for an analysis"),
    "cases:bulk": to_say("changed several cases"),
    "cases:close": to_say("closed a case"),
    "cases:demo": to_say("loaded the demo cases"),
    "cases:follow_up_add": to_say("added an action to a case"),
    "cases:follow_up_tick": to_say("ticked an action of a case"),
    "cases:impact": to_say("described the impact of a case"),
    "cases:new": to_say("opened a case"),
    "cases:note": to_say("wrote a note"),
    "cases:owner": to_say("changed the owner of a case"),
    "cases:paste": to_say("opened a case with pasted text"),
    "cases:rename": to_say("renamed a case"),
    "cases:reopen": to_say("opened a closed case again"),
    "cases:snapshot": to_say("began a snapshot"),
    "cases:snapshot_begin": to_say("changed when a snapshot begins"),
    "cases:status": to_say("changed the status of a case"),
    "cases:undo": to_say("undid a change of cases"),
    "cases:view_forget": to_say("deleted a stored view"),
    "cases:view_save": to_say("stored a view of the case list"),
    "cases:watch": to_say("changed who watches a case"),
    "channels:channel": to_say("changed a channel"),
    "channels:list": to_say("added a channel"),
    "channels:remove": to_say("removed a channel"),
    "channels:try": to_say("sent a test message to a channel"),
    "clusters:cancel": to_say("cancelled a collection"),
    "clusters:collect": to_say("collected evidence from a cluster"),
    "clusters:fetch": to_say("fetched a file by its URL"),
    "clusters:list": to_say("added or changed a cluster"),
    "clusters:logs": to_say("collected logs from a log store"),
    "clusters:metrics": to_say("collected metrics from Prometheus"),
    "clusters:profile": to_say("started the profiler of a process"),
    "clusters:remove": to_say("removed a cluster"),
    "delete_case": to_say("deleted data of a case"),
    "drills:answer": to_say("answered in a drill"),
    "drills:give_up": to_say("gave up a drill"),
    "drills:plan": to_say("planned a drill"),
    "drills:start": to_say("started a drill"),
    "drills:suspect": to_say("named a suspect in a drill"),
    "history:jobs_file": to_say("downloaded the health of jobs"),
    "history:merge": to_say("merged a case into another one"),
    "history:objective": to_say("changed an objective of a team"),
    "history:unmerge": to_say("separated a merged case again"),
    "invitation": to_say("accepted an invitation"),
    "limits": to_say("changed limits"),
    "logs:pins": to_say("pinned a log line"),
    "logs:unpin": to_say("removed the pin of a log line"),
    "password_change": to_say("changed the own password"),
    "people:deactivate": to_say("deactivated a person"),
    "people:invite_again": to_say("sent an invitation again"),
    "people:list": to_say("invited a person"),
    "people:person": to_say("changed a person"),
    "people:team": to_say("changed a team"),
    "people:team_new": to_say("added a team"),
    "prevention:archive": to_say("downloaded alert rules and a dashboard"),
    "reports:bundle": to_say("downloaded a case as a bundle"),
    "reports:html": to_say("downloaded a report as HTML"),
    "reports:import": to_say("imported a bundle"),
    "reports:json": to_say("downloaded a report as JSON"),
    "reports:markdown": to_say("downloaded a report as Markdown"),
    "reports:pdf": to_say("downloaded a report as PDF"),
    "reports:post_mortem": to_say("downloaded a draft of a post-mortem"),
    "rules:approval": to_say("changed whether rules need approval"),
    "rules:approve": to_say("approved a rule"),
    "rules:backtest_start": to_say("tried a rule on old cases"),
    "rules:create": to_say("began a new rule"),
    "rules:discard": to_say("discarded the draft of a rule"),
    "rules:export": to_say("downloaded the rules"),
    "rules:health": to_say("changed the weights of the health score"),
    "rules:import": to_say("read a file of rules for import"),
    "rules:import_drafts": to_say("imported rules as drafts"),
    "rules:publish": to_say("published a rule"),
    "rules:remove_sample": to_say("removed a sample of a rule"),
    "rules:roll_back": to_say("returned to an earlier version of a rule"),
    "rules:save": to_say("saved the draft of a rule"),
    "rules:switch": to_say("switched a rule on or off"),
    "runbooks:article_remove": to_say("removed an article"),
    "runbooks:articles": to_say("added an article"),
    "runbooks:step": to_say("ticked or skipped a step of a runbook"),
    "sign_in:mapping": to_say("added a mapping of groups"),
    "sign_in:mapping_remove": to_say("removed a mapping of groups"),
    "space:change": to_say("changed a hold"),
    "space:retention_change": to_say("changed how long data is kept"),
    "token_revoke": to_say("revoked a token"),
    "tokens": to_say("made a token"),
    "uploads:add": to_say("added files"),
    "uploads:begin": to_say("began the upload of a large file"),
    "uploads:clock": to_say("set the clock of a file"),
    "uploads:download": to_say("downloaded a file"),
    "uploads:event-fields": to_say("named the fields of an event file"),
    "uploads:format": to_say("chose the format of a file"),
    "uploads:remove": to_say("removed a file"),
    "uploads:restore": to_say("restored a file"),
    "watching:end": to_say("ended the checks of a cluster"),
    "watching:watch": to_say("changed the checks of a cluster"),
}
"""Words by route or event."""

FIELDS: Mapping[str, str] = {
    "action": to_say("action"),
    "before": to_say("before"),
    "begins_at": to_say("beginning"),
    "case": to_say("case"),
    "cause_critical": to_say("weight of critical causes"),
    "cause_info": to_say("weight of causes that inform"),
    "cause_warning": to_say("weight of causes that warn"),
    "changed": to_say("change"),
    "cluster": to_say("cluster"),
    "confirmed_class": to_say("confirmed cause"),
    "consequence_critical": to_say("weight of critical consequences"),
    "consequence_info": to_say("weight of consequences that inform"),
    "consequence_warning": to_say("weight of consequences that warn"),
    "days": to_say("days"),
    "enabled": to_say("switched on"),
    "entries": to_say("entries"),
    "failed_percent": to_say("failed checkpoints in %"),
    "group": to_say("group"),
    "hours": to_say("hours"),
    "latency_ms": to_say("latency in ms"),
    "most_in_trouble": to_say("highest score of a job in trouble"),
    "name": to_say("name"),
    "needed": to_say("approval needed"),
    "owner": to_say("owner"),
    "reason": to_say("reason"),
    "role": to_say("role"),
    "scope": to_say("scope"),
    "server": to_say("server"),
    "status": to_say("status"),
    "team": to_say("team"),
    "what": to_say("subject"),
}
"""Words by field of a form."""

CHOSEN: Mapping[str, str] = {"role": "accounts.User", "scope": "accounts.ApiToken", "status": "cases.Case"}
"""Field of a form -> the table whose column of that name has words for its values."""
CHOICES: Mapping[str, Mapping[str, str]] = {
    "action": {
        "close": to_say("close"),
        "compare": to_say("compare two"),
        "owner": to_say("hand over"),
        "status": to_say("set status"),
        "unwatch": to_say("stop watching"),
        "watch": to_say("watch"),
    },
    "enabled": {"0": to_say("no"), "1": to_say("yes")},
    "needed": {"0": to_say("no"), "1": to_say("yes")},
    "what": {
        "case": to_say("the case with all that belongs to it"),
        "days": to_say("days that data is kept"),
        "delete": to_say("delete the files"),
        "evidence": to_say("the files of the case"),
        "hold": to_say("place under legal hold"),
        "keep": to_say("keep the files"),
        "let-go": to_say("keep the files no longer"),
        "lift": to_say("lift the legal hold"),
    },
}
"""Field of a form -> its values in words, where they are those of buttons."""
NOTED = ("object_repr", "action_flag", "change_message")
"""Columns of what Django's administration notes of a change, from which it says the change in any language."""

ADMINISTRATION = "admin:"
CHANGES: Mapping[str, str] = {
    "add": to_say("added in the administration: {what}"),
    "change": to_say("changed in the administration: {what}"),
    "delete": to_say("deleted in the administration: {what}"),
}
"""Words by the end of a route of Django's administration, which is called `admin:<table>_<end>`."""


def action_words(action: str) -> str:
    """The action in the reader's language; of a route without words its name."""
    if action.startswith(ADMINISTRATION):
        table, _, change = action.removeprefix(ADMINISTRATION).rpartition("_")
        return say(CHANGES[change], what=_table_words(table)) if change in CHANGES else action
    return say(ACTIONS[action]) if action in ACTIONS else action


def _table_words(table: str) -> str:
    application, _, model = table.rpartition("_")
    try:
        return str(apps.get_model(application, model)._meta.verbose_name)
    except LookupError:  # of an earlier version
        return table


def field_words(name: str) -> str:
    """The field in the reader's language."""
    return say(FIELDS[name]) if name in FIELDS else name


def value_words(name: str, value: object) -> object:
    """The value of a field in the reader's language, where it has words; what a person entered unchanged."""
    if isinstance(value, dict):
        return str(LogEntry(**value))
    if not isinstance(value, str):
        return value
    if name == "confirmed_class":
        return symptom(value).read_title
    if value in CHOICES.get(name, {}):
        return say(CHOICES[name][value])
    if name in CHOSEN:
        choices = apps.get_model(CHOSEN[name])._meta.get_field(name).flatchoices
        return str(dict(choices).get(value, value))
    return value


def actions_called(part: str) -> list[str]:
    """The names of the actions with this part of a word in the reader's language."""
    return [name for name in ACTIONS if part.casefold() in action_words(name).casefold()]
