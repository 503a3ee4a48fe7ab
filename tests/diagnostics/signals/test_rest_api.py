"""The address of the REST API, for commands that people copy into a shell."""

from __future__ import annotations

from typing import Any

from diagnostics.signals.rest_api import measure
from tests.diagnostics.hand_made import hand_made, needs, only


def _asked(*addresses: str) -> list[dict[str, Any]]:
    return [{"scope": "collector", "key": "rest", "value": each} for each in addresses]


def test_the_collectors_address_is_reported_with_its_citation() -> None:
    told = only(measure(hand_made(config_option=_asked("http://jm:8081/", "http://jm:8081"))), "rest_api")
    assert told.facts == {"address": "http://jm:8081"}
    assert told.citations[0].line == 1


def test_an_unsafe_a_local_and_an_ambiguous_address_give_no_signal() -> None:
    hostile = ("http://jm:8081;rm", "http://jm/$(id)", "http://jm/`id`", "http://jm/ -o x", "file:///etc/passwd", "-x")
    here = ("http://localhost:8081", "http://127.0.0.1:8081", "http://[::1]:8081")
    for addresses in (hostile + here, ("http://one:8081", "http://two:8081")):
        assert needs(measure(hand_made(config_option=_asked(*addresses)))) == {"rest_api": "job-rest"}
