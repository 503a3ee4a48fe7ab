"""A provider of identities as a program: django-oauth-toolkit, with people, groups and one registered client.

Started as a module with port, folder and redirect address; it says `ready` when it listens.
"""

from __future__ import annotations

import sys
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

CLIENT, SECRET = "flink-workbench", "the-secret-of-the-client"
PASSWORD = "provider-has-a-password"
GROUPS = {
    "paula": ["flink-oncall", "canteen"],
    "rolf": ["flink-oncall", "flink-rules"],
    "nobody": ["canteen"],
    "alice": ["flink-oncall"],
}
LOGIN_PAGE = "<form method='post'>{% csrf_token %}{{ form }}<input name='next' value='{{ next }}'></form>"


def main(port: int, folder: Path, redirect_address: str) -> None:
    """Serves until it is ended."""
    _configure(port, folder)
    django.setup()
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    _fill(redirect_address)
    with make_server("127.0.0.1", port, get_wsgi_application(), handler_class=_Quiet) as server:
        print("ready", flush=True)
        server.serve_forever()


def _configure(port: int, folder: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    settings.configure(
        SECRET_KEY="of a provider for tests",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.workbench.sign_in.oidc_provider_urls",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"login.html": LOGIN_PAGE})]},
            }
        ],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "provider.sqlite3"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        LOGIN_URL="/login/",
        USE_TZ=True,
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": key.decode(),
            "OIDC_ISS_ENDPOINT": f"http://127.0.0.1:{port}/o",
            "PKCE_REQUIRED": True,
            "SCOPES": {"openid": "", "profile": "", "email": ""},
            "OAUTH2_VALIDATOR_CLASS": "tests.workbench.sign_in.oidc_provider_claims.Claims",
        },
    )


def _fill(redirect_address: str) -> None:
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    for name in GROUPS:
        User.objects.create_user(name, f"{name}@example.org", PASSWORD, first_name=name.title())
    Application.objects.create(
        name=CLIENT,
        client_id=CLIENT,
        client_secret=SECRET,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=redirect_address,
        skip_authorization=True,
        algorithm=Application.RS256_ALGORITHM,
    )


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        """Nothing on standard error."""


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
