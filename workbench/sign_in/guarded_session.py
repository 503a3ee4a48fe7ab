"""The HTTP session of the OpenID Connect client, behind the guard of every outgoing connection.

The name of a host is resolved once, its addresses are checked as those of clusters, and the connection uses the checked
one. Redirects are not followed; answers are bounded in size and time.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from authlib.integrations.requests_client import OAuth2Session
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectionError as NotConnected
from requests.exceptions import InvalidURL

from workbench.clusters.address import AddressRefused, ClusterUrl, judged_address
from workbench.languages.sentences import say

MOST_BYTES = 1_000_000
"""Of one answer. Our choice: the documents of large providers have some ten kB."""
WAIT_SECONDS = 5.0
MOST_SECONDS = 10.0
"""For one answer, while a person waits. Our choice."""


class GuardedAdapter(HTTPAdapter):
    """Connects to the checked address of a host.

    configured  the issuer's host, which the operator of the machine named: as with a listed cluster, it may be an
                address of this machine, and only then is HTTP without TLS accepted
    """

    def __init__(self, configured: str) -> None:
        self._configured = configured
        super().__init__()

    def build_connection_pool_key_attributes(
        self, request: PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """As in requests, with the checked address for the host and its name for the certificate."""
        host, pool = super().build_connection_pool_key_attributes(request, verify, cert)
        parts = urlsplit(request.url or "")
        try:
            url = ClusterUrl.parse(f"{parts.scheme}://{parts.netloc}")
            is_configured = url.host == self._configured
            if url.scheme != "https" and not (is_configured and url.names_an_address):
                raise AddressRefused(say("The provider is asked by HTTPS only."))
            address = judged_address(url, special_allowed=is_configured)
        except AddressRefused as error:
            raise InvalidURL(str(error), request=request) from None
        if url.scheme == "https":
            pool |= {"server_hostname": url.host, "assert_hostname": url.host}
        request.headers["Host"] = parts.netloc
        return host | {"host": address}, pool

    def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        """The answer, read as far as the bounds allow. Raises NotConnected beyond them."""
        late = time.monotonic() + MOST_SECONDS
        answer = super().send(request, *args, **options | {"stream": True, "timeout": WAIT_SECONDS, "proxies": None})
        content = b""
        for piece in answer.iter_content(16_384):
            content += piece
            if len(content) > MOST_BYTES or time.monotonic() > late:
                answer.close()
                raise NotConnected(
                    say(
                        "The answer is longer than {most_bytes:,} bytes or {most_seconds:g} seconds.",
                        most_bytes=MOST_BYTES,
                        most_seconds=MOST_SECONDS,
                    )
                )
        answer._content = content
        return answer


class GuardedSession(OAuth2Session):  # type: ignore[misc]
    """Authlib's session with the guard."""

    def __init__(self, *args: Any, configured: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.trust_env = False
        self.adapters.clear()
        for scheme in ("https://", "http://"):
            self.mount(scheme, GuardedAdapter(configured))

    def request(self, method: str, url: str, **options: Any) -> Response:
        """As in Authlib, without redirects."""
        answer: Response = super().request(method, url, **options | {"allow_redirects": False})
        if answer.is_redirect:
            raise NotConnected(say("The provider answers with a redirect, which is not followed."))
        return answer
