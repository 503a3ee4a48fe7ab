"""Uploads: stored under generated names, bounded, hashed, recognised, removed and restored."""

from __future__ import annotations

import hashlib
import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import Http404
from django.utils import timezone

from tests.workbench.people import People, case_of
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.uploads.corrections import override_set
from workbench.uploads.models import FileKind, UploadedFile
from workbench.uploads.refusals import AlreadyInCase, TooLarge, UploadRefused
from workbench.uploads.selectors import file_to_change, file_visible
from workbench.uploads.services import (
    REMOVED_KEPT,
    file_remove,
    file_restore,
    removed_files_purge,
    text_add,
    upload_add,
    uploads_add,
)

LOG = (
    b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting TaskManager\n" * 3
)


@pytest.fixture
def case(people: People) -> Case:
    return case_of(people.alice)


def add(case: Case, user: User, content: bytes = LOG, name: str = "logs/tm.log") -> UploadedFile:
    return upload_add(case=case, user=user, content=io.BytesIO(content), name=name)


def stored_files(settings: LazySettings) -> list[Path]:
    return [path for path in settings.UPLOADS_DIR.rglob("*") if path.is_file()]


def test_a_log_is_stored_hashed_and_recognised(case: Case, people: People, settings: LazySettings) -> None:
    file = add(case, people.alice)
    assert (file.name, file.bytes, file.kind) == ("logs/tm.log", len(LOG), FileKind.EVIDENCE)
    assert file.sha256 == hashlib.sha256(LOG).hexdigest()
    assert file.path.read_bytes() == LOG
    assert "tm.log" not in str(file.path)
    assert [(member["name"], member["format"]) for member in file.members] == [("logs/tm.log", "flink-log")]
    assert stored_files(settings) == [file.path]


def test_a_file_that_django_has_on_disk_is_moved(case: Case, people: People, settings: LazySettings) -> None:
    received = TemporaryUploadedFile("tm.log", "text/plain", len(LOG), None)
    received.write(LOG)
    received.seek(0)
    file = upload_add(case=case, user=people.alice, content=received, name="tm.log")
    received.close()
    assert file.path.read_bytes() == LOG
    assert list(settings.INCOMING_DIR.iterdir()) == []


def test_an_unknown_file_is_kept_as_an_attachment(case: Case, people: People) -> None:
    file = add(case, people.alice, b"Dear colleague,\nplease help.\n", "letter.txt")
    assert (file.kind, file.refused_reason) == (FileKind.ATTACHMENT, "")


def test_an_archive_lists_what_is_recognised_inside(case: Case, people: People) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("logs/tm.log", LOG)
        archive.writestr("letter.txt", "Dear colleague\n")
    file = add(case, people.alice, packed.getvalue(), "bundle.zip")
    assert file.kind == FileKind.EVIDENCE
    assert {member["name"]: member["format"] for member in file.members} == {
        "bundle.zip!/letter.txt": None,
        "bundle.zip!/logs/tm.log": "flink-log",
    }


def test_a_file_that_cannot_be_opened_is_kept_with_the_reason(case: Case, people: People) -> None:
    file = add(case, people.alice, b"PK\x03\x04 and then nothing", "broken.zip")
    assert file.kind == FileKind.REFUSED or any(not member["format"] for member in file.members)
    assert file.path.exists()


@pytest.mark.parametrize(
    ("dropped", "kept"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("C:\\logs\\tm.log", "C:/logs/tm.log"),
        ("/a//./b", "a/b"),
        ("bundle.zip!/inner", "bundle.zip/inner"),
        ("tm\x00\n.log", "tm__.log"),
        ("..", "unnamed"),
        ("x" * 2000, "x" * 900),
    ],
)
def test_a_name_cannot_mislead(case: Case, people: People, dropped: str, kept: str) -> None:
    assert add(case, people.alice, name=dropped).name == kept


def test_two_files_of_one_name_get_different_ones_and_their_members_too(case: Case, people: People) -> None:
    first = add(case, people.alice, name="a/tm.log")
    second = add(case, people.alice, LOG * 2, "a/tm.log")
    third = add(case, people.alice, LOG * 3, "a/tm.log")
    assert [each.name for each in (first, second, third)] == ["a/tm.log", "a/tm (2).log", "a/tm (3).log"]
    assert second.members[0]["name"] == "a/tm (2).log"


def test_the_same_file_is_taken_once_for_each_case(case: Case, people: People, settings: LazySettings) -> None:
    first = add(case, people.alice, name="logs/tm.log")
    with pytest.raises(AlreadyInCase) as refused:
        add(case, people.alice, name="logs/tm.log")
    assert refused.value.name == first.name
    assert stored_files(settings) == [first.path]


def test_an_answer_that_did_not_change_until_the_next_snapshot_is_kept(case: Case, people: People) -> None:
    names = ["t1/watermarks.json", "t2/watermarks.json"]
    assert [add(case, people.alice, name=name).name for name in names] == names


def test_a_file_above_the_bound_leaves_nothing_behind(case: Case, people: People, settings: LazySettings) -> None:
    settings.MOST_FILE_BYTES = 10
    with pytest.raises(TooLarge, match="larger than 10 bytes"):
        add(case, people.alice)
    assert stored_files(settings) == []


def test_a_case_has_bounds_for_bytes_and_files(case: Case, people: People, settings: LazySettings) -> None:
    add(case, people.alice)
    settings.MOST_CASE_BYTES = len(LOG) + 5
    with pytest.raises(TooLarge, match="at most"):
        add(case, people.alice, b"123456", "more.txt")
    settings.MOST_CASE_FILES = 1
    with pytest.raises(TooLarge, match="at most 1 files"):
        add(case, people.alice, b"1", "more.txt")


def test_one_refused_file_of_a_drop_does_not_cost_the_others(
    case: Case, people: People, settings: LazySettings
) -> None:
    settings.MOST_FILE_BYTES = len(LOG)
    drops = [("a.log", io.BytesIO(LOG)), ("large.log", io.BytesIO(LOG * 2)), ("b.log", io.BytesIO(LOG[:-1]))]
    first, refused, last = uploads_add(case=case, user=people.alice, drops=drops)
    assert isinstance(refused, TooLarge)
    assert [first, last] == list(case.files.all())


def test_a_drop_of_many_files_costs_the_database_one_query_for_each(
    case: Case, people: People, django_assert_max_num_queries: Any
) -> None:
    drops = [(f"rest/{number}.json", io.BytesIO(b"{%d}" % number)) for number in range(40)]
    with django_assert_max_num_queries(40 + 12):
        uploads_add(case=case, user=people.alice, drops=drops)
    assert case.files.count() == 40


def test_pasted_text_is_a_file(case: Case, people: People) -> None:
    assert text_add(case=case, user=people.alice, text=LOG.decode()).kind == FileKind.EVIDENCE
    with pytest.raises(UploadRefused, match="Nothing was pasted"):
        text_add(case=case, user=people.alice, text=" \n")


def test_a_person_knows_the_format_better(case: Case, people: People) -> None:
    file = add(case, people.alice, b"Dear colleague,\n", "odd.txt")
    override_set(file=file, member="odd.txt", format_id="flink-log")
    file.refresh_from_db()
    assert (file.overrides, file.kind) == ({"odd.txt": "flink-log"}, FileKind.EVIDENCE)
    override_set(file=file, member="odd.txt", format_id=None)
    assert (file.overrides, file.kind) == ({}, FileKind.ATTACHMENT)
    with pytest.raises(UploadRefused, match="there is no format"):
        override_set(file=file, member="odd.txt", format_id="nonsense")
    with pytest.raises(UploadRefused, match=r"holds no other\.txt"):
        override_set(file=file, member="other.txt", format_id="flink-log")


def test_removing_can_be_undone_for_a_while(case: Case, people: People) -> None:
    file = add(case, people.alice)
    file_remove(file=file)
    assert not case.files.present().exists()
    with pytest.raises(Http404):
        file_visible(people.alice, file.pk)
    assert removed_files_purge() == 0
    file_restore(file=file_to_change(people.alice, file.pk, removed=True))
    assert case.files.present().get() == file


def test_what_was_removed_long_ago_is_deleted(case: Case, people: People) -> None:
    file = add(case, people.alice)
    file_remove(file=file)
    UploadedFile.objects.update(removed_at=timezone.now() - REMOVED_KEPT - timedelta(seconds=1))
    assert removed_files_purge() == 1
    assert not file.path.exists()
    assert not UploadedFile.objects.exists()


def test_what_is_restored_while_old_files_are_deleted_stays(
    case: Case, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = add(case, people.alice), add(case, people.alice, LOG + LOG, "other.log")
    for file in (first, second):
        file_remove(file=file)
    UploadedFile.objects.update(removed_at=timezone.now() - REMOVED_KEPT - timedelta(seconds=1))
    unlink = Path.unlink

    def unlink_while_somebody_restores(path: Path, missing_ok: bool = False) -> None:
        other = second if path == first.path else first
        if other.path.exists() and not case.files.present().exists():
            file_restore(file=file_to_change(people.alice, other.pk, removed=True))
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink_while_somebody_restores)
    assert removed_files_purge() == 1
    assert case.files.present().get().path.exists()


def test_a_cited_file_stays(case: Case, people: People) -> None:
    file = add(case, people.alice)
    UploadedFile.objects.update(analysed_at=timezone.now())
    with pytest.raises(UploadRefused, match="so it stays"):
        file_remove(file=file)


def test_strangers_see_no_file_and_viewers_change_none(case: Case, people: People) -> None:
    file = add(case, people.alice)
    assert file_visible(people.vera, file.pk) == file
    assert file_to_change(people.bob, file.pk) == file
    with pytest.raises(Http404):
        file_visible(people.charlie, file.pk)
    with pytest.raises(Http404):
        file_to_change(people.charlie, file.pk)
    with pytest.raises(PermissionDenied):
        file_to_change(people.vera, file.pk)
