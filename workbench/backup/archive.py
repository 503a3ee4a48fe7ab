"""The file of a backup: a tar archive of rows and files that ends with the digest of each of its parts.

backup.json        what it is, when it was made, and the migrations that the rows were written at
rows/<label>.gz    the rows of one table, a line of JSON each
data/<path>        a file of the data folder
digests.json       {part: SHA-256}: an archive without it was not finished

It holds everything that the workbench knows, the key of its sessions and the logins of clusters too.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from django.apps.registry import Apps
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from diagnostics.language import joined_sentences
from diagnostics.wording.phrase import size as size_text
from workbench.backup import rows
from workbench.languages.sentences import say
from workbench.launch.presence import is_running
from workbench.machine.disk import means_full_disk

KIND, SCHEMA = "flink-workbench-backup", 1
FOLDERS = ("uploads", "log-books", "cluster-logins", "channel-addresses")
SESSION_KEY = "secret-key"
PIECE_BYTES = 1024**2
MOST_HEAD_BYTES = 64 * 1024**2
TABLES_BYTES, ROWS_RATIO = 8 * 1024**2, 3
"""Space that SQLite takes besides the files: its tables and their journal (measured: 6 MB at most for 0.6 MB of rows),
and for larger rows first the journal, then table and indexes. Our choice.
"""


class BackupRefused(Exception):
    """The backup cannot be made or read; the text is for the user of the command."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Contents of a backup: numbers of rows and files, bytes of the files, and files that rows name but that are
    missing.
    """

    rows: int
    files: int
    bytes: int
    missing: list[str]


def backup_write(target: Path) -> Contents:
    """Writes all rows and files of this workbench, as of one moment. Raises BackupRefused.

    The workbench may run meanwhile. The archive appears only when complete, readable by its owner only.
    """
    if target.exists():
        raise BackupRefused(say("{path} exists already.", path=target))
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    except OSError as error:
        raise BackupRefused(
            say("{path} cannot be written: {reason}.", path=target.parent, reason=error.strerror)
        ) from None
    try:
        with os.fdopen(handle, "wb") as opened, tarfile.open(fileobj=opened, mode="w") as archive:
            contents = _written(archive)
        os.link(draft, target)
    except OSError as error:
        raise BackupRefused(
            say("{path} cannot be written: {reason}.", path=target, reason=error.strerror or error)
        ) from None
    finally:
        Path(draft).unlink(missing_ok=True)
    return contents


def _written(archive: tarfile.TarFile) -> Contents:
    digests: dict[str, str] = {}
    count = size = files = 0
    missing = []
    with _one_moment():
        head = {"kind": KIND, "schema": SCHEMA, "made_at": timezone.now().isoformat()}
        applied = rows.migrations_applied()
        if unknown := rows.migrations_unknown(applied):
            raise BackupRefused(
                say(
                    "The database is of a newer version of the workbench ({migration}).", migration=".".join(unknown[0])
                )
            )
        head["migrations"] = applied
        now = rows.models_at(applied)
        _add(archive, "backup.json", io.BytesIO(json.dumps(head).encode()), digests)
        for model in rows.models_kept(now):
            with tempfile.TemporaryFile() as packed:
                with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as lines:
                    for line in rows.rows_written(model):
                        lines.write(line)
                        count += 1
                packed.seek(0)
                _add(archive, f"rows/{model._meta.label}.gz", packed, digests)
        stored = _stored_files(now)
    for path in sorted({f"uploads/{name}" for name in stored} | set(_other_files())):
        try:
            with (settings.WORKBENCH_DATA / path).open("rb") as content:
                size += _add(archive, f"data/{path}", content, digests)
                files += 1
        except FileNotFoundError:
            missing.append(path)
    _add(archive, "digests.json", io.BytesIO(json.dumps(digests).encode()), {})
    return Contents(count, files, size, missing)


def _stored_files(models: Apps) -> set[str]:
    """The files of cases; older versions kept all of them, or none."""
    files = models.get_model("uploads", "UploadedFile")._base_manager.all()
    if any(field.name == "deleted_at" for field in files.model._meta.fields):
        files = files.filter(deleted_at=None)
    return set(files.values_list("stored", flat=True))


def _other_files() -> Iterator[str]:
    """Files without a row."""
    for folder in FOLDERS[1:]:
        for path in (settings.WORKBENCH_DATA / folder).rglob("*"):
            if path.is_file():
                yield path.relative_to(settings.WORKBENCH_DATA).as_posix()
    yield SESSION_KEY


@contextmanager
def _one_moment() -> Iterator[None]:
    """A consistent snapshot of the rows, without blocking writers."""
    connection.close()
    if connection.vendor == "sqlite":
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # reads beside the writers
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


class _Digested:
    """A file whose digest is computed while it is read."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._content.read(size)
        self.sha256.update(piece)
        return piece


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], digests: dict[str, str]) -> int:
    entry = tarfile.TarInfo(name)
    entry.size = content.seek(0, os.SEEK_END)
    entry.mode = 0o600
    content.seek(0)
    digested = _Digested(content)
    archive.addfile(entry, digested)
    digests[name] = digested.sha256.hexdigest()
    return entry.size


def backup_read(source: Path) -> Contents:
    """Fills an empty database and data folder from a backup, and migrates the rows to this version.

    Everything is verified before anything is stored. Raises BackupRefused.
    """
    _refuse_unless_empty()
    try:
        with tarfile.open(source, mode="r:") as archive:
            head = _checked(archive)
            applied = [(str(app), str(name)) for app, name in head["migrations"]]
            if unknown := rows.migrations_unknown(applied):
                raise BackupRefused(
                    say(
                        "It was made by a newer version of the workbench ({migration}).", migration=".".join(unknown[0])
                    )
                )
            if set(rows.migrations_applied()) - set(applied):
                raise BackupRefused(
                    say("The database has tables of a newer version than the backup; name an empty one.")
                )
            return _stored(archive, applied)
    except tarfile.TarError as error:
        raise BackupRefused(say("{path} is no backup of a workbench: {reason}.", path=source, reason=error)) from None
    except (OSError, DatabaseError) as error:
        if means_full_disk(error):
            raise BackupRefused(
                joined_sentences([say("The disk got full; nothing was restored."), _room_said(0)])
            ) from None
        if isinstance(error, DatabaseError):
            raise
        raise BackupRefused(
            say(
                "{path} cannot be used: {reason}.",
                path=error.filename or source,
                reason=error.strerror or error,
            )
        ) from None


def _refuse_unless_empty() -> None:
    if is_running(settings.WORKBENCH_DATA):
        raise BackupRefused(say("A workbench runs on {folder}; end it first.", folder=settings.WORKBENCH_DATA))
    tables = connection.introspection.table_names()
    if "accounts_user" in tables:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM accounts_user")
            if cursor.fetchone()[0]:
                raise BackupRefused(say("The database holds a workbench already; name an empty one in DATABASE_URL."))
    for folder in FOLDERS:
        if any((settings.WORKBENCH_DATA / folder).glob("*")):
            raise BackupRefused(
                say(
                    "{folder} is not empty; name a new folder in WORKBENCH_DATA.",
                    folder=settings.WORKBENCH_DATA / folder,
                )
            )


def _checked(archive: tarfile.TarFile) -> dict[str, list[list[str]]]:
    """The header of an archive whose parts all match their digests."""
    computed: dict[str, str] = {}
    digests: Any = None
    head: Any = None
    size = rows_size = 0
    for entry in archive:
        if not entry.isreg() or not _is_ours(entry.name):
            raise BackupRefused(say("It is no backup of a workbench: it holds {name}.", name=repr(entry.name[:100])))
        content = archive.extractfile(entry)
        assert content is not None  # a regular file has content
        if entry.name in ("backup.json", "digests.json"):
            if entry.size > MOST_HEAD_BYTES:
                raise BackupRefused(say("It is no backup of a workbench: its head is too large."))
            text = content.read()
            computed[entry.name] = hashlib.sha256(text).hexdigest()
            if entry.name == "backup.json":
                head = _json(text)
            else:
                digests = _json(text)
        else:
            computed[entry.name] = hashlib.file_digest(cast("BufferedReader", content), "sha256").hexdigest()
            if entry.name.startswith("rows/"):
                rows_size += _unpacked_bytes(content)
            else:
                size += entry.size
    if head is None or head.get("kind") != KIND or head.get("schema") != SCHEMA:
        raise BackupRefused(say("It is no backup that this version of the workbench can read."))
    computed.pop("digests.json", None)
    if digests is None or computed.keys() - digests.keys() or digests.keys() - computed.keys():
        raise BackupRefused(say("It is not complete: its end is missing."))
    if damaged := sorted(name for name, digest in digests.items() if computed[name] != digest):
        raise BackupRefused(say("It is damaged: {part} is not what was written.", part=damaged[0]))
    if connection.vendor == "sqlite":
        size += TABLES_BYTES + ROWS_RATIO * rows_size
    if size > shutil.disk_usage(settings.WORKBENCH_DATA).free:
        raise BackupRefused(_room_said(size))
    checked: dict[str, list[list[str]]] = head
    return checked


def _unpacked_bytes(content: IO[bytes]) -> int:
    """Uncompressed bytes of rows; 0 for damaged data, which the digest reveals too."""
    content.seek(0)
    size = 0
    try:
        with gzip.GzipFile(fileobj=content) as lines:
            while piece := lines.read(PIECE_BYTES):
                size += len(piece)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return 0
    return size


def _room_said(needed: int) -> str:
    free = size_text(shutil.disk_usage(settings.WORKBENCH_DATA).free)
    folder = settings.WORKBENCH_DATA
    if not needed:
        return say("{folder} has {free} free.", folder=folder, free=free)
    return say("{folder} has {free} free; {needed} are needed.", folder=folder, free=free, needed=size_text(needed))


def _is_ours(name: str) -> bool:
    parts = PurePosixPath(name).parts
    if ".." in parts or name.startswith("/"):
        return False
    return name in ("backup.json", "digests.json", f"data/{SESSION_KEY}") or (
        len(parts) >= 2 and (parts[0] == "rows" or (parts[0] == "data" and parts[1] in FOLDERS))
    )


def _json(text: bytes) -> dict[str, list[list[str]]]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise BackupRefused(say("It is no backup of a workbench: its head cannot be read.")) from None


def _stored(archive: tarfile.TarFile, applied: list[rows.Migration]) -> Contents:
    old = rows.database_prepare(applied)
    draft = settings.WORKBENCH_DATA / f".{SESSION_KEY}-restored"
    try:
        contents = _taken_out(archive, old, draft)
    except BaseException:
        for folder in FOLDERS:  # they were empty
            shutil.rmtree(settings.WORKBENCH_DATA / folder, ignore_errors=True)
        draft.unlink(missing_ok=True)
        raise
    if draft.exists():
        draft.replace(settings.WORKBENCH_DATA / SESSION_KEY)
    return contents


def _taken_out(archive: tarfile.TarFile, old: Apps, session_key: Path) -> Contents:
    """Stores rows and files; the session key at another path, because one exists already."""
    count = size = files = 0
    kept = {model._meta.label: model for model in rows.models_kept(old)}
    with transaction.atomic():
        rows.rows_delete(old)
        for entry in archive:
            content = archive.extractfile(entry)
            assert content is not None  # a regular file has content
            if entry.name.startswith("rows/"):
                label = entry.name.removeprefix("rows/").removesuffix(".gz")
                with gzip.GzipFile(fileobj=content) as lines:
                    count += rows.rows_read(kept[label], lines)
            elif entry.name.startswith("data/"):
                name = entry.name.removeprefix("data/")
                path = session_key if name == SESSION_KEY else settings.WORKBENCH_DATA / name
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
                    shutil.copyfileobj(content, target, PIECE_BYTES)
                size, files = size + entry.size, files + 1
        rows.sequences_reset(old)
        connection.check_constraints()
    return Contents(count, files, size, [])
