"""Fifty people who use a workbench at once, in a process of their own: what took how long, and what failed.

A person does something (opens a page, with what the page asks for by itself; uploads a file and watches its run), then
reads for THINK_SECONDS. So fifty people ask for some 25 things a second. The client takes about a twentieth of a core,
which the server lacks. `python -m tests.benchmarks.load_visitors` reads what it shall do from standard input.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Mapping
from typing import Any

THINK_SECONDS = (1.0, 3.0)
ANSWER_SECONDS = 60
POLL_SECONDS = 1.0
MOST_POLLS = 120
CHARTS_SEEN = 3
CSRF = "a" * 32
FACETS = ("?status=open", "?order=health", "?page=7", "?people=mine", "?severity=critical&status=open", "?page=3")


class Visitor:
    """One person in a browser that keeps its connection open.

    answers  (page, seconds since the load began, milliseconds) of each request
    errors   what failed, in words
    """

    def __init__(self, address: str, account: Mapping[str, Any], cases: list[dict[str, Any]], seed: int) -> None:
        self._host = urllib.parse.urlsplit(address).netloc
        self._chance = random.Random(seed)
        self._cases = cases
        self._with_log = [each for each in cases if each["has_log"]]
        self._with_stacks = [each for each in cases if each["has_stacks"]]
        self._connection = http.client.HTTPConnection(self._host, timeout=ANSWER_SECONDS)
        self._cookies = {"Cookie": f"sessionid={account['session']}; csrftoken={CSRF}"}
        self._log = b""
        self.answers: list[tuple[str, float, float]] = []
        self.errors: list[str] = []
        self.verdicts: list[float] = []

    def visit(self, began: float, until: float, log: bytes) -> None:
        """Uses the workbench until then."""
        self._began, self._log = began, log
        # Fifty people do not come in the same moment.
        time.sleep(self._chance.uniform(0, THINK_SECONDS[1]))
        deeds, weights = zip(*DEEDS, strict=True)
        while time.monotonic() < until:
            [deed] = self._chance.choices(deeds, weights)
            try:
                deed(self)
            except Exception as error:  # an answer that is not what a browser could use is an error as well
                self.errors.append(f"{deed.__name__}: {error!r}")
            time.sleep(self._chance.uniform(*THINK_SECONDS))

    def list(self) -> None:
        self._get("list", f"/{self._chance.choice(('', '', *FACETS))}")

    def search(self) -> None:
        words = [f"word{self._chance.randrange(3_000)}x", "checkpoint", f"job-{self._chance.randrange(60)}"]
        self._get("search", f"/?text={'+'.join(self._chance.sample(words, self._chance.randint(1, 2)))}")

    def case(self) -> None:
        self._get("case", f"/cases/{self._chance.choice(self._cases)['case']}/")

    def logs(self) -> None:
        base = f"/cases/{self._chance.choice(self._with_log)['case']}/logs/"
        self._get("logs", base)
        query = self._chance.choice(("", "q=level:warn%2B&", "q=checkpoint&"))
        self._get("log records", f"{base}overview/?{query}")
        self._get("log records", f"{base}records/?{query}count=100")

    def charts(self) -> None:
        case = self._chance.choice(self._cases)
        for chart in self._chance.sample(case["charts"], min(CHARTS_SEEN, len(case["charts"]))):
            self._get("chart", f"/charts/{case['analysis']}/{chart}/?theme=light")

    def flame_graph(self) -> None:
        base = f"/profiles/{self._chance.choice(self._with_stacks)['analysis']}/"
        self._get("flame graph", base)
        self._get("flame tree", f"{base}tree/")

    def poll(self) -> None:
        self._get("poll", f"/analyses/{self._chance.choice(self._cases)['analysis']}/progress/")

    def upload(self) -> None:
        """A new case of one file, and its run watched until the verdict."""
        accept = {"Accept": "application/json"}
        opened = self._post("upload", "/cases/new/", b"title=Load", "application/x-www-form-urlencoded", accept)
        if opened is None:
            return
        addresses = json.loads(opened)
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="taskmanager.log"\r\n\r\n'
        body = head.encode() + self._log + f"\r\n--{edge}--\r\n".encode()
        began = time.monotonic()
        self._post("upload", addresses["add_url"], body, f"multipart/form-data; boundary={edge}")
        self._post("upload", addresses["analyse_url"], b"", "application/x-www-form-urlencoded")
        page = self._get("case", addresses["url"]) or b""
        progress = page.partition(b'data-progress="')[2].partition(b'"')[0].decode()
        for _ in range(MOST_POLLS):
            if not progress:
                break
            time.sleep(POLL_SECONDS)
            answer = self._get("poll", progress)
            if answer is not None and not (run := json.loads(answer))["active"]:
                if run["status"] != "done":
                    self.errors.append(f"the analysis of an upload {run['status']}: {run['error']}")
                break
        else:
            self.errors.append(f"an uploaded file has no verdict after {MOST_POLLS * POLL_SECONDS:.0f} s")
        self.verdicts.append(time.monotonic() - began)

    def _get(self, page: str, path: str) -> bytes | None:
        return self._ask(page, "GET", path, None, {})

    def _post(
        self, page: str, path: str, body: bytes, kind: str, headers: Mapping[str, str] | None = None
    ) -> bytes | None:
        return self._ask(page, "POST", path, body, {"Content-Type": kind, "X-CSRFToken": CSRF, **(headers or {})})

    def _ask(self, page: str, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> bytes | None:
        """The answer; None, with an error noted, when there is none or one of another status than 2xx or 302."""
        began = time.monotonic()
        try:
            try:
                answer, content = self._answer(method, path, body, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # A connection that was kept too long: a browser opens another one.
                self._connection.close()
                answer, content = self._answer(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            self.errors.append(f"{method} {path}: {type(error).__name__} {error}")
            return None
        ended = time.monotonic()
        self.answers.append((page, ended - self._began, 1000 * (ended - began)))
        if not (200 <= answer.status < 300 or answer.status == 302):
            said = " ".join(content[-4_000:].decode("utf-8", "replace").split())[-300:]
            self.errors.append(f"{method} {path}: {answer.status} {said}")
            return None
        return content

    def _answer(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        self._connection.request(method, path, body, {**self._cookies, **headers})
        answer = self._connection.getresponse()
        return answer, answer.read()


DEEDS: tuple[tuple[Callable[[Visitor], None], float], ...] = (
    (Visitor.list, 20),
    (Visitor.search, 12),
    (Visitor.case, 25),
    (Visitor.charts, 15),
    (Visitor.logs, 12),
    (Visitor.flame_graph, 6),
    (Visitor.poll, 8.5),
    (Visitor.upload, 1.5),
)
"""What people do, and of a hundred things how many are that. Our choice: reading is most; 1.5 uploads of a hundred make
an analysis each three seconds."""


def main() -> int:
    """Lets everybody in at once and prints what came of it as one line of JSON."""
    told = json.load(sys.stdin)
    log = told["log"].encode()
    visitors = [
        Visitor(told["address"], account, [each for each in told["cases"] if each["team"] == account["team"]], number)
        for number, account in enumerate(told["people"])
    ]
    began = time.monotonic()
    threads = [
        threading.Thread(target=each.visit, args=(began, began + told["seconds"], log), daemon=True)
        for each in visitors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers = [answer for each in visitors for answer in each.answers]
    print(
        json.dumps(
            {
                "answers": answers,
                "errors": [error for each in visitors for error in each.errors],
                "verdicts": [seconds for each in visitors for seconds in each.verdicts],
                "processor_seconds": time.process_time(),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
