"""No value of a parameter, in an address or a form, ends in an error of the server or takes long.

Parameters are those that the code asks for by name, and the fields of all forms. `PARAMETER_TRIES=500 pytest …` tries
more of them, `PARAMETER_SEED=…` others.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_plus

import pytest
import redis
from django import forms
from django.db import transaction

from tests.running_workbench import PROJECT
from tests.security.routes import BATCH, Route, World, made_world, routes
from tests.security.test_routes import DATA, MAY, NO, UNNAMED
from tests.workbench.people import People

TRIES = int(os.environ.get("PARAMETER_TRIES", "4"))
SEED = os.environ.get("PARAMETER_SEED", "1")
MOST_SECONDS = 2.0
"""Processor time of one answer. Our choice: ten times what the slowest page of these cases takes."""

WRITTEN = (
    "",
    " ",
    "0",
    "-1",
    "²",
    "٣",
    "1e999",
    "NaN",
    "-inf",
    "9" * 18,
    "9" * 19,
    "-" + "9" * 40,
    "9" * 5_000,
    "0x10",
    "1_000",
    "\0",
    "a\0b",
    "a\r\nSet-Cookie: x=1",
    "a\u2028b\x85c",
    "\ud7ff\uffff\U0010ffff",
    "../../etc/passwd",
    "/etc/passwd!/x",
    "//evil.invalid/",
    "javascript:hit()",
    "http://[::1",
    "http://169.254.169.254/",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999999-23:59",
    "2026-02-30",
    "+24:00",
    "Etc/GMT+99",
    "../UTC",
    "%",
    "'; DROP TABLE cases_case; --",
    "(a+)+$",
    "(" * 500,
    "[" * 20_000,
    '{"a":' * 5_000,
    "a:" * 1_500,
    '"' * 1_501,
    "-" * 3_000,
    "level:error+ -level:warn OR (" * 100,
    "/" * 1_500,
    "~2/~0/~1",
    "{0.__class__}{{7*7}}${7*7}",
    "&a [*a,*a]",
    "? [a, b] : c\n!!python/object:os.system {}",
    "a" * 100_000,
    "\n" * 50_000,
)
VALUES = (*map(quote_plus, WRITTEN), "%ED%A0%80", "%FF%FE%00", "%C0%AF")
"""Values as they stand in an address."""

SHORT = tuple(value for value in VALUES if len(value) < 10_000)
"""Those that all parameters together may have in one form."""

ASKED = re.compile(r'\.(?:get|getlist|pop)\(\s*"([a-z_]{1,30})"')


def parameters() -> list[str]:
    """Every name that a view may ask for."""
    found = {name for path in _sources() for name in ASKED.findall(path.read_text("utf-8"))}
    for form in _forms(forms.BaseForm):
        found.update(getattr(form, "base_fields", {}))
    return sorted(found)


def _sources() -> Iterator[Path]:
    for path in (PROJECT / "workbench").rglob("*.py"):
        text = path.read_text("utf-8")
        if "HttpRequest" in text or "SignedInRequest" in text or "QueryDict" in text or "ApiRequest" in text:
            yield path


def _forms(form: type) -> Iterator[type]:
    for each in form.__subclasses__():
        if each.__module__.startswith("workbench."):
            yield each
        yield from _forms(each)


NAMES = parameters()
TRIED = [route for route in routes() if route.name not in UNNAMED and not route.name.startswith("admin:")]
BATCHES = [TRIED[start : start + BATCH] for start in range(0, len(TRIED), BATCH)]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here, and nobody waits for a Spark server that is not there."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    monkeypatch.setattr("workbench.api.probes.PARTS", {})


@pytest.fixture
def world(people: People, queue: redis.Redis) -> World:
    return made_world(people)


def tries(route: Route, method: str, known: dict[str, str]) -> Iterator[dict[str, str]]:
    """What is sent: all parameters with one value, and single ones beside what the route asks for."""
    chance = random.Random(f"{SEED} {route.name} {method}")
    for value in chance.sample(SHORT, min(TRIES, len(SHORT))):
        yield dict.fromkeys(NAMES, value)
    for _ in range(TRIES):
        chosen = chance.sample(NAMES, chance.choice((1, 1, 2, 3)))
        yield {**known, **{name: chance.choice(VALUES) for name in chosen}}


def test_parameters_are_found() -> None:
    assert {"q", "snapshot", "member", "pointer", "title", "redact", "clock", "zone", "yaml"} & set(NAMES) >= {
        "q",
        "snapshot",
        "member",
        "pointer",
    }
    assert len(NAMES) > 60


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch[0].name)
def test_no_value_ends_in_an_error_or_takes_long(world: World, batch: list[Route]) -> None:
    wrong = []
    for route in batch:
        known = {name: quote_plus(value) for name, value in world.data(DATA.get(route.name, {})).items()}
        for method, who in zip(("GET", "POST"), MAY[route.name], strict=True):
            if who == NO:
                continue
            visitor = {"the person in the drill": "responder", "the rule editor who began it": "rule editor"}.get(
                who, "administrator" if "administrator" in who or "rule" in who else "author"
            )
            for sent in tries(route, method, known):
                query = "&".join(f"{name}={value}" for name, value in sent.items())
                begun = time.thread_time()
                status = _status(world, visitor, method, world.address(route), query)
                seconds = time.thread_time() - begun
                if status != "" or seconds > MOST_SECONDS:
                    wrong.append(f"{method} {route.name} {status} {seconds:.1f} s: {_short(sent)}")
    assert not wrong, "\n".join(wrong)


def _status(world: World, visitor: str, method: str, address: str, query: str) -> str:
    """What went wrong; empty when nothing did."""
    client = world.people[visitor]
    cookies = client.cookies.copy()
    try:
        with transaction.atomic():
            in_address = f"{address}?{query}" if method == "GET" else address
            content = "" if method == "GET" else query
            answer = client.generic(method, in_address, content, "application/x-www-form-urlencoded")
            if answer.streaming and not answer.headers["Content-Type"].startswith("text/event-stream"):
                b"".join(answer.streaming_content)
            transaction.set_rollback(True)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        client.cookies = cookies
    where = answer.headers.get("Location", "")
    if re.match(r"(https?:)?//|javascript:", where) and "testserver" not in where:
        return f"sends to {where[:80]}"
    return "" if answer.status_code < 500 or answer.status_code == 507 else f"status {answer.status_code}"


def _short(sent: dict[str, str]) -> str:
    if len(sent) == len(NAMES):
        return f"all = {next(iter(sent.values()))[:60]}"
    return "&".join(f"{name}={value[:40]}" for name, value in sent.items())
