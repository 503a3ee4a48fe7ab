"""A real HTTP server that answers as a Flink cluster did: from the REST answers that an incident's zip holds."""

from __future__ import annotations

import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

INCIDENT = Path(__file__).resolve().parents[1] / "incidents" / "hot_key_seen_by_rest_only" / "evidence.zip"
LOG = b"2026-11-21 02:00:00,000 INFO  org.apache.flink.runtime.jobmaster.JobMaster [] - Starting\n"


class RecordedCluster:
    """The answers of one snapshot by path; what a test adds or changes in `answers` is answered too.

    asked   every request: (method, path with its query, headers)
    takes   path -> status and answer of a POST there; `sent` are the bodies that came
    """

    def __init__(self, answers: dict[str, bytes]) -> None:
        self.answers = answers
        self.takes: dict[str, tuple[int, bytes]] = {}
        self.sent: list[Any] = []
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.url = ""

    @property
    def paths(self) -> list[str]:
        return [path for _, path, _ in self.asked]

    def answer(self, asked: str) -> tuple[int, bytes]:
        """Names of metrics without `?get=`, as Flink does; what was not recorded is not there."""
        parts = urlsplit(asked)
        path, query = unquote(parts.path), parse_qs(parts.query)
        content = self.answers.get(f"{path}?{parts.query}") or self.answers.get(path)
        if content is None:
            return 404, json.dumps({"errors": [f"Not found: {path}"]}).encode()
        if not path.endswith("/metrics") or "agg" in query:
            return 200, content
        metrics: list[dict[str, Any]] = json.loads(content)
        if "get" not in query:
            return 200, json.dumps([{"id": each["id"]} for each in metrics]).encode()
        wanted = query["get"][0].split(",")
        return 200, json.dumps([each for each in metrics if each["id"] in wanted]).encode()


def recorded_answers() -> dict[str, bytes]:
    """The last snapshot of the incident: path -> answer. Where a path was asked twice the later answer stands."""
    with zipfile.ZipFile(INCIDENT) as incident:
        index = json.loads(incident.read("rest/end/index.json"))
        held = set(incident.namelist())
        files = {each["path"]: f"rest/end/{each['file']}" for each in index if each["status"] == 200}
        return {_plain(path): incident.read(name) for path, name in files.items() if name in held}


def _plain(path: str) -> str:
    """Only flame graphs differ by their query."""
    return path.replace("?type=full", "?type=FULL") if "flamegraph" in path else path.partition("?")[0]


@contextmanager
def running(cluster: RecordedCluster) -> Iterator[RecordedCluster]:
    """Serves the cluster on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body leave together; else the kernel holds the second back for 40 ms

        def do_GET(self) -> None:
            cluster.asked.append((self.command, self.path, dict(self.headers)))
            self._answer(*cluster.answer(self.path))

        def do_POST(self) -> None:
            cluster.asked.append((self.command, self.path, dict(self.headers)))
            cluster.sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(*cluster.takes.get(unquote(self.path), (405, b"{}")))

        def _answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", content.decode())
                content = b""
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_words: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    cluster.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield cluster
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
