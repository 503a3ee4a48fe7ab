"""Authentication by the header `Authorization: Token <secret>`."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from workbench.accounts.models import ApiToken, User

KEYWORD = "Token"


class ApiTokenAuthentication(BaseAuthentication):
    """Signs a program in by its token."""

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, ApiToken] | None:
        keyword, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if keyword.lower() != KEYWORD.lower():
            return None
        token = ApiToken.objects.with_secret(secret.strip())
        if token is None:
            raise AuthenticationFailed("This token is not known, or it has expired.")
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
            "description": "`Token <secret>`; `manage.py create_token USER` makes one.",
        }
