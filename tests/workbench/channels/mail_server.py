"""A mail server that takes messages, as much of SMTP (RFC 5321) as a client needs."""

from __future__ import annotations

import base64
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path


class MailServer:
    """Takes mails.

    refuses      recipient -> the answer it gets
    greets       what a client reads first
    certificate  with it STARTTLS is offered; its key is `key.pem` beside it
    encrypted    for each mail, whether it came encrypted
    """

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.logins: list[str] = []
        self.refuses: dict[str, str] = {}
        self.greets = "220 mail.example ready"
        self.certificate: Path | None = None
        self.encrypted: list[bool] = []
        self.url = ""


class _Conversation(socketserver.StreamRequestHandler):
    """One connection to the mail server that the socket server names."""

    def handle(self) -> None:
        mail_server: MailServer = self.server.mail_server  # type: ignore[attr-defined]
        self._say(mail_server.greets)
        recipients: list[str] = []
        while line := self.rfile.readline().decode().strip():
            verb = line.upper()
            if verb.startswith("EHLO"):
                offers = ["250-STARTTLS"] if mail_server.certificate and not self._is_encrypted() else []
                self._say("250-mail.example", *offers, "250 AUTH PLAIN")
            elif verb == "STARTTLS" and mail_server.certificate:
                self._say("220 go on")
                if not self._encrypt(mail_server.certificate):
                    return
            elif verb.startswith("AUTH PLAIN"):
                mail_server.logins.append(base64.b64decode(line.split()[2]).decode())
                self._say("235 ok")
            elif verb.startswith("RCPT"):
                recipient = line.partition("<")[2].partition(">")[0]
                answer = mail_server.refuses.get(recipient, "250 ok")
                recipients += [recipient] if answer.startswith("250") else []
                self._say(answer)
            elif verb == "DATA":
                self._say("354 go on")
                self._take(mail_server, recipients)
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _is_encrypted(self) -> bool:
        return isinstance(self.connection, ssl.SSLSocket)

    def _encrypt(self, certificate: Path) -> bool:
        """Whether the client accepts the certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_name("key.pem"))
        try:
            self.connection = context.wrap_socket(self.connection, server_side=True)
        except OSError:
            return False
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)
        return True

    def _take(self, mail_server: MailServer, recipients: list[str]) -> None:
        content = b""
        while (line := self.rfile.readline()) != b".\r\n":
            content += line.removeprefix(b".") if line.startswith(b"..") else line
        mail_server.mails.append(message_from_bytes(content, policy=policy.default))
        mail_server.recipients.append(recipients)
        mail_server.encrypted.append(self._is_encrypted())
        self._say("250 taken")

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


@contextmanager
def running(mail_server: MailServer) -> Iterator[MailServer]:
    """Serves on a free port of this machine, with TLS only by STARTTLS."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Conversation)
    server.daemon_threads = True
    server.mail_server = mail_server  # type: ignore[attr-defined]
    mail_server.url = f"smtp://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    try:
        yield mail_server
    finally:
        server.shutdown()
        server.server_close()
