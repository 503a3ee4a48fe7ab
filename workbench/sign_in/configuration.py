"""What the environment says about the providers of identities; None where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

LDAP_PORTS = {"ldap": 389, "ldaps": 636}


@dataclass(frozen=True, slots=True)
class OidcConfiguration:
    """An OpenID Connect provider.

    groups  the claim that lists a person's groups
    name    the claim with the user name
    """

    issuer: str
    client_id: str
    secret: str
    title: str
    scopes: str
    groups: str
    name: str

    @property
    def host(self) -> str:
        return urlsplit(self.issuer).hostname or ""


@dataclass(frozen=True, slots=True)
class LdapConfiguration:
    """A directory.

    bind_dn  the account that searches for people; empty: anonymous
    people   base of the search for people
    name     attribute with the user name
    groups   base of the search for groups; empty: only `memberOf` of the person
    ca_file  certificates that the directory's is verified with; empty: those of the system
    """

    url: str
    bind_dn: str
    password: str
    people: str
    name: str
    groups: str
    ca_file: str

    @property
    def scheme(self) -> str:
        return urlsplit(self.url).scheme

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or LDAP_PORTS[self.scheme]


def oidc_configuration() -> OidcConfiguration | None:
    """None without an issuer."""
    if not settings.OIDC_ISSUER:
        return None
    return OidcConfiguration(
        issuer=settings.OIDC_ISSUER,
        client_id=settings.OIDC_CLIENT_ID,
        secret=settings.OIDC_SECRET,
        title=settings.OIDC_TITLE,
        scopes=settings.OIDC_SCOPES,
        groups=settings.OIDC_GROUPS_CLAIM,
        name=settings.OIDC_NAME_CLAIM,
    )


def ldap_configuration() -> LdapConfiguration | None:
    """None without an address."""
    if not settings.LDAP_URL:
        return None
    return LdapConfiguration(
        url=settings.LDAP_URL,
        bind_dn=settings.LDAP_BIND_DN,
        password=settings.LDAP_PASSWORD,
        people=settings.LDAP_PEOPLE,
        name=settings.LDAP_NAME,
        groups=settings.LDAP_GROUPS,
        ca_file=settings.LDAP_CA_FILE,
    )
