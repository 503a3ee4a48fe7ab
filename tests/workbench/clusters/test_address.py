"""The workbench connects to listed addresses only, checked after the look-up, whatever the DNS answers later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.clusters.address import AddressRefused, ClusterUrl, Lookup, NoAddress, judged_address

PRIVATE = "10.1.2.3"


def answering(*addresses: str) -> Lookup:
    return lambda _host, _port: list(addresses)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("http://jobmanager:8081", "http://jobmanager:8081"),
        ("HTTPS://Flink.Example.org/payments/", "https://flink.example.org:443/payments"),
        ("http://10.1.2.3", "http://10.1.2.3:80"),
        ("http://[fd00::5]:8081", "http://[fd00::5]:8081"),
    ],
)
def test_an_address_is_taken_apart_and_written_in_one_way(text: str, read: str) -> None:
    assert str(ClusterUrl.parse(text)) == read
    assert ClusterUrl.parse(read) == ClusterUrl.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "jobmanager:8081",
        "ftp://jobmanager",
        "file:///etc/passwd",
        "gopher://jobmanager:6379/_INFO",
        "http://",
        "http://jobmanager:0",
        "http://jobmanager:99999",
        "http://jobmanager@169.254.169.254",
        "http://user:password@jobmanager:8081",
        "http://jobmanager:8081@evil.example",
        "http://jobmanager\\@evil.example",
        "http://jobmanager:8081/?x=1",
        "http://jobmanager:8081/#x",
        "http://jobmanager:8081?",
        "http://jobmanager:8081/a/../b",
        "http://jobmanager:8081/%2e%2e/",
        "http://jobmanager:8081/a b",
        "http://jobmanager\r\nHost: evil",
        "http://ex\u00e4mple.org",
        "http://\uff11\uff12\uff17.0.0.1",
        "http://[::1",
        "http://[fe80::1%25eth0]:8081",
        "http://" + "a" * 400,
    ],
)
def test_what_is_no_plain_address_of_a_server_is_refused(text: str) -> None:
    with pytest.raises(AddressRefused):
        ClusterUrl.parse(text)


@pytest.mark.parametrize("address", [PRIVATE, "192.168.7.9", "172.20.0.4", "fd12::7", "8.8.8.8", "2001:4860::1"])
def test_private_and_public_addresses_of_a_listed_name_are_reached(address: str) -> None:
    url = ClusterUrl.parse("http://jobmanager:8081")
    assert judged_address(url, special_allowed=False, lookup=answering(address)) == address


SPECIAL = [
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "0.0.0.0",
    "0.1.2.3",
    "::",
    "169.254.169.254",
    "169.254.1.1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd20:ce::254",
    "::ffff:192.0.0.192",
    "224.0.0.1",
    "ff02::1",
    "255.255.255.255",
    "240.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "64:ff9b:1::a9fe:a9fe",
    "2001:0:c000:201:0:0:5601:5601",
    "::127.0.0.1",
]


@pytest.mark.parametrize("address", SPECIAL)
@pytest.mark.parametrize("special_allowed", [False, True])
def test_no_name_leads_to_this_machine_its_link_or_metadata(address: str, special_allowed: bool) -> None:
    """Not even with the administrator's permission, since the address of a name can change."""
    url = ClusterUrl.parse("http://jobmanager:8081")
    with pytest.raises(AddressRefused, match="does not connect there"):
        judged_address(url, special_allowed=special_allowed, lookup=answering(address))
    with pytest.raises(AddressRefused, match="does not connect there"):
        judged_address(url, special_allowed=special_allowed, lookup=answering(PRIVATE, address))


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1"])
def test_odd_spellings_of_this_machine_are_this_machine(host: str) -> None:
    """By the real resolver, which reads them as the C library does, or does not know them at all."""
    with pytest.raises(AddressRefused):
        judged_address(ClusterUrl.parse(f"http://{host}:8081"), special_allowed=True)


def test_a_special_address_is_reached_only_when_it_is_listed_as_such() -> None:
    url = ClusterUrl.parse("http://127.0.0.1:8081")
    with pytest.raises(AddressRefused, match="this machine itself"):
        judged_address(url, special_allowed=False)
    assert judged_address(url, special_allowed=True) == "127.0.0.1"


def test_a_name_is_looked_up_once_and_its_first_answer_counts() -> None:
    answers: Iterator[list[str]] = iter([[PRIVATE], ["127.0.0.1"]])
    url = ClusterUrl.parse("http://rebinding.example:8081")
    assert judged_address(url, special_allowed=False, lookup=lambda _host, _port: next(answers)) == PRIVATE
    assert next(answers) == ["127.0.0.1"], "the second answer was never asked for"


def test_a_name_without_an_address_is_said_to_have_none() -> None:
    def unknown(_host: str, _port: int) -> list[str]:
        raise OSError

    with pytest.raises(NoAddress, match="has no address"):
        judged_address(ClusterUrl.parse("http://nowhere.invalid"), special_allowed=False, lookup=unknown)
