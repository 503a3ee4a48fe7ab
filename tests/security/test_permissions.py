"""Every role, another team, no session, and tokens ask every route: each may what the table says, and no more."""

from __future__ import annotations

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.security.routes import BATCH, METHODS, Route, World, made_world, routes
from tests.security.test_routes import (
    ALLOWED,
    AUTHOR,
    DATA,
    HIDDEN_FROM_STRANGERS,
    MAY,
    NO,
    SESSIONS,
    STAFF,
    TOKENS,
    UNNAMED,
)
from tests.workbench.people import People

WORTHLESS = ("expired token", "revoked token", "token of somebody who left", "made-up token")

SIGNING_IN = ("sign_in:begin", "sign_in:callback")
"""For everybody, but without a provider there is none (404): `tests/workbench/sign_in` signs in by real ones."""

OTHER_METHODS = {"uploads:arrival": AUTHOR}
"""Routes that know more methods than GET, HEAD and POST, and who may use those."""

ALL = [route for route in routes() if route.name not in UNNAMED]
BATCHES = [ALL[start : start + BATCH] for start in range(0, len(ALL), BATCH)]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here, and nobody waits for a Spark server that is not there."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    monkeypatch.setattr("workbench.api.probes.PARTS", {})


@pytest.fixture
def world(people: People, queue: redis.Redis) -> World:
    return made_world(people)


def outcome(world: World, visitor: str, method: str, route: Route) -> tuple[str, int]:
    """How the visitor fares: let in, refused, sent to sign in, or told that there is no such method; and the status."""
    answer = world.ask(visitor, method, world.address(route), world.data(DATA.get(route.name, {})))
    status = answer.status_code
    if status == 401 or (status == 302 and "/login/?next=" in answer["Location"]):
        return "sign in", status
    names = {403: "refused", 404: "refused", 405: "no method"}
    return names.get(status, "let in" if status < 500 else "error"), status


def wanted(visitor: str, who: str, route: Route) -> tuple[str, ...]:
    """The outcomes that are right for a visitor of a route whose method is for `who`."""
    if route.name == "metrics":
        return ("no method",) if who == NO else ("sign in",)
    if route.name in SIGNING_IN:
        return ("no method",) if who == NO else ("refused",)
    if route.name == "api:alerts":
        return ("no method",) if who == NO else ("sign in",)
    if visitor in WORTHLESS:
        return ("let in",) if route.name == "api:docs" else ("sign in",)
    if visitor in ALLOWED[who]:
        return ("let in",)
    outside = visitor == "nobody" or (route.name.startswith("admin:") and visitor not in ALLOWED[STAFF])
    refused = "sign in" if outside else "refused"
    return (refused, "refused", "no method") if who == NO else (refused,)


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch[0].name)
def test_each_role_may_what_the_table_says(world: World, batch: list[Route]) -> None:
    wrong = []
    for route in batch:
        visitors = (*SESSIONS, *TOKENS, *WORTHLESS) if route.is_api else SESSIONS
        for method, who in zip(("GET", "POST"), MAY[route.name], strict=True):
            for visitor in visitors:
                told, status = outcome(world, visitor, method, route)
                hides = who in HIDDEN_FROM_STRANGERS and visitor in ("stranger", "token of a stranger")
                if told not in wanted(visitor, who, route) or (hides and status != 404):
                    wrong.append(f"{route.name}: {method} by {visitor} is {told} ({status}), but it is for {who}")
    assert wrong == []


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch[0].name)
def test_other_methods_open_nothing_and_write_nothing(world: World, batch: list[Route]) -> None:
    wrong = []
    for route in batch:
        who = OTHER_METHODS.get(route.name) or MAY[route.name][0]
        for method in METHODS:
            for visitor in ("nobody", "viewer", "author", "stranger"):
                with CaptureQueriesContext(connection) as asked:
                    told, status = outcome(world, visitor, method, route)
                writes = [each["sql"][:80] for each in asked if _writes(each["sql"])]
                writes = [] if route.name in OTHER_METHODS and told == "let in" else writes
                if told == "error" or (told == "let in" and visitor not in ALLOWED[who]) or writes:
                    wrong.append(f"{route.name}: {method} by {visitor} is {told} ({status}) {writes}")
    assert wrong == []


def _writes(sql: str) -> bool:
    """What was refused is recorded in the audit log."""
    is_record = "django_session" in sql or sql.startswith('INSERT INTO "audit_auditentry"')
    return sql.startswith(("INSERT", "UPDATE", "DELETE")) and not is_record


def test_a_file_that_is_sent_in_pieces_is_its_senders_alone(world: World) -> None:
    [route] = [route for route in ALL if route.name == "uploads:arrival"]
    for method in ("HEAD", "PATCH", "DELETE"):
        told = {visitor: outcome(world, visitor, method, route) for visitor in SESSIONS}
        assert told.pop("author")[0] == "let in"
        assert told.pop("nobody")[0] == "sign in"
        assert {status for _, status in told.values()} == {404}
