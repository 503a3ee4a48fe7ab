"""Files sent by the drop zone, and the viewer of their lines."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.workbench.diagnosed import stored_file
from tests.workbench.people import People, case_of, signed_in
from workbench.uploads.models import UploadedFile
from workbench.uploads.services import upload_add

LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting\n" * 3


def lines(file: UploadedFile, line: int) -> str:
    return reverse("uploads:lines", args=[file.pk, line])


def test_a_batch_keeps_each_path_and_one_repeat_does_not_stop_the_others(people: People) -> None:
    case = case_of(people.alice)
    form = {
        "name": ["run/logs/tm.log", "run/logs/tm.log", "run/letter.txt"],
        "file": [
            SimpleUploadedFile("file", LOG),
            SimpleUploadedFile("file", LOG),
            SimpleUploadedFile("file", b"Dear all"),
        ],
    }

    answers = signed_in(people.bob).post(reverse("uploads:add", args=[case.pk]), form).json()["files"]

    assert [each["taken"] for each in answers] == [True, False, True]
    assert answers[1]["repeats"] is True
    assert sorted(case.files.values_list("name", flat=True)) == ["run/letter.txt", "run/logs/tm.log"]
    assert "Flink" in answers[0]["html"]
    assert "kept as an attachment" in answers[2]["html"]


def test_strangers_and_viewers_add_nothing(people: People) -> None:
    case = case_of(people.alice)
    address, form = reverse("uploads:add", args=[case.pk]), {"name": "a", "file": SimpleUploadedFile("file", LOG)}

    assert signed_in(people.charlie).post(address, form).status_code == 404
    assert signed_in(people.vera).post(address, form).status_code == 403


def test_the_same_bytes_in_an_earlier_case_are_offered_only_to_who_may_see_it(people: People) -> None:
    earlier = case_of(people.alice, "Solved before")
    upload_add(case=earlier, user=people.alice, content=io.BytesIO(LOG), name="tm.log")
    for user, told in ((people.bob, True), (people.charlie, False)):
        case = case_of(user, "Now")
        form = {"name": "tm.log", "file": SimpleUploadedFile("file", LOG)}
        answer = signed_in(user).post(reverse("uploads:add", args=[case.pk]), form).json()["files"][0]
        assert ("Solved before" in answer["html"]) is told


def test_a_format_is_overruled_and_given_back(people: People) -> None:
    case = case_of(people.alice)
    file = upload_add(case=case, user=people.alice, content=io.BytesIO(b"Dear all"), name="letter.txt")
    address = reverse("uploads:format", args=[file.pk])
    bob = signed_in(people.bob)

    chosen = bob.post(address, {"member": "letter.txt", "format": "flink-log"}, headers={"Accept": "application/json"})
    assert "chosen by you" in chosen.json()["html"]
    bob.post(address, {"member": "letter.txt", "format": ""})
    file.refresh_from_db()
    assert file.overrides == {}
    assert bob.post(address, {"member": "letter.txt", "format": "no-such"}, follow=True).status_code == 200
    assert signed_in(people.charlie).post(address, {"member": "letter.txt"}).status_code == 404


def test_the_clock_of_a_file_is_set_and_taken_back(people: People) -> None:
    case = case_of(people.alice)
    file = upload_add(case=case, user=people.alice, content=io.BytesIO(b"Dear all"), name="letter.txt")
    address = reverse("uploads:clock", args=[file.pk])
    bob = signed_in(people.bob)

    page = bob.post(address, {"member": "letter.txt", "zone": "Europe/Berlin", "shift": "-90 s"}, follow=True)
    file.refresh_from_db()
    assert file.clocks == {"letter.txt": {"zone": "Europe/Berlin", "shift_ms": -90_000}}
    assert 'value="Europe/Berlin"' in page.content.decode()
    assert "Europe/Berlin -90 s" in bob.get(reverse("cases:files", args=[case.pk])).content.decode()
    refused = bob.post(address, {"member": "letter.txt", "zone": "Mars/Olympus"}, follow=True).content.decode()
    assert "is no time zone" in refused
    bob.post(address, {"member": "letter.txt"})
    file.refresh_from_db()
    assert file.clocks == {}
    assert signed_in(people.charlie).post(address, {"member": "letter.txt"}).status_code == 404


def test_the_fields_of_events_are_named_and_taken_back(people: People) -> None:
    case = case_of(people.alice)
    events = b'{"k": "a", "t0": 1795224420970}\n' * 3
    file = upload_add(case=case, user=people.alice, content=io.BytesIO(events), name="events.jsonl")
    address, page = reverse("uploads:event-fields", args=[file.pk]), reverse("uploads:format", args=[file.pk])
    bob = signed_in(people.bob)
    assert "The fields of its events" not in bob.get(page).content.decode(), "nothing says that these are events"
    bob.post(page, {"member": "events.jsonl", "format": "event-sample"})

    bob.post(address, {"member": "events.jsonl", "key": "k", "event_time": "t0"})
    file.refresh_from_db()
    assert file.event_fields == {"events.jsonl": ["k", "t0", ""]}
    assert 'name="event_time" value="t0"' in bob.get(page).content.decode()
    refused = bob.post(address, {"member": "events.jsonl", "key": "k"}, follow=True).content.decode()
    assert "The key and the event time are needed" in refused
    bob.post(address, {"member": "events.jsonl"})
    file.refresh_from_db()
    assert file.event_fields == {}
    assert signed_in(people.charlie).post(address, {"member": "events.jsonl"}).status_code == 404


def test_the_viewer_marks_the_cited_lines_and_shows_what_is_around(people: People) -> None:
    content = "".join(f"line {number}\n" for number in range(1, 201)).encode()
    file = stored_file(case_of(people.alice), people.alice, content=content)

    page = signed_in(people.bob).get(lines(file, 100), {"to": 102, "before": 2, "after": 2}).content.decode()

    assert page.count('class="cited"') == 3
    assert 'id="L98"' in page
    assert 'id="L104"' in page
    assert 'id="L97"' not in page
    assert "Earlier lines" in page
    assert "Later lines" in page


def test_the_viewer_says_which_bytes_these_are_and_what_read_them(people: People) -> None:
    file = upload_add(case=case_of(people.alice), user=people.bob, content=io.BytesIO(LOG), name="tm.log")

    page = signed_in(people.alice).get(lines(file, 1)).content.decode()

    assert hashlib.sha256(LOG).hexdigest() in page
    assert "Flink log, recognised with" in page
    assert "by bob, " in page


def test_lines_are_shown_and_not_run(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice, content=b"<script>alert(1)</script>\n")

    page = signed_in(people.alice).get(lines(file, 1)).content.decode()

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page


def test_a_line_beyond_the_end_is_said_to_be_none(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice, content=b"one\n")
    assert "There is no line 5000" in signed_in(people.alice).get(lines(file, 5000)).content.decode()


def test_senseless_questions_to_the_viewer_are_answered_with_the_usual_window(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice, content=b"one\ntwo\n")
    answer = signed_in(people.alice).get(
        lines(file, 1), {"to": "x", "before": "-3", "after": "1e9", "pointer": "nonsense"}
    )
    assert answer.status_code == 200


def test_a_very_long_line_is_cut_and_says_how_much_is_left(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice, content=b"x" * 10_000 + b"\n")
    page = signed_in(people.alice).get(lines(file, 1)).content.decode()
    assert "6000 more characters" in page


@pytest.mark.parametrize("indent", [None, 2])
def test_the_value_at_a_json_pointer_is_marked_in_its_object(people: People, indent: int | None) -> None:
    document = {"subtasks": [{"subtask": 0, "busy/ratio": 0.9, "note": "<b>"}, {"subtask": 1}]}
    content = json.dumps(document, indent=indent).encode()
    file = stored_file(case_of(people.alice), people.alice, "rest/vertex.json", content)

    page = signed_in(people.alice).get(lines(file, 1), {"pointer": "/subtasks/0/busy~1ratio"}).content.decode()

    assert "<mark>&quot;busy/ratio&quot;: 0.9</mark>" in page
    assert "&quot;note&quot;: &quot;&lt;b&gt;&quot;" in page


def test_a_member_of_an_archive_is_read_by_its_path(people: People) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("logs/tm.log", LOG)
    packed.seek(0)
    file = upload_add(case=case_of(people.alice), user=people.alice, content=packed, name="bundle.zip")

    page = signed_in(people.alice).get(lines(file, 2), {"member": "bundle.zip!/logs/tm.log"}).content.decode()

    assert "bundle.zip!/logs/tm.log" in page
    assert "Starting" in page


def test_an_archive_leads_to_the_files_inside(people: People) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("logs/tm.log", LOG)
    file = upload_add(
        case=case_of(people.alice), user=people.alice, content=io.BytesIO(packed.getvalue()), name="bundle.zip"
    )
    alice = signed_in(people.alice)

    page = alice.get(file.get_absolute_url()).content.decode()
    inside = f"{file.get_absolute_url()}?member=bundle.zip!/logs/tm.log"
    assert f'href="{inside}"' in page
    assert "TaskExecutor [] - Starting" in alice.get(inside).content.decode()
    assert signed_in(people.charlie).get(file.get_absolute_url()).status_code == 404


def test_a_member_that_is_not_there_is_a_sentence_and_not_an_error_page(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice)
    answer = signed_in(people.alice).get(lines(file, 1), {"member": "../../etc/passwd"})
    assert answer.status_code == 200
    assert "holds no file" in answer.content.decode()


@pytest.mark.parametrize("name", ["detail", "download"])
def test_strangers_see_no_file(people: People, name: str) -> None:
    file = stored_file(case_of(people.alice), people.alice)
    assert signed_in(people.charlie).get(reverse(f"uploads:{name}", args=[file.pk])).status_code == 404
    assert signed_in(people.charlie).get(lines(file, 1)).status_code == 404


def test_the_original_is_only_ever_a_download(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice, "evil.html", b"<script>alert(1)</script>")

    answer = signed_in(people.alice).get(reverse("uploads:download", args=[file.pk]))

    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_file_is_removed_and_brought_back(people: People) -> None:
    file = stored_file(case_of(people.alice), people.alice)
    bob = signed_in(people.bob)

    answer = bob.post(reverse("uploads:remove", args=[file.pk]), headers={"Accept": "application/json"})

    assert bob.get(reverse("uploads:detail", args=[file.pk])).status_code == 404
    assert bob.post(answer.json()["restore_url"]).json()["id"] == file.pk
    assert bob.get(reverse("uploads:detail", args=[file.pk])).status_code == 200


@pytest.mark.parametrize(("accept", "said"), [("application/json", "detail"), ("text/html", "To the cases")])
def test_a_file_over_the_bound_is_refused_while_it_arrives(
    people: People, settings: LazySettings, accept: str, said: str
) -> None:
    settings.MOST_FILE_BYTES = 1000
    case = case_of(people.alice)
    form = {"name": "big.log", "file": SimpleUploadedFile("file", LOG * 100)}

    answer = signed_in(people.alice).post(reverse("uploads:add", args=[case.pk]), form, headers={"Accept": accept})

    assert answer.status_code == 413
    assert said in answer.content.decode()
    assert not case.files.exists()
