"""LDAP: a person is searched for, their password tried by a bind, their groups read. By ldap3, which is pure Python.

The connection is encrypted before a password is sent, but for a directory on this machine.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ldap3 import ANONYMOUS, NONE, SIMPLE, SUBTREE, Connection, Server, Tls
from ldap3.core.exceptions import LDAPException
from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import parse_dn

from workbench.clusters.address import AddressRefused, ClusterUrl, judged_address
from workbench.languages.sentences import say
from workbench.sign_in.configuration import LdapConfiguration
from workbench.sign_in.models import Provider
from workbench.sign_in.services import MOST_GROUPS, Presented

WAIT_SECONDS = 5
LONGEST_PASSWORD = 4_096
STABLE_IDS = ("entryUUID", "objectGUID", "nsUniqueId", "ipaUniqueID")
"""Attributes with an id that a person keeps when renamed. Sources: RFC 4530 (OpenLDAP), Microsoft (Active Directory),
389 Directory Server, FreeIPA.
"""
OF_A_PERSON = ("memberOf", "givenName", "sn", "mail")


class DirectoryFailed(Exception):
    """The directory does not answer, or not as configured; the text is for the log."""


def person_verified(configuration: LdapConfiguration, name: str, password: str) -> Presented | None:
    """The person with this name and password, None when there is none. Raises DirectoryFailed.

    An empty password never counts: a directory answers a bind without one as "anonymous" and successful (RFC 4513,
    section 5.1.2).
    """
    if not name or not password or len(password) > LONGEST_PASSWORD or "\x00" in name + password:
        return None
    try:
        with _bound(configuration, configuration.bind_dn, configuration.password) as directory:
            if directory is None:
                raise DirectoryFailed(say("The directory refuses the account that searches for people."))
            entry = _person(directory, configuration, name)
            if entry is None:
                return None
            with _bound(configuration, entry["dn"], password) as own:
                if own is None:
                    return None
            return _presented(directory, configuration, entry)
    except (LDAPException, OSError) as error:
        raise DirectoryFailed(say("The directory does not answer ({error}).", error=type(error).__name__)) from error


@contextmanager
def _bound(configuration: LdapConfiguration, dn: str, password: str) -> Iterator[Connection | None]:
    """A connection with this account; None when the directory refuses it."""
    connection = Connection(
        _server(configuration),
        user=dn or None,
        password=password or None,
        authentication=SIMPLE if dn else ANONYMOUS,
        receive_timeout=2 * WAIT_SECONDS,
        read_only=True,
        auto_referrals=False,
    )
    try:
        connection.open()
        if configuration.scheme == "ldap" and not _is_this_machine(configuration):
            connection.start_tls()
        yield connection if connection.bind() else None
    finally:
        connection.unbind()


def _server(configuration: LdapConfiguration) -> Server:
    """The server at its checked address; its certificate is verified for its name."""
    url = _guarded(configuration)
    try:
        address = judged_address(url, special_allowed=True)
    except AddressRefused as error:
        raise DirectoryFailed(str(error)) from None
    tls = Tls(
        validate=ssl.CERT_REQUIRED,
        version=ssl.PROTOCOL_TLS_CLIENT,
        ca_certs_file=configuration.ca_file or ssl.get_default_verify_paths().cafile,
        valid_names=[configuration.host],
        sni=configuration.host,
    )
    is_encrypted = configuration.scheme == "ldaps"
    return Server(address, configuration.port, is_encrypted, tls=tls, get_info=NONE, connect_timeout=WAIT_SECONDS)


def _guarded(configuration: LdapConfiguration) -> ClusterUrl:
    """The address as the guard of outgoing connections knows it, which does not connect by the scheme."""
    host = f"[{configuration.host}]" if ":" in configuration.host else configuration.host
    return ClusterUrl.parse(f"https://{host}:{configuration.port}")


def _is_this_machine(configuration: LdapConfiguration) -> bool:
    return configuration.host in ("localhost", "127.0.0.1", "::1")


def _person(directory: Connection, configuration: LdapConfiguration, name: str) -> dict[str, Any] | None:
    """The one entry with this name; a name of several people is nobody's."""
    condition = f"({configuration.name}={escape_filter_chars(name)})"
    asked = [configuration.name, *OF_A_PERSON, *STABLE_IDS]
    directory.search(configuration.people, condition, SUBTREE, attributes=asked, size_limit=2)
    entries = [entry for entry in directory.response or [] if entry["type"] == "searchResEntry"]
    return entries[0] if len(entries) == 1 else None


def _presented(directory: Connection, configuration: LdapConfiguration, entry: dict[str, Any]) -> Presented:
    return Presented(
        provider=Provider.LDAP,
        issuer=configuration.url,
        subject=next((found for name in STABLE_IDS if (found := _id(entry, name))), entry["dn"].casefold()),
        name=_text(entry, configuration.name),
        groups=frozenset(_groups(directory, configuration, entry)),
        first_name=_text(entry, "givenName"),
        last_name=_text(entry, "sn"),
        email=_text(entry, "mail"),
    )


def _groups(directory: Connection, configuration: LdapConfiguration, entry: dict[str, Any]) -> Iterator[str]:
    """The distinguished name of each group, and its first part: administrators map either."""
    names = list(_texts(entry, "memberOf"))
    if configuration.groups:
        dn, name = escape_filter_chars(entry["dn"]), escape_filter_chars(_text(entry, configuration.name))
        condition = f"(|(member={dn})(uniqueMember={dn})(memberUid={name}))"
        directory.search(configuration.groups, condition, SUBTREE, attributes=["cn"], size_limit=MOST_GROUPS)
        names += [found["dn"] for found in directory.response or [] if found["type"] == "searchResEntry"]
    for dn in names[:MOST_GROUPS]:
        yield dn
        try:
            yield parse_dn(dn)[0][1]
        except LDAPException:
            continue


def _id(entry: dict[str, Any], name: str) -> str:
    """The value of an id; the octets of `objectGUID` as hexadecimal digits."""
    raw = entry["raw_attributes"].get(name) or []
    if not raw:
        return ""
    try:
        return str(raw[0].decode("ascii"))
    except UnicodeDecodeError:
        return str(raw[0].hex())


def _texts(entry: dict[str, Any], name: str) -> list[str]:
    return [value.decode("utf-8", "replace") for value in entry["raw_attributes"].get(name) or []]


def _text(entry: dict[str, Any], name: str) -> str:
    return next(iter(_texts(entry, name)), "")
