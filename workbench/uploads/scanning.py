"""Shows uploaded files to a virus scanner before they become evidence, where an installation has one.

The scanner is clamd of ClamAV, asked by its command INSTREAM: the file goes over the connection, so that it may run on
another machine and needs no right to read ours. It opens archives by itself. Source: ClamAV documentation, "clamd", and
clamd(8), COMMANDS.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from workbench.languages.sentences import say
from workbench.uploads.refusals import UploadRefused

PIECE_BYTES = 256 * 1024
MOST_SECONDS = 120.0
"""Time limit of one file. Our choice: ClamAV's own default (`MaxScanTime`) is as long."""
CONNECT_SECONDS = 5.0
LONGEST_ANSWER = 1_000


def refuse_infected(path: Path) -> None:
    """Asks the scanner about a stored file, where one is configured.

    Raises UploadRefused for a file in which it finds something, and for one that it did not read: a scanner that is
    away must not let everything through.
    """
    if not settings.CLAMD:
        return
    try:
        answer = _ask(path)
    except OSError as error:
        raise UploadRefused(
            say(
                "Not stored: this installation has every file looked at by a virus scanner, which does not answer "
                "({error}). Try again later.",
                error=type(error).__name__,
            )
        ) from None
    said = answer.removeprefix("stream: ").strip("\x00 \r\n")
    if said == "OK":
        return
    if said.endswith(" FOUND"):
        raise UploadRefused(
            say("Not stored: the virus scanner finds {name} in it.", name=said.removesuffix(" FOUND")[:100])
        )
    if "size limit" in said:
        raise UploadRefused(
            say(
                "Not stored: this installation has every file looked at by a virus scanner, and this one is larger "
                "than it reads (`StreamMaxLength` of clamd.conf): send it in parts."
            )
        )
    raise UploadRefused(
        say(
            "Not stored: this installation has every file looked at by a virus scanner, which could not read this one: "
            "{answer}.",
            answer=said[:100] or say("no answer"),
        )
    )


def _ask(path: Path) -> str:
    """The scanner's answer. Raises OSError."""
    end = time.monotonic() + MOST_SECONDS
    with _connected() as line, path.open("rb") as file:
        # A scanner that has enough answers and ends the connection before it has everything.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(b"zINSTREAM\0")
            while piece := file.read(PIECE_BYTES):
                line.settimeout(_left(end))
                line.sendall(len(piece).to_bytes(4, "big") + piece)
            line.sendall(bytes(4))
        answer = b""
        while not answer.endswith(b"\0") and len(answer) < LONGEST_ANSWER:
            line.settimeout(_left(end))
            if not (part := line.recv(LONGEST_ANSWER)):
                break
            answer += part
        return answer.decode("utf-8", "replace")


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@contextlib.contextmanager
def _connected() -> Iterator[socket.socket]:
    if settings.CLAMD.startswith("unix:"):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(CONNECT_SECONDS)
        with line:
            line.connect(settings.CLAMD.removeprefix("unix:"))
            yield line
        return
    host, _, port = settings.CLAMD.rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS) as line:
        yield line
