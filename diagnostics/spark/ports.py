"""Ports of the loopback interface for programs that start a moment later."""

from __future__ import annotations

import contextlib
import random
import socket
from pathlib import Path

LOWEST = 20_000
"""Lowest port that is chosen: most services that are known by a number have one below it. Our choice."""

EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""Where Linux states from which port on it gives them to outgoing connections."""

EPHEMERAL_ELSEWHERE = 49_152
"""First such port of systems that do not state it. Source: RFC 6335, "Service Name and Port Number Procedures"."""


def free_port() -> int:
    """A port as of `free_ports`."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody uses, all different.

    No outgoing connection gets one of them before the program listens on it, or while it starts anew after a crash.
    """
    with contextlib.ExitStack() as held:
        ports: list[int] = []
        candidates = _lasting_ports()
        random.shuffle(candidates)
        while len(ports) < count:
            # 0: where Linux has none to spare, any port that is free now.
            port = candidates.pop() if candidates else 0
            with contextlib.suppress(OSError):
                listening = held.enter_context(socket.create_server(("127.0.0.1", port)))
                ports.append(listening.getsockname()[1])
        return ports


def _lasting_ports() -> list[int]:
    try:
        end = int(EPHEMERAL.read_text().split()[0])
    except OSError:
        end = EPHEMERAL_ELSEWHERE
    return list(range(LOWEST, end))
