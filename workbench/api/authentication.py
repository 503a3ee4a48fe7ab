"""Authentication by the header `Authorization: Token <secret>`."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from workbench.accounts.guessing import client_address
from workbench.accounts.models import ApiToken, TokenScope, User
from workbench.languages.sentences import say

KEYWORD = "Token"


class ApiTokenAuthentication(BaseAuthentication):
    """Signs a program in by its token."""

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, ApiToken] | None:
        keyword, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if keyword.lower() != KEYWORD.lower():
            return None
        token = ApiToken.objects.with_secret(secret.strip())
        if token is None:
            raise AuthenticationFailed(say("This token is not known, or it has expired."))
        if token.scope == TokenScope.METRICS:
            raise AuthenticationFailed(say("This token opens the metrics of the workbench only."))
        token.note_use(client_address(request))
        if token.scope == TokenScope.READ and request.method not in SAFE_METHODS:
            raise PermissionDenied(say("This token may read only."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class SignedInApiRequest(Request):
    """A request of a signed-in user, as all API views require. Only for annotations; never instantiated."""

    user: User


class ApiTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI document describes it."""

    target_class = ApiTokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": say("`Token <secret>`; you make one on the page of API tokens."),
        }
