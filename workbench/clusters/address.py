"""Addresses of listed clusters, and whether the workbench may connect to them.

Prevents server-side request forgery, by which somebody makes the workbench send requests to a service that only its
machine can reach. Only administrators list addresses; a name is resolved once per collection, each of its addresses is
checked, and the connection uses the checked one, so that DNS rebinding has no effect.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from workbench.languages.sentences import say

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], list[str]]

USUAL_PORTS = {"http": 80, "https": 443}
LONGEST_URL = 300
LONGEST_FILE_URL = 4_000
"""A signed address of an object store has about 1,500 characters. Our choice."""
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?\.?")
PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")

METADATA = frozenset(
    ipaddress.ip_address(each)
    for each in (
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
    )
)
"""Addresses of providers' metadata services with secrets. Sources: the documentation of AWS, Google and Azure; of Azure
(WireServer); of Alibaba Cloud; of Oracle Cloud; of AWS (IMDS over IPv6); of Google (the same).
"""
NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
"""NAT64 (RFC 6052, RFC 8215) and 6to4 (RFC 3056): IPv6 addresses that lead to an IPv4 one."""


class AddressRefused(Exception):
    """Connecting is not allowed; the text is for the user."""


class NoAddress(AddressRefused):
    """The name does not resolve at present."""


@dataclass(frozen=True, slots=True)
class ClusterUrl:
    """A parsed base URL: scheme, host, port as listed, path without a trailing slash."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, text: str) -> ClusterUrl:
        """Raises AddressRefused for all but `http(s)://host[:port][/path]`."""
        plain = text.strip()
        if len(plain) > LONGEST_URL or not plain.isascii() or not plain.isprintable() or " " in plain or "\\" in plain:
            raise AddressRefused(
                say("An address has at most 300 plain characters and no spaces; write names as punycode.")
            )
        try:
            parts = urlsplit(plain)
            port = parts.port
        except ValueError as error:
            raise AddressRefused(say("This is no address: {error}.", error=error)) from None
        if parts.scheme not in USUAL_PORTS:
            raise AddressRefused(say("The address begins with http:// or https://."))
        if "@" in parts.netloc:
            raise AddressRefused(say("The address must not contain a user or password."))
        if parts.query or parts.fragment or "?" in plain or "#" in plain:
            raise AddressRefused(say("The address ends with the path, without ? and #."))
        host = parts.hostname or ""
        if not (_literal(host) or HOST.fullmatch(host)) or port == 0:
            raise AddressRefused(say("The address has a host, as in http://jobmanager:8081."))
        path = parts.path.rstrip("/")
        if not PATH.fullmatch(path) or any(part in (".", "..") for part in path.split("/")):
            raise AddressRefused(say("The path has letters, digits and . _ ~ - only."))
        return cls(parts.scheme, host.lower().rstrip("."), port or USUAL_PORTS[parts.scheme], path)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return str(self).removesuffix(self.path) if self.path else str(self)

    def file_path(self, text: str) -> str | None:
        """Path and query of a file's URL; None when it is not below this address. Raises AddressRefused."""
        plain = text.strip()
        if len(plain) > LONGEST_FILE_URL or not plain.isascii() or not plain.isprintable() or " " in plain:
            raise AddressRefused(
                say(
                    "An address has at most {most:,} plain characters and no spaces.",
                    most=LONGEST_FILE_URL,
                )
            )
        try:
            parts = urlsplit(plain)
        except ValueError as error:
            raise AddressRefused(say("This is no address: {error}.", error=error)) from None
        if parts.fragment or "\\" in plain or "@" in parts.netloc:
            raise AddressRefused(say("The address must not contain a user, password, backslash or #."))
        # Nothing that a server interprets as a slash or a dot may lead out of the listed path, in any encoding.
        if any(_leads_elsewhere(part) for part in re.split(r"[/\\]", unquote(unquote(parts.path)))):
            raise AddressRefused(say("No part of the path may be . or .."))
        asked = ClusterUrl.parse(f"{parts.scheme}://{parts.netloc}")
        if (asked.scheme, asked.host, asked.port) != (self.scheme, self.host, self.port):
            return None
        if not parts.path.startswith(f"{self.path}/") or parts.path.endswith("/"):
            return None
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    @property
    def names_an_address(self) -> bool:
        """Whether the host is an IP address, or a local name of this machine."""
        return _literal(self.host) is not None or self.host == "localhost"


def _leads_elsewhere(part: str) -> bool:
    """Whether a server may interpret the path segment as a dot or two: Tomcat and others cut it at `;`, some at NUL."""
    return re.split(r"[;\x00]", part)[0].strip() in (".", "..")


def file_name(path: str) -> str:
    """The file name in a path with a query."""
    return unquote(path.partition("?")[0]).rpartition("/")[2] or "fetched"


def looked_up(host: str, port: int) -> list[str]:
    """Every address from the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def judged_address(url: ClusterUrl, *, special_allowed: bool, lookup: Lookup = looked_up) -> str:
    """The address to connect to. Raises AddressRefused when the name has none, or any that is not allowed.

    special_allowed  an administrator listed this IP address although it is one of this machine, of the link or of a
                     provider's metadata service; never applies to names, because their addresses can change
    """
    try:
        addresses = lookup(url.host, url.port)
    except (OSError, UnicodeError):
        addresses = []
    if not addresses:
        raise NoAddress(say("The name {host} has no address.", host=url.host))
    for address in addresses:
        reason = special(ipaddress.ip_address(address.partition("%")[0]))
        if reason and not (special_allowed and url.names_an_address):
            raise AddressRefused(
                say(
                    "{host} leads to {each}, {reason}: the workbench does not connect there.",
                    host=url.host,
                    each=address,
                    reason=reason,
                )
            )
    return addresses[0]


def special(address: IpAddress) -> str | None:
    """Why an address cannot be a cluster's; None for others, private networks included."""
    inner = _embedded(address)
    if inner is not None:
        return special(inner)
    if address in METADATA:
        return say("where a provider keeps secrets of this machine")
    if address.is_loopback:
        return say("this machine itself")
    if address.is_link_local:
        return say("an address of the link")
    if address.is_unspecified or address.is_multicast or address.is_reserved:
        return say("an address of no machine")
    if isinstance(address, ipaddress.IPv4Address) and address in ipaddress.IPv4Network("0.0.0.0/8"):
        return say("this machine itself")
    return None


def _embedded(address: IpAddress) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.teredo:
        return address.teredo[1]
    if any(address in network for network in NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address in SIX_TO_FOUR:
        return ipaddress.IPv4Address((int(address) >> 80) & 0xFFFFFFFF)
    # The first 96 bits are zero: the old IPv4-compatible form (RFC 4291), but for :: and ::1.
    return ipaddress.IPv4Address(int(address)) if 1 < int(address) < 2**32 else None


def _literal(host: str) -> IpAddress | None:
    """The IP address that a host is; None with a zone (`%eth0`), which is link-local anyway."""
    try:
        return None if "%" in host else ipaddress.ip_address(host)
    except ValueError:
        return None
