"""A server that takes messages as a chat does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Chat:
    """A server that takes messages. `answers` are given in order, the last one for ever."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, bytes]] = [(200, b"ok")]
        self.posts: list[tuple[str, dict[str, str], Any]] = []
        self.url = ""


@contextmanager
def running(chat: Chat) -> Iterator[Chat]:
    """Serves on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            chat.posts.append((self.path, dict(self.headers), json.loads(body)))
            status, text = chat.answers.pop(0) if len(chat.answers) > 1 else chat.answers[0]
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    chat.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()
