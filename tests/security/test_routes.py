"""Who may open each route of the URL configuration; `test_permissions.py` asks every route as everybody.

A route that is new has no entry in `MAY` and fails the test: its author adds there who may open it.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.security.routes import routes

SESSIONS = ("nobody", "viewer", "responder", "rule editor", "administrator", "author", "stranger")
TOKENS = ("token of a responder", "token of a viewer", "token of a stranger")

EVERYBODY = "everybody"
PEOPLE = "whoever is signed in"
READERS = "whoever sees the case"
WRITERS = "whoever sees the case and may change it"
OPENERS = "whoever may open cases"
EDITORS = "rule editors"
ADMINISTRATORS = "administrators"
DELETERS = "administrators who see the case"
AUTHOR = "its author"
DRILLED = "the person in the drill"
TESTER = "the rule editor who began it"
STAFF = "rule editors, in the administration"
OWNERS = "administrators, in the administration"
SOURCE = "a listed source of alerts, by its own token"
MONITORING = "a program with a token for metrics, or a listed address"
MEMBERS = "members of the team who may change its cases"
OWN_TOKEN = "its user, and administrators"
NO = "nobody: there is no such method"

ALLOWED: Mapping[str, tuple[str, ...]] = {
    EVERYBODY: (*SESSIONS, *TOKENS),
    PEOPLE: (*SESSIONS[1:], *TOKENS),
    READERS: ("viewer", "responder", "rule editor", "administrator", "author", *TOKENS[:2]),
    WRITERS: ("responder", "rule editor", "administrator", "author", TOKENS[0]),
    OPENERS: ("responder", "rule editor", "administrator", "author", "stranger", TOKENS[0], TOKENS[2]),
    EDITORS: ("rule editor", "administrator"),
    ADMINISTRATORS: ("administrator",),
    DELETERS: ("administrator",),
    AUTHOR: ("author",),
    DRILLED: ("responder",),
    TESTER: ("rule editor",),
    STAFF: ("rule editor", "administrator"),
    OWNERS: ("administrator",),
    SOURCE: (),
    MONITORING: (),
    MEMBERS: ("responder", "rule editor", "administrator", "author"),
    OWN_TOKEN: ("author", "administrator"),
    NO: (),
}
HIDDEN_FROM_STRANGERS = (READERS, WRITERS, DELETERS, AUTHOR, DRILLED)
"""A stranger gets 404 there and cannot tell whether there is such a case."""

MAY: Mapping[str, tuple[str, str]] = {
    # route: (who may GET, who may POST)
    "cases:list": (PEOPLE, NO),
    "cases:bulk": (NO, PEOPLE),
    "cases:undo": (NO, OPENERS),
    "cases:view_save": (NO, PEOPLE),
    "cases:view_forget": (NO, AUTHOR),
    "cases:new": (OPENERS, OPENERS),
    "cases:demo": (NO, OPENERS),
    "cases:job": (PEOPLE, NO),
    "cases:detail": (READERS, NO),
    "cases:files": (WRITERS, NO),
    "cases:paste": (NO, WRITERS),
    "cases:analyse": (NO, WRITERS),
    "cases:snapshot": (NO, WRITERS),
    "cases:snapshot_begin": (NO, WRITERS),
    "cases:rename": (NO, WRITERS),
    "cases:status": (NO, WRITERS),
    "cases:impact": (NO, WRITERS),
    "cases:owner": (NO, WRITERS),
    "cases:watch": (NO, READERS),
    "cases:close": (WRITERS, WRITERS),
    "cases:reopen": (NO, WRITERS),
    "cases:note": (NO, WRITERS),
    "cases:follow_up_add": (NO, WRITERS),
    "cases:follow_up_tick": (NO, WRITERS),
    "logs:page": (READERS, NO),
    "logs:overview": (READERS, NO),
    "logs:records": (READERS, NO),
    "logs:record": (READERS, NO),
    "logs:step": (READERS, NO),
    "logs:breakdown": (READERS, NO),
    "logs:pins": (READERS, WRITERS),
    "logs:unpin": (NO, WRITERS),
    "log_search": (PEOPLE, NO),
    "uploads:add": (NO, WRITERS),
    "uploads:begin": (NO, WRITERS),
    "uploads:awaited": (WRITERS, WRITERS),
    "uploads:give-up": (NO, WRITERS),
    "uploads:arrival": (NO, AUTHOR),
    "uploads:detail": (READERS, NO),
    "uploads:lines": (READERS, NO),
    "uploads:download": (READERS, NO),
    "uploads:format": (WRITERS, WRITERS),
    "uploads:clock": (NO, WRITERS),
    "uploads:event-fields": (NO, WRITERS),
    "uploads:remove": (NO, WRITERS),
    "uploads:restore": (NO, WRITERS),
    "clusters:list": (ADMINISTRATORS, ADMINISTRATORS),
    "clusters:remove": (NO, ADMINISTRATORS),
    "clusters:collect": (NO, WRITERS),
    "clusters:fetch": (NO, OPENERS),
    "clusters:profile": (NO, WRITERS),
    "clusters:metrics": (NO, WRITERS),
    "clusters:logs": (NO, WRITERS),
    "clusters:collection": (READERS, NO),
    "clusters:progress": (READERS, NO),
    "clusters:cancel": (NO, WRITERS),
    "alerts:list": (PEOPLE, NO),
    "alerts:sources": (ADMINISTRATORS, ADMINISTRATORS),
    "alerts:source": (ADMINISTRATORS, ADMINISTRATORS),
    "alerts:token": (NO, ADMINISTRATORS),
    "alerts:remove": (NO, ADMINISTRATORS),
    "watching:fleet": (PEOPLE, NO),
    "watching:job": (READERS, NO),
    "watching:watch": (ADMINISTRATORS, ADMINISTRATORS),
    "watching:end": (NO, ADMINISTRATORS),
    "channels:list": (ADMINISTRATORS, ADMINISTRATORS),
    "channels:channel": (ADMINISTRATORS, ADMINISTRATORS),
    "channels:try": (NO, ADMINISTRATORS),
    "channels:remove": (NO, ADMINISTRATORS),
    "limits": (PEOPLE, ADMINISTRATORS),
    "space:overview": (ADMINISTRATORS, NO),
    "audit:log": (ADMINISTRATORS, NO),
    "audit:export": (ADMINISTRATORS, NO),
    "space:retention": (ADMINISTRATORS, NO),
    "space:retention_change": (NO, ADMINISTRATORS),
    "space:change": (NO, ADMINISTRATORS),
    "redaction:preview": (NO, OPENERS),
    "delete_case": (WRITERS, DELETERS),
    "analyses:progress": (READERS, NO),
    "analyses:events": (READERS, NO),
    "analyses:cancel": (NO, WRITERS),
    "analyses:retry": (NO, WRITERS),
    "analyses:document": (READERS, NO),
    "charts:changes": (READERS, NO),
    "charts:figure": (READERS, NO),
    "charts:table": (READERS, NO),
    "charts:csv": (READERS, NO),
    "charts:json": (READERS, NO),
    "profiles:flame_graph": (READERS, NO),
    "profiles:tree": (READERS, NO),
    "profiles:stacks": (READERS, NO),
    "rules:list": (PEOPLE, NO),
    "rules:runbooks": (PEOPLE, NO),
    "rules:glossary": (PEOPLE, NO),
    "rules:sources": (PEOPLE, NO),
    "rules:new": (EDITORS, NO),
    "rules:preview": (NO, EDITORS),
    "rules:facts": (EDITORS, NO),
    "rules:create": (NO, EDITORS),
    "rules:draft": (EDITORS, NO),
    "rules:save": (NO, EDITORS),
    "rules:discard": (NO, EDITORS),
    "rules:publish": (NO, EDITORS),
    "rules:approval": (EDITORS, ADMINISTRATORS),
    "rules:health": (PEOPLE, ADMINISTRATORS),
    "rules:approve": (NO, EDITORS),
    "rules:backtest_start": (NO, EDITORS),
    "rules:backtest": (TESTER, NO),
    "rules:backtest_go_on": (NO, TESTER),
    "rules:log": (EDITORS, NO),
    "rules:event": (EDITORS, NO),
    "rules:export": (PEOPLE, NO),
    "rules:import": (EDITORS, EDITORS),
    "rules:import_drafts": (NO, EDITORS),
    "rules:remove_sample": (NO, EDITORS),
    "rules:detail": (PEOPLE, NO),
    "rules:edit": (EDITORS, NO),
    "rules:switch": (NO, EDITORS),
    "rules:version": (PEOPLE, NO),
    "rules:roll_back": (NO, EDITORS),
    "runbooks:reproduce": (READERS, NO),
    "runbooks:walk_throughs": (PEOPLE, NO),
    "runbooks:walk_through": (PEOPLE, NO),
    "runbooks:what_if": (READERS, NO),
    "runbooks:calculator": (READERS, NO),
    "runbooks:compare": (PEOPLE, NO),
    "runbooks:proof": (READERS, NO),
    "runbooks:articles": (PEOPLE, OPENERS),
    "runbooks:article": (READERS, NO),
    "runbooks:article_remove": (NO, WRITERS),
    "runbooks:detail": (READERS, NO),
    "runbooks:step": (NO, WRITERS),
    "history:numbers": (PEOPLE, NO),
    "history:jobs": (PEOPLE, NO),
    "history:jobs_file": (PEOPLE, NO),
    "history:objective": (NO, MEMBERS),
    "history:merge": (NO, WRITERS),
    "history:unmerge": (NO, WRITERS),
    "drills:overview": (PEOPLE, NO),
    "drills:plan": (NO, MEMBERS),
    "drills:start": (NO, PEOPLE),
    "drills:drill": (DRILLED, NO),
    "drills:look": (NO, DRILLED),
    "drills:suspect": (NO, DRILLED),
    "drills:answer": (NO, DRILLED),
    "drills:give_up": (NO, DRILLED),
    "prevention:detail": (READERS, NO),
    "prevention:archive": (READERS, NO),
    "prevention:chart": (READERS, NO),
    "prevention:file": (READERS, NO),
    "reports:import": (OPENERS, OPENERS),
    "reports:finding": (READERS, NO),
    "reports:step": (READERS, NO),
    "reports:detail": (READERS, NO),
    "reports:markdown": (READERS, NO),
    "reports:post_mortem": (READERS, NO),
    "reports:html": (READERS, NO),
    "reports:pdf": (READERS, NO),
    "reports:json": (READERS, NO),
    "reports:bundle": (READERS, NO),
    "login": (EVERYBODY, EVERYBODY),
    "logout": (NO, EVERYBODY),
    "sign_in:mapping": (ADMINISTRATORS, ADMINISTRATORS),
    "sign_in:mapping_remove": (NO, ADMINISTRATORS),
    "sign_in:begin": (EVERYBODY, NO),
    "sign_in:callback": (EVERYBODY, NO),
    "people:list": (ADMINISTRATORS, ADMINISTRATORS),
    "people:person": (ADMINISTRATORS, ADMINISTRATORS),
    "people:invite_again": (NO, ADMINISTRATORS),
    "people:deactivate": (NO, ADMINISTRATORS),
    "people:team_new": (NO, ADMINISTRATORS),
    "people:team": (ADMINISTRATORS, ADMINISTRATORS),
    "invitation": (EVERYBODY, EVERYBODY),
    "password_change": (PEOPLE, PEOPLE),
    "tokens": (PEOPLE, PEOPLE),
    "all_tokens": (ADMINISTRATORS, NO),
    "token_revoke": (NO, OWN_TOKEN),
    "metrics": (MONITORING, NO),
    "zone": (NO, PEOPLE),
    "language": (NO, EVERYBODY),
    "words": (EVERYBODY, NO),
    "api:root": (EVERYBODY, NO),
    "api:cases": (PEOPLE, OPENERS),
    "api:case": (READERS, NO),
    "api:files": (NO, WRITERS),
    "api:diagnosis": (READERS, NO),
    "api:alerts": (NO, SOURCE),
    "api:schema": (EVERYBODY, NO),
    "api:docs": (EVERYBODY, EVERYBODY),
    "collector": (EVERYBODY, NO),
    "security": (EVERYBODY, NO),
    "security_txt": (EVERYBODY, NO),
    "healthz": (EVERYBODY, EVERYBODY),
    "readyz": (EVERYBODY, EVERYBODY),
    "admin:index": (STAFF, STAFF),
    "admin:login": (EVERYBODY, EVERYBODY),
    "admin:logout": (NO, EVERYBODY),
    "admin:password_change": (EVERYBODY, EVERYBODY),
    "admin:password_change_done": (STAFF, NO),
    "admin:autocomplete": (NO, NO),
    "admin:jsi18n": (STAFF, NO),
    "admin:view_on_site": (NO, NO),
    "admin:app_list": (OWNERS, OWNERS),
    "admin:auth_user_password_change": (OWNERS, OWNERS),
    "admin:rules_rule_history": (STAFF, STAFF),
    "admin:rules_rule_delete": (NO, NO),
    "admin:accounts_user_delete": (NO, NO),
    "admin:accounts_apitoken_add": (NO, NO),
    "admin:accounts_apitoken_change": (OWNERS, NO),
    "admin:axes_accessattempt_add": (NO, NO),
    "admin:axes_accesslog_add": (NO, NO),
    "admin:axes_accessfailurelog_add": (NO, NO),
    **{f"admin:rules_rule_{page}": (STAFF, STAFF) for page in ("changelist", "add", "change")},
    **{
        f"admin:{model}_{page}": (OWNERS, OWNERS)
        for model in (
            "accounts_user",
            "accounts_team",
            "layouts_loglayout",
            "redaction_redactionrule",
            "sign_in_identity",
        )
        for page in ("changelist", "add", "change", "delete", "history")
        if (model, page) != ("accounts_user", "delete")
    },
    **{f"admin:accounts_apitoken_{page}": (OWNERS, OWNERS) for page in ("changelist", "delete", "history")},
    **{
        f"admin:axes_{model}_{page}": (OWNERS, OWNERS)
        for model in ("accessattempt", "accesslog", "accessfailurelog")
        for page in ("changelist", "change", "delete", "history")
    },
}

UNNAMED = {
    "favicon.ico": "sends to a static file",
    "admin/password_change/": "the address of `admin:password_change`, which it stands before",
    "admin/logout/": "the same of `admin:logout`",
    "admin:<path:object_id>/": "Django's old address of an object, which sends to the new one",
    "admin:(?P<url>.*)$": "what the administration does not know",
}
"""Routes without a name, which no page links."""

DATA = {
    "cases:owner": {"owner": "bob"},
    "clusters:metrics": {"server": "{metrics_server_id}", "case": "{case_id}", "hours": "1"},
    "clusters:logs": {"log-server": "{log_store_id}", "case": "{case_id}", "log-hours": "1", "log-selector": 'a="b"'},
    "clusters:collect": {"cluster": "{cluster_id}", "case": "{case_id}"},
    "clusters:profile": {
        "profiled": "{cluster_id}",
        "case": "{case_id}",
        "mode": "ITIMER",
        "profile-seconds": "30",
    },
    "cases:undo": {"batch": "{batch}"},
    "logs:record": {"position": "0"},
    "charts:changes": dict.fromkeys(("normal", "bad"), "2026-11-21T00:00:00Z/2026-11-22T00:00:00Z"),
}
"""What a route asks for before it can tell what is there from what is not."""


def test_every_route_says_who_may_open_it() -> None:
    known = {*MAY, *UNNAMED}
    assert sorted({route.name for route in routes()} - known) == [], "add an entry to MAY"
    assert sorted(known - {route.name for route in routes()}) == [], "there is no such route any more"
