"""Address of the cluster's REST API, for the commands that a diagnosis prints."""

from __future__ import annotations

import re

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.reconstruction.configuration.stated_settings import Stated, stated_options
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition

ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,250}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]{1,100}){0,10}"
)
"""An address without shell metacharacters: people copy it into a shell, and uploads are untrusted."""

OF_ONE_HOST = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1?\])")
"""Addresses that mean another machine elsewhere, such as a forwarded port on localhost."""


def measure(evidence: Evidence) -> Measured:
    """The address that `collect_flink.py` asked.

    Reads   config_option (scope collector).
    Gives   one `rest_api` of the case.
    Empty   NotMeasured without a bundle of the collector, when two bundles have different addresses, and for an
            address that only one host reaches.
    """
    asked: dict[str, Stated] = {}
    for each in stated_options(evidence):
        if told := _address(each):
            asked.setdefault(told, each)
    if len(asked) != 1:
        yield NotMeasured("rest_api", "job-rest", "the bundles of the collector name no address, or more than one")
        return
    [(address, stated)] = asked.items()
    yield Signal("rest_api", Subject(), {"address": address}, (stated.citation,))


def _address(stated: Stated) -> str | None:
    if stated.scope != "collector" or stated.key != "rest":
        return None
    told = (stated.value or "").rstrip("/")
    return told if ADDRESS.fullmatch(told) and not OF_ONE_HOST.match(told) else None


SIGNALS = (SignalDefinition("rest_api", "case", {"address": "where Flink's REST API was asked"}, measure),)
