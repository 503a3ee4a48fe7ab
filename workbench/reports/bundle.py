"""A case as an archive for re-running it elsewhere: its files, its rules and its diagnosis.

`manifest.json` names the files and the verdict, `files/0001 …` are the original files, `rules/<id>.yaml` the rule
texts, `diagnosis.json` the document. The same files and rules give the same document, so the verdict of the imported
case can be compared with the one in the manifest.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from diagnostics.errors import InvalidRule
from diagnostics.reading.clock import FileClock, shift_text
from diagnostics.symptoms import symptom
from diagnostics.wording import phrase
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.models import Case
from workbench.cases.own_texts import IMPORTED
from workbench.cases.services import case_open, note_add
from workbench.languages.sentences import say, to_say
from workbench.limits.selectors import limits_now
from workbench.rules.bundles import bundled_rules, ruleset_of_bundle
from workbench.rules.models import BundledRule
from workbench.rules.selectors import rule_texts
from workbench.untrusted.received_zip import UnreadableZip, opened_zip
from workbench.untrusted.storable import storable
from workbench.uploads.corrections import clock_set, event_fields_set, override_set
from workbench.uploads.refusals import UploadRefused
from workbench.uploads.reservations import require_unreserved_room
from workbench.uploads.services import RequestTime, case_discard, upload_add

KIND, SCHEMA = "flink-workbench-case", 1
PIECE_BYTES = 1024 * 1024
MOST_MANIFEST_BYTES = 16 * 1024**2
MOST_RULES = 500
MOST_RULE_BYTES = 2 * 1024**2
"""Characters of all rules. Our choice: nearly twice what is shipped; the slowest text is parsed in 7 s."""
MOST_CORRECTIONS = 1_000
"""Formats, clocks and fields of events that people set. Our choice: each takes some milliseconds to store, and far
fewer are set by hand."""
LONGEST_CLASS = 60
MOMENT = (2000, 1, 1, 0, 0, 0)
"""A constant time, so that the same case gives the same bytes."""


class BundleRefused(Exception):
    """The archive is no valid bundle; the text is for the user."""


def bundled_analysis(case: Case) -> Analysis | None:
    """The diagnosis in a bundle of the case: of the incident, else the newest one.

    None when there is none, or when its files are deleted and it could not run again.
    """
    done = Analysis.objects.done().filter(case=case).defer("signals", "inputs").select_related("case", "ruleset")
    analysis = done.filter(snapshot=1).first() or done.first()
    if analysis is None or analysis.files.exclude(deleted_at=None).exists():
        return None
    return analysis


class _Pieces(io.RawIOBase):
    """Output of the zip writer since the last read; nothing of a large archive stays in memory."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def taken(self) -> bytes:
        piece = bytes(self._written)
        self._written.clear()
        return piece


def bundle_pieces(analysis: Analysis) -> Iterator[bytes]:
    """The bytes of the archive of one analysis, piece by piece."""
    pieces = _Pieces()
    files = list(analysis.files.order_by("pk"))
    with zipfile.ZipFile(pieces, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(zipfile.ZipInfo("manifest.json", MOMENT), _json(_manifest(analysis)))
        archive.writestr(zipfile.ZipInfo("diagnosis.json", MOMENT), _json(analysis.document))
        for rule_id, text in rule_texts(analysis.ruleset).items():
            archive.writestr(zipfile.ZipInfo(f"rules/{rule_id}.yaml", MOMENT), text)
        yield pieces.taken()
        for number, file in enumerate(files, 1):
            entry = zipfile.ZipInfo(_path(number), MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as packed, file.path.open("rb") as content:
                while piece := content.read(PIECE_BYTES):
                    packed.write(piece)
                    yield pieces.taken()
    yield pieces.taken()


def _manifest(analysis: Analysis) -> dict[str, Any]:
    files = enumerate(analysis.files.order_by("pk"), 1)
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "case": analysis.case_id,
        "title": analysis.case.title,
        "verdict": analysis.document["verdict"],
        "health": analysis.document["health"]["score"],
        "files": [
            {
                "path": _path(number),
                "name": file.name,
                "bytes": file.bytes,
                "sha256": file.sha256,
                "overrides": file.overrides,
                "clocks": file.clocks,
                "event_fields": file.event_fields,
            }
            for number, file in files
        ],
    }


def _path(number: int) -> str:
    return f"files/{number:04}"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def bundle_import(*, user: User, content: BinaryIO) -> Case:
    """A new case with the files of a bundle, queued for analysis with the bundle's rules. All or nothing.

    Raises BundleRefused, NoRoom, UploadRefused, ValidationError.
    """
    try:
        with opened_zip(content) as archive:
            manifest = _checked_manifest(archive)
            rules = _rules(archive)
            case = case_open(user=user, title=str(manifest["title"]))
            try:
                _files(archive, manifest, case, user)
                reason = to_say("Came with the bundle of {title}").format(title=manifest["title"])
                ruleset = ruleset_of_bundle(rules=rules, reason=reason, user=user)
            except BaseException:
                case_discard(case=case)
                raise
    except UnreadableZip as error:
        raise BundleRefused(str(error)) from None
    except InvalidRule as error:
        raise BundleRefused(say("A rule in it cannot be read: {error}", error=error)) from None
    there = manifest["verdict"]
    text = IMPORTED.format(
        verdict=symptom(there["symptom_class"]).title,
        sure=phrase.percent(there["confidence"]),
        score=manifest["health"],
    )
    note_add(case=case, user=user, text=text, by_person=False)
    analysis_request(case=case, user=user, ruleset=ruleset)
    return case


def _checked_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The manifest, when it is valid and names only contents of the archive within the limits of a case."""
    try:
        entry = archive.getinfo("manifest.json")
        if entry.file_size > MOST_MANIFEST_BYTES:
            raise BundleRefused(say("Its manifest is too large."))
        manifest = storable(json.loads(archive.read(entry)))
        files, verdict = manifest["files"], manifest["verdict"]
        named = [(str(each["path"]), str(each["name"]), dict(each["overrides"])) for each in files]
        corrections = sum(len(overrides) for _, _, overrides in named) + len(_clocks(files)) + len(_event_fields(files))
        is_ours = manifest["kind"] == KIND and manifest["schema"] == SCHEMA
        str(manifest["title"])
        is_ours &= isinstance(verdict["symptom_class"], str) and len(verdict["symptom_class"]) <= LONGEST_CLASS
        is_ours &= 0 <= float(verdict["confidence"]) <= 1 and 0 <= int(manifest["health"]) <= 100
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise BundleRefused(
            say("It is no bundle of a case: its manifest.json is missing or says something else.")
        ) from None
    if not is_ours:
        raise BundleRefused(say("It is no bundle of a case that this version of the workbench can read."))
    if corrections > MOST_CORRECTIONS:
        raise BundleRefused(
            say(
                "It corrects {corrections:,} formats, clocks and fields of files; {most_corrections:,} may be.",
                corrections=corrections,
                most_corrections=MOST_CORRECTIONS,
            )
        )
    held = {entry.filename: entry.file_size for entry in archive.infolist()}
    if missing := [path for path, _, _ in named if path not in held]:
        raise BundleRefused(say("It names {missing!r} and does not hold it.", missing=missing[0][:100]))
    limits = limits_now()
    if not named or len(named) > limits.case_files:
        raise BundleRefused(
            say(
                "It holds {named:,} files; 1 to {case_files:,} make a case.",
                named=len(named),
                case_files=limits.case_files,
            )
        )
    size = sum(held[path] for path, _, _ in named)
    if size > limits.case_bytes:
        raise BundleRefused(say("Its files are larger than a case may be."))
    require_unreserved_room(size)
    return dict(manifest)


def _clocks(files: Iterable[Mapping[str, Any]]) -> list[tuple[str, FileClock]]:
    """The clock corrections by users; bundles of earlier versions have none. Raises KeyError, TypeError, ValueError."""
    stated = [(member, clock) for each in files for member, clock in dict(each.get("clocks") or {}).items()]
    return [
        (str(member), FileClock(str(clock["zone"]) if clock["zone"] else None, int(clock["shift_ms"])))
        for member, clock in stated
    ]


def _event_fields(files: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """The event fields set by users, in the form of `_clocks`. Raises TypeError, ValueError."""
    stated = [(member, names) for each in files for member, names in dict(each.get("event_fields") or {}).items()]
    named = [(str(member), [str(name) for name in names]) for member, names in stated]
    if any(len(names) != 3 for _, names in named):
        raise ValueError("a key, a time and a time of arrival")
    return named


def _rules(archive: zipfile.ZipFile) -> list[BundledRule]:
    """The rules of the archive, checked. Raises BundleRefused, InvalidRule."""
    entries = [entry for entry in archive.infolist() if entry.filename.startswith("rules/") and not entry.is_dir()]
    if len(entries) > MOST_RULES or sum(entry.file_size for entry in entries) > MOST_RULE_BYTES:
        raise BundleRefused(
            say(
                "It holds more than {most_rules} rules or {most_rule_bytes} KiB of them.",
                most_rules=MOST_RULES,
                most_rule_bytes=MOST_RULE_BYTES // 1024,
            )
        )
    return bundled_rules(archive.read(entry).decode("utf-8", "replace").replace("\x00", "\ufffd") for entry in entries)


def _files(archive: zipfile.ZipFile, manifest: dict[str, Any], case: Case, user: User) -> None:
    corrected, plain = RequestTime(), RequestTime()  # corrections need the names of what was recognised
    for entry in manifest["files"]:
        remaining = corrected if entry["overrides"] or _clocks([entry]) or _event_fields([entry]) else plain
        with archive.open(str(entry["path"])) as content:
            file = upload_add(case=case, user=user, content=content, name=str(entry["name"]), remaining=remaining)
        if file.sha256 != entry.get("sha256"):
            raise BundleRefused(
                say("{name} is not the file that the manifest names: its hash differs.", name=file.name)
            )
        for member, format_id in dict(entry["overrides"]).items():
            try:
                override_set(file=file, member=str(member), format_id=str(format_id))
            except UploadRefused as error:
                raise BundleRefused(str(error)) from None
        for member, (key, event_time, arrival) in _event_fields([entry]):
            try:
                event_fields_set(file=file, member=member, key=key, event_time=event_time, arrival=arrival)
            except UploadRefused as error:
                raise BundleRefused(str(error)) from None
        for member, clock in _clocks([entry]):
            try:
                clock_set(file=file, member=member, zone=clock.zone or "", shift=shift_text(clock.shift_ms))
            except UploadRefused as error:
                raise BundleRefused(str(error)) from None
