"""Hands a mail to one checked mail server, within a time limit."""

from __future__ import annotations

import smtplib
import ssl
import threading
from email.message import EmailMessage

from workbench.clusters.address import ClusterUrl
from workbench.clusters.connection import MOST_POST_SECONDS, POST_WAIT, Line
from workbench.languages.sentences import say

TLS, STARTTLS = "smtps", "smtp"
"""Schemes of a mail server: TLS from the first byte, or by the command STARTTLS where the server offers it. Source: RFC
8314, which prefers the first."""


class MailRefused(Exception):
    """The server refuses this mail for good; the text is its answer, or names what is missing."""


def mailed(url: ClusterUrl, address: str, login: tuple[str, str] | None, message: EmailMessage) -> dict[str, str]:
    """Sends the mail; gives the recipients that were refused while others were not, with the answer.

    url    the server by name: its certificate has to be of that name
    login  user and password, never sent without TLS
    Raises MailRefused for what a retry does not change, OSError otherwise.
    """
    line = Line(address)
    timer = threading.Timer(2 * MOST_POST_SECONDS, line.cut)
    timer.daemon = True
    timer.start()
    try:
        return _sent(url, line, login, message)
    except (smtplib.SMTPAuthenticationError, smtplib.SMTPNotSupportedError) as error:
        raise MailRefused(_answer(error)) from None
    except smtplib.SMTPResponseException as error:
        if error.smtp_code >= 500:
            raise MailRefused(_answer(error)) from None
        raise
    except smtplib.SMTPRecipientsRefused as error:
        codes = {code for code, _ in error.recipients.values()}
        if all(code >= 500 for code in codes):
            raise MailRefused(str(error.recipients)[:300]) from None
        raise
    finally:
        timer.cancel()
        line.close()


def _sent(url: ClusterUrl, line: Line, login: tuple[str, str] | None, message: EmailMessage) -> dict[str, str]:
    context = ssl.create_default_context()
    with _PinnedSmtp(url, line, context if url.scheme == TLS else None) as server:
        is_secret = url.scheme == TLS
        server.ehlo()
        if not is_secret and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
            is_secret = True
        if login is not None:
            if not is_secret:
                raise MailRefused(say("The server offers no TLS, and a password is not sent without it."))
            server.login(*login)
        refused = server.send_message(message)
    return {recipient: f"{code} {text.decode(errors='replace')}" for recipient, (code, text) in refused.items()}


def _answer(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        said = error.smtp_error
        return f"{error.smtp_code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"
    return str(error)


class _PinnedSmtp(smtplib.SMTP):
    """Connects to the line's address; names and verifies the host."""

    def __init__(self, url: ClusterUrl, line: Line, context: ssl.SSLContext | None) -> None:
        self._pinned, self._tls = line, context
        super().__init__(url.host, url.port, timeout=POST_WAIT)

    def connect(self, host: str = "localhost", port: int = 0, source_address: object = None) -> tuple[int, bytes]:
        """Opens the connection and reads the greeting."""
        self.sock = self._pinned.open(port, self.timeout)
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=host)
        self.file = None
        return self.getreply()
