"""The line viewer on hostile files: an answer within seconds, whatever the file and the pointer are."""

from __future__ import annotations

import gzip
import json
import time

import pytest
from django.http import HttpResponse
from django.urls import reverse

from tests.workbench.diagnosed import stored_file
from tests.workbench.people import People, case_of, signed_in
from workbench.uploads import viewer
from workbench.uploads.models import UploadedFile

MOST_SECONDS = 2.0
"""Our choice: the whole page of a file of two megabytes takes a tenth of it."""
POINTER = "/history/0/id"


def answer(people: People, file: UploadedFile, pointer: str = POINTER, line: int = 1) -> HttpResponse:
    begun = time.process_time()
    page = signed_in(people.alice).get(reverse("uploads:lines", args=[file.pk, line]), {"pointer": pointer})
    assert page.status_code == 200
    assert time.process_time() - begun < MOST_SECONDS
    return page


def test_a_value_of_a_document_of_many_lines_is_shown(people: People) -> None:
    content = json.dumps({"history": [{"id": number} for number in range(30_000)]}, indent=2).encode()
    file = stored_file(case_of(people.alice), people.alice, "rest/checkpoints.json", content)
    assert "<mark>&quot;id&quot;: 29999</mark>" in answer(people, file, "/history/29999/id").content.decode()


def test_a_value_of_a_line_of_a_long_file_is_shown(people: People) -> None:
    content = b'{"id": 7, "note": "x"}\n' * 300_000
    file = stored_file(case_of(people.alice), people.alice, "events.json", content)
    assert "<mark>&quot;id&quot;: 7</mark>" in answer(people, file, "/id", 299_999).content.decode()


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        (b"\n" * 2_000_000, POINTER),
        (b'{"history":[\n' + b"\n" * 2_000_000, POINTER),
        (b"{\n" * 1_000_000, POINTER),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "/a/a"),
        (b'{"history": ["a\\ud800b"]}', "/history/0"),
        (b'{"history": [1]}', "/history/" + "9" * 1_900),
        (b'{"history": [1]}', "/history/\xc2\xb2".encode().decode("latin-1")),
        (b'{"history": 1e999}', "/history"),
        (b"[" + b"[" * 99_999, "/0/0"),
    ],
    ids=["empty lines", "open list", "open objects", "deep", "half a letter", "long number", "two", "endless", "lists"],
)
def test_a_file_or_pointer_without_such_a_value_costs_no_time(people: People, content: bytes, pointer: str) -> None:
    answer(people, stored_file(case_of(people.alice), people.alice, "rest/checkpoints.json", content), pointer)


def test_a_line_that_is_too_far_into_a_packed_file_is_said_to_be_so(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "MOST_SECONDS", 0.001)
    content = gzip.compress(b"2026-11-21 01:40:00,000 INFO  a.B [] - started\n" * 1_000_000)
    file = stored_file(case_of(people.alice), people.alice, "tm.log.gz", content)
    page = answer(people, file, "", 999_999).content.decode()
    assert "not read further after 0.001 seconds" in page
