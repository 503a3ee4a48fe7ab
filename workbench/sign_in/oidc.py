"""OpenID Connect: code flow with PKCE, state and nonce, by Authlib."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.base_client import FrameworkIntegration
from authlib.integrations.django_client import DjangoOAuth2App
from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from joserfc.errors import JoseError
from requests.exceptions import RequestException

from workbench.languages.sentences import say
from workbench.sign_in.configuration import OidcConfiguration
from workbench.sign_in.guarded_session import GuardedSession
from workbench.sign_in.models import Provider
from workbench.sign_in.services import MOST_GROUPS, Presented

SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures of ID tokens that are accepted: those with a public key. Source: RFC 7518, section 3.1, and RFC 8037."""

METADATA_SECONDS = 3600.0
"""How long the provider's own description and keys are cached. Our choice; an unknown key is asked for at once."""


class ProviderFailed(Exception):
    """The provider does not answer, or its answer does not verify; the text is for the person who signs in."""


def sign_in_begin(request: HttpRequest, configuration: OidcConfiguration) -> HttpResponseRedirect:
    """Sends the browser to the provider; state, nonce and PKCE verifier stay in its session. Raises ProviderFailed."""
    try:
        answer = _client(configuration).authorize_redirect(request, redirect_address())
    except (AuthlibBaseError, RequestException, ValueError, KeyError, RuntimeError) as error:
        raise _failed(error) from error
    return HttpResponseRedirect(answer["Location"])


def person_presented(request: HttpRequest, configuration: OidcConfiguration) -> Presented:
    """The person whom the provider sent back, after state, code, PKCE, signature, issuer, audience, time and nonce are
    verified. Raises ProviderFailed.
    """
    client = _client(configuration)
    issuer = {"essential": True, "value": configuration.issuer}
    try:
        token = client.authorize_access_token(request, claims_options={"iss": issuer}, leeway=60)
    except (AuthlibBaseError, JoseError, RequestException, ValueError, KeyError, RuntimeError) as error:
        raise _failed(error) from error
    claims = token.get("userinfo")
    if not claims or not isinstance(claims.get("sub"), str) or not claims["sub"]:
        raise ProviderFailed(say("The provider's answer does not say who you are."))
    return _presented(claims, configuration)


def redirect_address() -> str:
    """The address to register at the provider. Of the environment: a request could state any host."""
    return f"{settings.WORKBENCH_URL}{reverse('sign_in:callback')}"


def _presented(claims: Mapping[str, Any], configuration: OidcConfiguration) -> Presented:
    groups = claims.get(configuration.groups) or []
    if isinstance(groups, str):
        groups = [groups]
    return Presented(
        provider=Provider.OIDC,
        issuer=configuration.issuer,
        subject=claims["sub"],
        name=_text(claims, configuration.name) or _text(claims, "email"),
        groups=frozenset(group for group in groups[:MOST_GROUPS] if isinstance(group, str)),
        first_name=_text(claims, "given_name"),
        last_name=_text(claims, "family_name"),
        email=_text(claims, "email"),
    )


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) else ""


def _failed(error: Exception) -> ProviderFailed:
    if isinstance(error, RequestException):
        return ProviderFailed(
            say("The provider does not answer as expected. Sign in with a local account, or try again.")
        )
    if getattr(error, "error", "") == "mismatching_state":
        return ProviderFailed(say("This sign-in was not begun in this browser, or too long ago. Begin it again."))
    if getattr(error, "error", "") == "access_denied":
        return ProviderFailed(say("The provider denies the sign-in."))
    return ProviderFailed(say("The provider's answer could not be verified."))


class _Client(DjangoOAuth2App):  # type: ignore[misc]
    client_cls = GuardedSession

    def load_server_metadata(self) -> dict[str, Any]:
        """As in Authlib; the described issuer must be the configured one (OpenID Connect Discovery 1.0, section 4.3).

        Raises ValueError.
        """
        described: dict[str, Any] = super().load_server_metadata()
        if described.get("issuer") != self.issuer:
            raise ValueError("The provider describes another issuer.")
        offered = described.get("id_token_signing_alg_values_supported") or ["RS256"]
        described["id_token_signing_alg_values_supported"] = [name for name in offered if name in SIGNATURES]
        return described


_clients: dict[OidcConfiguration, tuple[float, _Client]] = {}


def _client(configuration: OidcConfiguration) -> _Client:
    """The client with the provider's cached description."""
    made_at, client = _clients.get(configuration, (float("-inf"), None))
    if client is None or time.monotonic() - made_at > METADATA_SECONDS:
        client = _Client(
            FrameworkIntegration("oidc"),
            name="oidc",
            client_id=configuration.client_id,
            client_secret=configuration.secret or None,
            server_metadata_url=f"{configuration.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": configuration.scopes,
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": "client_secret_basic" if configuration.secret else "none",
                "configured": configuration.host,
            },
        )
        client.issuer = configuration.issuer
        _clients.clear()
        _clients[configuration] = time.monotonic(), client
    return client
