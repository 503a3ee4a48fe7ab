"""What to do about ports that are taken, addresses that cannot be assigned, and probes of Kubernetes."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.harmless_errors import harmless_errors
from diagnostics.vocabulary.message_remedies import known_message, remedy_of, shown_by_message

RANGE = "Could not start actor system on any port in port range {ports}"
CONNECTING = (
    "sun.nio.ch.Net.connect0",
    "sun.nio.ch.SocketChannelImpl.checkConnect",
    "java.net.PlainSocketImpl.socketConnect",
    "java.net.AbstractPlainSocketImpl.doConnect",
    "io.netty.channel.unix.Errors.throwConnectException",
    "org.apache.flink.shaded.netty4.io.netty.channel.unix.Socket.connect",
)


def test_a_range_that_is_used_up_is_widened_and_a_single_port_is_freed() -> None:
    assert (remedy_of(RANGE.format(ports="30100-30164")) or "").startswith("Widen the range")
    assert (remedy_of(RANGE.format(ports="6123")) or "").startswith("End the former JobManager or TaskManager")


@pytest.mark.parametrize("frame", CONNECTING)
def test_an_address_that_a_connect_could_not_take_is_a_matter_of_the_client(frame: str) -> None:
    known = known_message("java.net.BindException: Cannot assign requested address", (frame,))

    assert known is not None
    assert known.id == "local-ports-used-up"


def test_an_address_that_a_server_could_not_take_is_a_matter_of_the_bind_host() -> None:
    for thrown in ("java.net.BindException", "Errors$NativeIoException: bind(..) failed"):
        known = known_message(f"{thrown}: Cannot assign requested address", ("sun.nio.ch.Net.bind0",))

        assert known is not None
        assert known.id == "listen-address-not-assigned"


@pytest.mark.parametrize("said", ["dial tcp 10.1.2.3:6122: connect: connection refused", "context deadline exceeded"])
def test_a_probe_that_fails_is_a_setting_of_the_pod_and_no_system_outside(said: str) -> None:
    text = f"Liveness probe failed: {said}"

    assert shown_by_message(text) == "setting"
    assert "initialDelaySeconds" in (remedy_of(text) or "")


def test_a_startup_probe_is_a_setting_once_it_has_ended_the_container_and_before_it_is_asked_again() -> None:
    ended = "Container flink-main-container failed startup probe, will be restarted"

    assert shown_by_message(ended) == "setting"
    assert any("Startup probe failed" in each.texts for each in harmless_errors().values())
    assert remedy_of("Startup probe failed: dial tcp 10.1.2.3:8081: connect: connection refused") is None
