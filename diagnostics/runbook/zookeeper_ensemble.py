"""The servers of a ZooKeeper ensemble, as a configuration names them."""

from __future__ import annotations

import re

from diagnostics.evidence.subject import FactValue
from diagnostics.wording.code import is_harmless_in_code

LOOPBACK = re.compile(r"^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=:|$)")
"""An address that each host gives itself: in the list of an ensemble it names another machine on each host."""
NAMES = ("<first-zookeeper-host>", "<second-zookeeper-host>", "<third-zookeeper-host>")
"""Hosts of the smallest ensemble that works on without one of its servers."""
PORT = 2181
"""Source: ZooKeeper's conf/zoo_sample.cfg, clientPort."""


def zookeeper_ensemble(stated: FactValue) -> str:
    """The stated servers, as `host:port`, by names that every host resolves, with placeholders for those that lack."""
    known = [str(each) for each in stated if is_harmless_in_code(str(each))] if isinstance(stated, list) else []
    reachable = [LOOPBACK.sub(name, each) for name, each in zip(NAMES, known, strict=False)]
    return ",".join([*reachable, *known[len(NAMES) :], *(f"{name}:{PORT}" for name in NAMES[len(known) :])])
