"""Addresses of channels, which are secrets: kept in files and not in the database."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from workbench.clusters.address import LONGEST_FILE_URL, AddressRefused, ClusterUrl
from workbench.clusters.mail import STARTTLS, TLS
from workbench.languages.sentences import say

WEB = ("https", "http")
MAIL = (TLS, STARTTLS)
MAIL_PORTS = {TLS: 465, STARTTLS: 587}
"""Ports of submission. Source: RFC 8314, RFC 6409."""


@dataclass(frozen=True, slots=True)
class ChannelAddress:
    """A parsed address, and the secret for signing messages.

    origin  scheme, host and port: what pages show
    path    path and query; anyone who knows it may post
    """

    origin: str
    path: str
    secret: str = ""

    @classmethod
    def entered(cls, url: str, secret: str, schemes: Sequence[str] = WEB) -> ChannelAddress:
        """The address as typed, with one of the schemes. Raises AddressRefused."""
        plain, secret = url.strip(), secret.strip()
        if len(plain) > LONGEST_FILE_URL or not plain.isascii() or not plain.isprintable() or " " in plain:
            raise AddressRefused(
                say(
                    "An address has at most {most:,} plain characters and no spaces.",
                    most=LONGEST_FILE_URL,
                )
            )
        if len(secret) > LONGEST_FILE_URL or not (secret.isprintable() and secret.isascii()):
            raise AddressRefused(say("A secret has plain characters only."))
        try:
            parts = urlsplit(plain)
        except ValueError as error:
            raise AddressRefused(say("This is no address: {error}.", error=error)) from None
        if parts.fragment or "\\" in plain or "@" in parts.netloc:
            raise AddressRefused(say("The address must not contain a user, password, backslash or #."))
        if parts.scheme not in schemes:
            raise AddressRefused(
                say(
                    "The address begins with {schemes}.", schemes=say(" or ").join(f"{scheme}://" for scheme in schemes)
                )
            )
        origin = str(_server(parts.scheme, parts.netloc))
        path = parts.path or "/"
        return cls(origin, f"{path}?{parts.query}" if parts.query else path, secret)

    @property
    def server(self) -> ClusterUrl:
        """The server to connect to."""
        scheme, _, place = self.origin.partition("://")
        return _server(scheme, place)


def _server(scheme: str, place: str) -> ClusterUrl:
    """Host and port, which of a mail server has another usual value. Raises AddressRefused."""
    if scheme in WEB:
        return ClusterUrl.parse(f"{scheme}://{place}")
    has_port = place.rpartition("]")[2].count(":") > 0
    return replace(
        ClusterUrl.parse(f"http://{place}" if has_port else f"http://{place}:{MAIL_PORTS[scheme]}"), scheme=scheme
    )


def address_keep(channel_id: int, address: ChannelAddress) -> None:
    """Writes the address to a file that only this program's user can read."""
    path = _path(channel_id)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        json.dump({"origin": address.origin, "path": address.path, "secret": address.secret}, opened)


def address_of(channel_id: int) -> ChannelAddress:
    """The address of a channel. Raises AddressRefused when it cannot be read."""
    try:
        kept = json.loads(_path(channel_id).read_text("utf-8"))
        return ChannelAddress(kept["origin"], kept["path"], kept["secret"])
    except (OSError, ValueError, KeyError):
        raise AddressRefused(say("Its address cannot be read by the worker: enter it again.")) from None


def address_forget(channel_id: int) -> None:
    """Deletes the address, if there is one."""
    _path(channel_id).unlink(missing_ok=True)


def _path(channel_id: int) -> Path:
    return settings.WORKBENCH_DATA / "channel-addresses" / str(channel_id)
