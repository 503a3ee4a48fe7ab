"""Numbers, texts and archives that no form of ours would send are refused with the reason; no page answers 500."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from diagnostics.errors import InvalidRule
from diagnostics.yaml_document import read_yaml
from tests.workbench.diagnosed import SKEW_FIRES, SKEW_RULE, SKEW_SILENT, diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import Role
from workbench.cases.bulk import cases_set_status
from workbench.cases.models import Case, CaseStatus
from workbench.reports.bundle import bundle_pieces
from workbench.rules.models import Draft

HUGE = "9" * 5000
NUMBERS = (HUGE, "9" * 19, "²", "٣", "-1", "1e9", "0x1f", "1.5", " 1", "nan", "1;2", "\x00")
SCALARS = (
    '!!int ""',
    "!!int x",
    "!!bool x",
    "!!timestamp x",
    "!!float x",
    "!!binary x",
    "!!python/object:os.system x",
    "0x" + "f" * 15_000,
    "0b" + "1" * 15_000,
    "1:" * 5_000 + "1",
    HUGE,
    "0b_",
    "0x_",
    "2024-99-99",
    "2024-01-01",
    ".inf",
    "-.inf",
    ".nan",
    "1e400",
    "~",
    "{}",
    "[[]]",
    "? [a]",
)


@pytest.fixture
def rita(people: People) -> Client:
    return signed_in(people.rita)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


# Numbers


@pytest.mark.parametrize("number", NUMBERS)
def test_an_invalid_or_too_long_number_names_no_case_and_no_version(people: People, number: str) -> None:
    case, rita = case_of(people.rita), signed_in(people.rita)
    answers = [
        rita.post("/cases/bulk/", {"case": number, "action": "watch"}),
        rita.post("/rules/drafts/", {"base": number, "rule": SKEW_RULE}),
        rita.post(f"/history/{case.pk}/merge/", {"into": number}),
        rita.post("/drills/start/", {"case": number}),
        rita.get("/drills/", {"case": number}),
        rita.get("/runbooks/how-it-works/", {"analysis": number, "finding": number}),
        rita.post("/clusters/collect/", {"cluster": number, "case": number}),
        rita.post("/rules/preview/", {"rule": SKEW_RULE, "name": f"when.all.{number}.value", "value": "1"}),
        rita.post("/rules/preview/", {"rule": SKEW_RULE, "name": "title", "value": "x", "case": number}),
    ]
    assert [answer.status_code for answer in answers if answer.status_code >= 500] == []
    assert not Draft.objects.exists()


def test_one_good_number_among_bad_ones_counts(people: People) -> None:
    case = case_of(people.bob)
    signed_in(people.alice).post("/cases/bulk/", {"case": [HUGE, str(case.pk)], "action": "watch"})
    assert case.watches.filter(user=people.alice).exists()


# YAML


@pytest.mark.parametrize("scalar", SCALARS)
def test_no_scalar_in_a_rule_a_sample_or_a_runbook_ends_in_an_error_of_the_server(rita: Client, scalar: str) -> None:
    rule = SKEW_RULE.replace("value: 2,", f"value: {scalar},")
    texts = [
        {"rule": rule, "fires": SKEW_FIRES, "silent": SKEW_SILENT},
        {"rule": SKEW_RULE.replace("version: 1", f"version: {scalar}")},
        {"rule": SKEW_RULE.replace("base: 0.9", f"base: {scalar}")},
        {"rule": SKEW_RULE.replace("title: One", f"title: {scalar} #")},
        {"rule": SKEW_RULE, "fires": SKEW_FIRES.replace("skew_ratio: 9", f"skew_ratio: {scalar}")},
        {"rule": SKEW_RULE, "fires": SKEW_FIRES.replace("vertex: Window", f"subtask: {scalar}")},
        {"rule": SKEW_RULE, "name": "when.all.0.value", "value": scalar[:40]},
        {"rule": f"id: x\ntitle: {scalar}\nsteps: {scalar}\n", "of_runbook": "on"},
    ]
    answers = [rita.post("/rules/preview/", text) for text in texts]
    assert [answer.status_code for answer in answers if answer.status_code >= 500] == []


@pytest.mark.parametrize(
    ("scalar", "reason"),
    [
        ('!!int ""', "tags (!name) are not allowed"),
        ("!x y", "tags (!name) are not allowed"),
        ("0x" + "f" * 5_000, "a whole number of more than 64 bits"),
    ],
)
def test_what_a_scalar_may_not_be_is_named_with_its_line(scalar: str, reason: str) -> None:
    with pytest.raises(InvalidRule) as refused:
        read_yaml(f"a: 1\nb: {scalar}\n", "rule")
    assert refused.value.errors == [f"rule line 2: {reason}"]


def test_a_number_of_64_bits_is_read() -> None:
    assert read_yaml(f"a: {2**64 - 1}", "rule").content == {"a": 2**64 - 1}


# Archives


def damaged(content: bytes) -> bytes:
    """The archive with the packed bytes of its first entry overwritten."""
    name_bytes, extra_bytes = struct.unpack_from("<HH", content, 26)
    start = 30 + name_bytes + extra_bytes
    return content[:start] + b"\xff" * 20 + content[start + 20 :]


def packed(entries: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return written.getvalue()


def greedy(content: bytes) -> bytes:
    """The archive of one LZMA entry with a dictionary of 4 GiB stated in it."""
    stated = lzma._encode_filter_properties({"id": lzma.FILTER_LZMA1, "dict_size": 2**16})  # type: ignore[attr-defined]
    return content.replace(stated, stated[:1] + b"\xff\xff\xff\xff")


def archive_of(name: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    return packed({name: json.dumps({"kind": SKEW_RULE * 3})}, method)


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda name: damaged(archive_of(name)),
        lambda name: greedy(archive_of(name, zipfile.ZIP_LZMA)),
        lambda name: archive_of(name, zipfile.ZIP_BZIP2),
        lambda name: archive_of(name)[:-30],
        lambda name: archive_of(name)[10:],
    ],
    ids=["damaged", "lzma", "bzip2", "cut", "headless"],
)
@pytest.mark.parametrize(
    ("door", "field", "name"),
    [("/rules/import/", "archive", "data_skew/rules/test.yaml"), ("/reports/import/", "bundle", "manifest.json")],
)
def test_an_archive_that_cannot_be_unpacked_is_refused_with_the_reason(
    rita: Client, spoilt: Callable[[str], bytes], door: str, field: str, name: str
) -> None:
    answer = rita.post(door, {field: SimpleUploadedFile("x.zip", spoilt(name))}, follow=True)
    assert answer.status_code == 200
    assert "message error" in answer.content.decode()


def with_manifest(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries["manifest.json"])
    change(manifest)
    entries["manifest.json"] = json.dumps(manifest)
    return packed(entries)


INFINITE = float("inf")


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.update(health=INFINITE),
        lambda manifest: manifest.update(health=float("nan")),
        lambda manifest: manifest.update(health=10**400),
        lambda manifest: manifest["verdict"].update(confidence=INFINITE),
        lambda manifest: manifest["verdict"].update(confidence=float("nan")),
        lambda manifest: manifest["files"][0].update(clocks={"x": {"zone": "", "shift_ms": INFINITE}}),
        lambda manifest: manifest["files"][0].update(clocks={"logs/tm.log": {"zone": "UTC", "shift_ms": 10**300}}),
        lambda manifest: manifest["files"][0].update(clocks={"logs/tm.log": {"zone": "UTC", "shift_ms": 10**400}}),
        lambda manifest: manifest["files"][0].update(event_fields={"logs/tm.log": "abc"}),
        lambda manifest: manifest["files"][0].update(overrides={"logs/tm.log": 5}),
        lambda manifest: manifest.update(files={"a": 1}),
        lambda manifest: manifest.update(schema=INFINITE),
    ],
)
def test_a_manifest_with_numbers_that_are_none_is_refused_with_the_reason(
    people: People, rita: Client, change: Callable[[dict[str, Any]], None]
) -> None:
    content = b"".join(bundle_pieces(diagnosed_case(people.alice)))
    answer = rita.post("/reports/import/", {"bundle": SimpleUploadedFile("x.zip", with_manifest(content, change))})
    assert answer.status_code == 200
    assert "message error" in answer.content.decode()


LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.Some [] - Something\n" * 3
NO_VALUES: tuple[Any, ...] = (
    None,
    -1,
    "",
    "@bob",
    "\ud800\0",
    "x" * 20_000,
    [],
    {"a": None},
    json.loads("[" * 400 + "]" * 400),
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each entry of a JSON value as what holds it and its key."""
    for key, each in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
        yield value, key
        if isinstance(each, (dict, list)):
            yield from places(each)


def test_any_value_in_the_place_of_any_other_in_a_manifest_is_taken_or_refused(
    people: People, rita: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    analysis = diagnosed_case(people.alice)
    file = analysis.files.get()
    file.path.write_bytes(LOG)
    file.sha256, file.bytes = hashlib.sha256(LOG).hexdigest(), len(LOG)
    file.clocks, file.event_fields = {file.name: {"zone": "UTC", "shift_ms": 5}}, {file.name: ["a", "b", ""]}
    file.overrides = {file.name: "flink-log"}
    file.save()
    with zipfile.ZipFile(io.BytesIO(b"".join(bundle_pieces(analysis)))) as archive:
        entries: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    # One rule of all: each import reads every rule of the archive, and the manifest names none.
    _, *others = [name for name in entries if name.startswith("rules/")]
    for name in others:
        del entries[name]
    manifest = json.loads(entries["manifest.json"])
    tried, wrong = 0, []
    manifest["verdict"] = {name: manifest["verdict"][name] for name in ("symptom_class", "confidence")}
    for holder, key in places(manifest):
        kept = holder[key]
        for value in NO_VALUES:
            holder[key] = value
            entries["manifest.json"] = json.dumps(manifest)
            cases, tried = Case.objects.count(), tried + 1
            sent = {"bundle": SimpleUploadedFile("x.zip", packed(entries))}
            try:
                status = rita.post("/reports/import/", sent).status_code
            except Exception as error:
                wrong.append(f"{key} = {str(value)[:40]!r}: {type(error).__name__}: {error}"[:300])
                continue
            if (status, Case.objects.count() - cases) not in ((200, 0), (302, 1)):
                wrong.append(f"{key} = {str(value)[:40]!r}: status {status}, {Case.objects.count() - cases} cases")
        holder[key] = kept
    assert not wrong, "\n".join(wrong)
    assert tried > 100
    assert not Case.objects.filter(watches__user=people.bob).exists()


# Bulk changes


def test_somebody_who_may_no_longer_change_cases_takes_no_change_back(people: People) -> None:
    case = case_of(people.alice)
    batch = cases_set_status(cases=[case], user=people.alice, status=CaseStatus.INVESTIGATING)
    people.alice.role = Role.VIEWER
    people.alice.save()
    assert signed_in(people.alice).post("/cases/undo/", {"batch": str(batch)}).status_code == 403
    case.refresh_from_db()
    assert case.status == CaseStatus.INVESTIGATING


def test_somebody_who_may_change_cases_takes_the_own_change_back(people: People) -> None:
    case = case_of(people.alice)
    batch = cases_set_status(cases=[case], user=people.alice, status=CaseStatus.INVESTIGATING)
    signed_in(people.alice).post("/cases/undo/", {"batch": str(batch)})
    case.refresh_from_db()
    assert case.status == CaseStatus.OPEN
