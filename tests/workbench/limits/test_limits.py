"""Limits of uploads: set by administrators below the ceilings, written down, counted at once, shown to everybody."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied, ValidationError
from django.urls import reverse

from diagnostics.intake.limits import GIB, MIB, USUAL
from tests.workbench.people import People, case_of, signed_in
from workbench.limits.catalogue import LIMITS, Unit
from workbench.limits.models import LimitChange
from workbench.limits.quantities import quantity_text, read
from workbench.limits.selectors import limits_now
from workbench.limits.services import limits_set
from workbench.uploads.arrivals import arrival_begin
from workbench.uploads.models import FileKind
from workbench.uploads.refusals import TooLarge
from workbench.uploads.services import upload_add

LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting\n"


def test_without_a_change_the_ceilings_and_the_librarys_own_limits_count(
    people: People, settings: LazySettings
) -> None:
    now = limits_now()
    assert (
        (now.file_bytes, now.case_bytes) == (settings.MOST_FILE_BYTES, settings.MOST_CASE_BYTES) == (2 * GIB, 10 * GIB)
    )
    assert now.unpacked == USUAL


def test_a_change_counts_for_the_next_upload_and_is_written_down(people: People) -> None:
    case = case_of(people.alice)
    limits_set(user=people.ada, values={"file_bytes": 50, "case_files": 1}, reason="The disk is nearly full")

    for add in (
        lambda: upload_add(case=case, user=people.alice, content=io.BytesIO(LOG), name="tm.log"),
        lambda: arrival_begin(case=case, user=people.alice, name="tm.log", size=len(LOG)),
    ):
        with pytest.raises(TooLarge, match="larger than 50 bytes"):
            add()
    limits_set(user=people.ada, values={"file_bytes": None, "case_files": 1}, reason="More disk")
    upload_add(case=case, user=people.alice, content=io.BytesIO(LOG), name="tm.log")
    with pytest.raises(TooLarge, match="at most 1 files"):
        upload_add(case=case, user=people.alice, content=io.BytesIO(LOG), name="second.log")

    written = [(each.name, each.before, each.after, each.by) for each in LimitChange.objects.all()]
    assert written == [
        ("file_bytes", 50, None, people.ada),
        ("case_files", None, 1, people.ada),
        ("file_bytes", None, 50, people.ada),
    ]


def test_archives_are_read_by_the_limits_of_the_moment(people: People) -> None:
    case = case_of(people.alice)
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("logs/tm.log", LOG)
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("inner.zip", inner.getvalue())

    def kind(name: str) -> str:
        outer.seek(0)
        return upload_add(case=case, user=people.alice, content=outer, name=name).kind

    assert kind("two.zip") == FileKind.EVIDENCE
    limits_set(user=people.ada, values={"nesting": 1}, reason="Nobody sends bundles of bundles")
    assert kind("one.zip") == FileKind.REFUSED
    assert "inside 1 other archives: 1 is the bound" in case.files.get(name="one.zip").refused_reason


def test_a_ceiling_that_comes_down_later_counts(people: People, settings: LazySettings) -> None:
    limits_set(user=people.ada, values={"file_bytes": GIB}, reason="Enough")
    settings.MOST_FILE_BYTES = 3 * MIB
    assert limits_now().file_bytes == limits_now().unpacked.file_bytes == 3 * MIB
    assert "The ceiling is lower than what was set: 3 MiB counts." in (
        signed_in(people.vera).get(reverse("limits")).content.decode()
    )


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"file_bytes": 2 * GIB + 1}, "file_bytes"),
        ({"file_bytes": 0}, "file_bytes"),
        ({"ratio": 9}, "ratio"),
        ({"nesting": 5}, "nesting"),
    ],
)
def test_nothing_goes_above_the_ceiling_or_to_nothing(people: People, values: dict[str, int], wrong: str) -> None:
    with pytest.raises(ValidationError) as refused:
        limits_set(user=people.ada, values={**values, "case_files": 7}, reason="Try")
    assert set(refused.value.message_dict) == {wrong}
    assert not LimitChange.objects.exists()


def test_a_change_has_a_reason_and_an_administrator(people: People) -> None:
    with pytest.raises(ValidationError, match="Say why"):
        limits_set(user=people.ada, values={"ratio": 300}, reason=" ")
    for user in (people.vera, people.alice, people.rita):
        with pytest.raises(PermissionDenied):
            limits_set(user=user, values={"ratio": 300}, reason="Try")


def test_the_page_is_read_by_all_and_sent_by_administrators(people: People) -> None:
    address = reverse("limits")
    form = {"file_bytes": "1.5 GiB", "ratio": "300 times", "reason": "Heap dumps <b>of</b> June"}
    for user in (people.vera, people.rita):
        page = signed_in(user).get(address).content.decode()
        assert "2 GiB" in page
        assert 'name="ratio"' not in page
        assert signed_in(user).post(address, form).status_code == 403
    ada = signed_in(people.ada)
    assert ada.post(address, form).status_code == 302
    assert (limits_now().file_bytes, limits_now().unpacked.ratio) == (3 * GIB // 2, 300)
    page = ada.get(address).content.decode()
    assert 'value="1536 MiB"' in page or 'value="1,536 MiB"' in page
    assert "Heap dumps &lt;b&gt;of&lt;/b&gt; June" in page
    assert ada.post(address, {"ratio": "300", "file_bytes": "1,536 MiB"}).status_code == 302
    assert LimitChange.objects.count() == 2, "what is sent back as it was changes nothing"


def test_what_cannot_be_read_stays_in_its_field_with_a_sentence(people: People) -> None:
    page = signed_in(people.ada).post(reverse("limits"), {"file_bytes": "plenty", "nesting": "9", "reason": "Try"})
    assert page.status_code == 200
    assert 'value="plenty"' in page.content.decode()
    assert "Write it as 500 MiB or 2 GiB." in page.content.decode()
    assert not LimitChange.objects.exists()


def test_the_limits_stand_at_the_drop_zone(people: People) -> None:
    limits_set(user=people.ada, values={"file_bytes": 700 * MIB, "files": 40}, reason="Small disk")
    page = signed_in(people.alice).get(reverse("cases:new")).content.decode()
    assert f'data-most-file="{700 * MIB}"' in page
    assert "Up to 700 MiB each" in page
    assert "unpacked 10 GiB and 40 files" in page


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("2 GiB", Unit.BYTES, 2 * GIB),
        ("500mb", Unit.BYTES, 500_000_000),
        ("1,024", Unit.BYTES, 1024),
        ("0.5 GiB", Unit.BYTES, GIB // 2),
        ("5,000", Unit.COUNT, 5000),
        ("200 times", Unit.RATIO, 200),
    ],
)
def test_quantities_are_read(text: str, unit: Unit, value: int) -> None:
    assert read(text, unit) == value
    assert read(quantity_text(value, unit), unit) == value


@pytest.mark.parametrize("text", ["", "GiB", "1.5", "-3x", "NaN", "Infinity", "1e400", "1e30", "9" * 60, "2 miles"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Write it as"):
        read(text, Unit.COUNT)


def test_every_limit_lets_its_own_value_stand() -> None:
    assert all(limit.least <= limit.usual() <= limit.most() for limit in LIMITS.values())
