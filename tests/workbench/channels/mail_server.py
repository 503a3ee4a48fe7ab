"""A mail server that takes messages, as much of SMTP (RFC 5321) as a client needs."""

from __future__ import annotations

import base64
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class MailServer:
    """Takes mails. `refuses` maps a recipient to the answer it gets; `greets` is what a client reads first."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.logins: list[str] = []
        self.refuses: dict[str, str] = {}
        self.greets = "220 mail.example ready"
        self.url = ""


@contextmanager
def running(mail_server: MailServer) -> Iterator[MailServer]:
    """Serves on a free port of this machine, without TLS."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say(mail_server.greets)
            recipients: list[str] = []
            while line := self.rfile.readline().decode().strip():
                verb = line.upper()
                if verb.startswith("EHLO"):
                    self._say("250-mail.example", "250 AUTH PLAIN")
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
                    self._take(recipients)
                elif verb == "QUIT":
                    self._say("221 bye")
                    return
                else:
                    self._say("250 ok")

        def _take(self, recipients: list[str]) -> None:
            content = b""
            while (line := self.rfile.readline()) != b".\r\n":
                content += line.removeprefix(b".") if line.startswith(b"..") else line
            mail_server.mails.append(message_from_bytes(content, policy=policy.default))
            mail_server.recipients.append(recipients)
            self._say("250 taken")

        def _say(self, *lines: str) -> None:
            self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    mail_server.url = f"smtp://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    try:
        yield mail_server
    finally:
        server.shutdown()
        server.server_close()
