"""A provider of identities and a directory, each as a program of its own on the loopback interface."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
import requests
from django.conf import LazySettings
from django.test import Client

from diagnostics.spark.ports import free_port
from tests.workbench.sign_in import oidc_provider

WORKBENCH = "http://workbench.test"


@dataclass(frozen=True, slots=True)
class RunningProvider:
    issuer: str

    def sign_in(self, address: str, name: str) -> str:
        """Follows the workbench's redirect as a browser would, signs in there; gives the way back."""
        with requests.Session() as browser:
            page = browser.get(address, timeout=10)
            assert page.status_code == 200, page.text
            form = {"username": name, "password": oidc_provider.PASSWORD}
            form["next"] = parse_qs(urlsplit(page.url).query)["next"][0]
            form["csrfmiddlewaretoken"] = page.text.partition('csrfmiddlewaretoken" value="')[2].partition('"')[0]
            answer = browser.post(page.url, form, timeout=10, allow_redirects=False)
            granted = urljoin(page.url, answer.headers["Location"])
            answer = browser.get(granted, timeout=10, allow_redirects=False)
        assert answer.status_code == 302, answer.text
        back: str = answer.headers["Location"]
        assert back.startswith(f"{WORKBENCH}/sign-in/oidc/callback/")
        return back.removeprefix(WORKBENCH)


@pytest.fixture(scope="session")
def running_provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProvider]:
    port = free_port()
    command = [sys.executable, "-m", oidc_provider.__name__, str(port), str(tmp_path_factory.mktemp("provider"))]
    command.append(f"{WORKBENCH}/sign-in/oidc/callback/")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
            yield RunningProvider(f"http://127.0.0.1:{port}/o")
        finally:
            program.terminate()


@pytest.fixture
def provider(running_provider: RunningProvider, settings: LazySettings) -> RunningProvider:
    """The provider, as the environment of the workbench names it."""
    settings.OIDC_ISSUER = running_provider.issuer
    settings.OIDC_CLIENT_ID = oidc_provider.CLIENT
    settings.OIDC_SECRET = oidc_provider.SECRET
    settings.WORKBENCH_URL = WORKBENCH
    return running_provider


def way_to_the_provider(client: Client, place: str = "") -> str:
    """Where the workbench sends the browser."""
    answer = client.get("/sign-in/oidc/", {"next": place} if place else {})
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])
