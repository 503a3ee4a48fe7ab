"""A person at a browser, as far as a test without a browser needs one: cookies, the form token, files in a form."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

ANSWER_SECONDS = 120
VERDICT_SECONDS = 300
LOOK_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, body and headers of an answer; an error status is an answer like any other."""

    status: int
    text: str
    headers: dict[str, str]

    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        return dict(json.loads(self.text))


class Visitor:
    """Signed in at a workbench."""

    def __init__(self, address: str, password: str) -> None:
        self._address = address
        self._cookies = CookieJar()
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies)).open
        self.get("/login/")
        self.post("/login/", {"username": "admin", "password": password, "next": "/"})

    def get(self, path: str) -> Answer:
        """Reads a page."""
        return self._ask(urllib.request.Request(urllib.parse.urljoin(self._address, path)))

    def post(self, path: str, fields: dict[str, Any], *, as_script: bool = False) -> Answer:
        """Sends a form; `as_script` asks for JSON as the page's own scripts do."""
        (token,) = [cookie.value for cookie in self._cookies if cookie.name == "csrftoken"]
        headers = {"X-CSRFToken": str(token), "Content-Type": MULTIPART_CONTENT}
        if as_script:
            headers["Accept"] = "application/json"
        body = encode_multipart(BOUNDARY, fields)
        return self._ask(urllib.request.Request(urllib.parse.urljoin(self._address, path), body, headers))

    def add_files(self, path: str, folder: Path, files: list[Path]) -> list[dict[str, Any]]:
        """Sends files with their paths below the folder, as the drop zone does, and gives what became of each."""
        fields = {
            "name": [each.relative_to(folder).as_posix() for each in files],
            "file": [SimpleUploadedFile("file", each.read_bytes()) for each in files],
        }
        answer = self.post(path, fields, as_script=True)
        assert answer.status == 200, answer.text
        return list(answer.json()["files"])

    def diagnosed(self, title: str, folder: Path, files: list[Path]) -> dict[str, Any]:
        """Opens a case with these files and waits for its diagnosis.

        Gives what the page of a new case is told of it, and `page`: its path, `answers`: what became of each file,
        `diagnosis`: the path of the document.
        """
        opened = self.post("/cases/new/", {"title": title}, as_script=True).json()
        answers = self.add_files(opened["add_url"], folder, files)
        assert self.post(opened["analyse_url"], {}).status < 400
        page = f"/cases/{opened['id']}/"
        deadline = time.monotonic() + VERDICT_SECONDS
        while not (found := addresses_in(shown := self.get(page).text, r"/analyses/\d+/diagnosis\.json")):
            assert time.monotonic() < deadline, shown
            self._see_the_run(shown)
        return opened | {"page": page, "answers": answers, "diagnosis": found[0]}

    def _see_the_run(self, page: str) -> None:
        """Reads the events of the run on a case's page to their end: a page costs the processor that the run needs."""
        events = re.search(r'data-events="([^"]+)"', page)
        if events:
            self.get(events[1])
        time.sleep(LOOK_SECONDS)

    def _ask(self, request: urllib.request.Request) -> Answer:
        try:
            with self._open(request, timeout=ANSWER_SECONDS) as answer:
                return Answer(answer.status, answer.read().decode(), dict(answer.headers))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read().decode(), dict(error.headers))


def addresses_in(page: str, pattern: str) -> list[str]:
    """The links of a page that fit."""
    return sorted(set(re.findall(rf'href="({pattern}[^"#]*)', page)))
