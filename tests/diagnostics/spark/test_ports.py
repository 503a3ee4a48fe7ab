"""Ports that are chosen now and listened on later."""

from __future__ import annotations

import socket

import pytest

from diagnostics.spark import ports
from diagnostics.spark.ports import free_ports


def test_chosen_ports_are_free_and_all_different() -> None:
    chosen = free_ports(20)
    assert len(set(chosen)) == 20
    for port in chosen:
        socket.create_server(("127.0.0.1", port)).close()


@pytest.mark.skipif(not ports.EPHEMERAL.exists(), reason="not Linux")
def test_no_outgoing_connection_gets_a_chosen_port() -> None:
    first = int(ports.EPHEMERAL.read_text().split()[0])
    assert all(ports.LOWEST <= port < first for port in free_ports(20))


def test_where_all_ports_may_go_to_connections_a_free_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "LOWEST", 70_000)
    (port,) = free_ports(1)
    socket.create_server(("127.0.0.1", port)).close()
