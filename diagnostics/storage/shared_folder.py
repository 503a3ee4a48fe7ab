"""A folder that this program and Spark's workers share: a path mounted on all machines, or a URL.

`SPARK_STORAGE` names the folder below which every run gets one of its own. Without it the run's workspace is that
folder. A `file` URL is a path like any other; `s3a` and `hdfs` are accessed through pyarrow, whose credentials come
from each system's own configuration, never from the URL.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit
from uuid import uuid4

from diagnostics.errors import SparkUnavailable
from diagnostics.language import say

logger = logging.getLogger(__name__)

STORAGE_VARIABLE = "SPARK_STORAGE"

_NAMES = r"[^\s?#%*\[\]{}\\]"
STORAGE_FORM = re.compile(rf"file:///{_NAMES}+|s3a://[\w.-]+(/{_NAMES}*)?|hdfs://[\w.-]+(:\d{{1,5}})?/{_NAMES}+")
"""No user and no password before the host, no query with secrets, and nothing in the path that Spark interprets as a
pattern or that one reader decodes and another does not.
"""

STORAGE_EXAMPLE = "file:///mnt/shared/flink, s3a://bucket/prefix or hdfs://namenode:8020/prefix"

BUFFER_BYTES = 1024 * 1024
"""Minimum bytes read of a remote file. Our choice: a request takes about as long as a megabyte of its answer."""

MOST_REASON = 300
"""Characters shown of another system's error. Our choice."""

JVM_OPTIONS = "-Xrs -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Options of the JVM that libhdfs starts within each program that uses HDFS. `-Xrs`: without it the JVM handles SIGTERM
and SIGINT and ends the program before it has cleaned up. The others save processor time; measured: 2.3 instead of 3.9 s
until the first file is written. Options of `LIBHDFS_OPTS` follow and take precedence.
"""

_UNTOLD = ("Unknown error 255", "HDFS connection failed")
"""End of pyarrow's text for a Java failure without errno: libhdfs writes its reason to standard error only."""

_TRIED = re.compile(r"^dlopen\(.+\) failed: (.+)$", re.MULTILINE)
"""pyarrow's text for each place it searched for a native library. The last is the one that a variable names."""

_MARK = ".run"
"""A file that marks a run's folder as existing: object stores have no folders. It is removed first when the run
ends.
"""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a shared folder and its size in bytes."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """A folder in which files appear only when they are complete.

    location  an absolute path, or a URL of s3a or hdfs without a slash at its end

    Raises    SparkUnavailable, with the place and the reason, when a remote system fails; OSError when a path does.
    """

    location: str

    @classmethod
    def at(cls, path: Path) -> SharedFolder:
        """A folder of the file system."""
        return cls(str(path.resolve()))

    @classmethod
    def of(cls, url: str) -> SharedFolder:
        """The folder that `SPARK_STORAGE` names. Raises SparkUnavailable when it does not match STORAGE_FORM."""
        if not STORAGE_FORM.fullmatch(url):
            # A mistyped URL may hold a password: it is not repeated.
            raise SparkUnavailable(
                say(
                    "{name} has to be a URL without login, such as {example}",
                    name=STORAGE_VARIABLE,
                    example=STORAGE_EXAMPLE,
                )
            )
        return cls(url.removeprefix("file://").rstrip("/"))

    def __truediv__(self, name: str) -> SharedFolder:
        return SharedFolder(f"{self.location}/{name}")

    @property
    def is_path(self) -> bool:
        """Whether it is a folder of the file system, mounted where it is used."""
        return _is_path(self.location)

    @property
    def url(self) -> str:
        """Its URL for Spark's readers: a path without scheme means HDFS on many clusters."""
        return f"file://{self.location}" if self.is_path else self.location

    def make(self) -> None:
        """Create the folder in an existing one, private when it is in the file system."""
        if self.is_path:
            Path(self.location).mkdir(mode=0o700, exist_ok=True)
            return
        self._send_a_byte(_MARK)

    def exists(self) -> bool:
        """Whether it was created and not removed since."""
        if self.is_path:
            return Path(self.location).is_dir()
        with _reported_failures(self.location):
            filesystem, place = _reached(f"{self.location}/{_MARK}")
            return bool(filesystem.get_file_info(place).is_file)

    def refusal(self) -> str | None:
        """Why files cannot be written here, None when they can; writes and removes one."""
        try:
            if not self.exists():
                return "it is not there"
            if self.is_path:
                with tempfile.TemporaryFile(dir=self.location):
                    return None
            self._try_to_write()
        except SparkUnavailable as error:
            return reason_of(error.__cause__ or error)
        except OSError as error:
            return reason_of(error)
        return None

    def _try_to_write(self) -> None:
        name = f".try-{uuid4().hex}"
        self._send_a_byte(name)
        with _reported_failures(self.location):
            filesystem, place = _reached(f"{self.location}/{name}")
            filesystem.delete_file(place)

    def _send_a_byte(self, name: str) -> None:
        """Not empty: HDFS accepts an empty file even when none of its DataNodes can be reached."""
        with tempfile.NamedTemporaryFile() as small:
            small.write(b"\n")
            small.flush()
            self.send(Path(small.name), name)

    def files(self) -> list[StoredFile]:
        """The complete files in it, by name; empty when there is no such folder."""
        found = self._near_files() if self.is_path else self._far_files()
        return [StoredFile(name, size) for name, size in sorted(found)]

    def _near_files(self) -> list[tuple[str, int]]:
        folder = Path(self.location)
        # A draft of an attempt that counts as dead may vanish at any time.
        complete = [each for each in folder.iterdir() if not each.name.startswith(".")] if folder.is_dir() else []
        return [(each.name, each.stat().st_size) for each in complete]

    def _far_files(self) -> list[tuple[str, int]]:
        from pyarrow import fs

        with _reported_failures(self.location):
            filesystem, place = _reached(self.location)
            listed = filesystem.get_file_info(fs.FileSelector(place, allow_not_found=True))
            complete = [each for each in listed if each.is_file and not each.base_name.startswith(".")]
            return [(each.base_name, each.size) for each in complete]

    def for_arrow(self, name: str) -> Any:
        """The path or file object for Arrow's readers, which read paths without Python."""
        location = f"{self.location}/{name}"
        return location if self.is_path else open_location(location)

    def draft(self, name: str) -> Path:
        """Path for writing a file that `publish` makes visible: hidden beside it, or on the local disk."""
        if self.is_path:
            folder = Path(self.location)
            folder.mkdir(exist_ok=True)
            return folder / f".{name}.{uuid4().hex}"
        descriptor, path = tempfile.mkstemp(prefix="draft-")
        os.close(descriptor)
        return Path(path)

    def publish(self, draft: Path, name: str) -> None:
        """Make a draft visible under its name, replacing one that another attempt has written."""
        if self.is_path:
            draft.rename(draft.with_name(name))
        else:
            self.send(draft, name)
            draft.unlink()

    def send(self, source: Path, name: str) -> None:
        """Copy a local file into the folder."""
        if self.is_path:
            draft = self.draft(name)
            shutil.copyfile(source, draft)
            self.publish(draft, name)
            return
        with _reported_failures(self.location):
            filesystem, place = _reached(self.location)
            # An object of S3 appears when it is complete.
            is_whole_at_once = filesystem.type_name == "s3"
            hidden = f"{place}/{name}" if is_whole_at_once else f"{place}/.{name}.{uuid4().hex}"
            # Not by copy_files: it ignores errors of closing, and a small file is no faster.
            with source.open("rb") as given, filesystem.open_output_stream(hidden, compression=None) as taken:
                shutil.copyfileobj(given, taken, BUFFER_BYTES)
            if not is_whole_at_once:
                _moved(filesystem, hidden, f"{place}/{name}")

    def remove(self) -> None:
        """Remove the folder and its contents, if it exists."""
        if self.is_path:
            shutil.rmtree(self.location, ignore_errors=True)
            return
        from pyarrow import fs

        with _reported_failures(self.location):
            filesystem, place = _reached(self.location)
            # Checked first, because each system reports a missing folder differently.
            if filesystem.get_file_info(f"{place}/{_MARK}").is_file:
                filesystem.delete_file(f"{place}/{_MARK}")
            if filesystem.get_file_info(place).type != fs.FileType.NotFound:
                filesystem.delete_dir(place)


@contextlib.contextmanager
def run_folder(storage: str, run: str) -> Iterator[SharedFolder | None]:
    """The folder of one run in the storage within a block; None when `storage` is empty.

    run     a unique name
    Raises  SparkUnavailable when it cannot be created.
    """
    if not storage:
        yield None
        return
    folder = SharedFolder.of(storage) / run
    with _reported_failures(folder.location):
        folder.make()
    try:
        yield folder
    finally:
        try:
            folder.remove()
        except SparkUnavailable as error:
            logger.warning("what a run has left behind has to be removed by hand: %s", error)


def open_location(location: str) -> BinaryIO:
    """A file by its path or URL, opened for binary reading with seeking."""
    if _is_path(location):
        return open(location, "rb")
    with _reported_failures(location):
        filesystem, place = _reached(location)
        return io.BufferedReader(_FarFile(filesystem.open_input_file(place), location), BUFFER_BYTES)


@contextlib.contextmanager
def local_copy(location: str) -> Iterator[str]:
    """A local path of the file's content within a block: its own, or a copy's."""
    if _is_path(location):
        yield location
        return
    with tempfile.NamedTemporaryFile(prefix="copy-") as copy:
        with open_location(location) as opened:
            shutil.copyfileobj(opened, copy, BUFFER_BYTES)
        copy.flush()
        yield copy.name


class _FarFile(io.RawIOBase):
    """A remote file whose failures are not OSError, which readers interpret as a damaged file."""

    def __init__(self, opened: Any, location: str) -> None:
        self._opened = opened
        self._location = location

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._opened.seek(offset, whence))

    def tell(self) -> int:
        return int(self._opened.tell())

    def readinto(self, buffer: Any) -> int:
        with _reported_failures(self._location):
            return int(self._opened.readinto(buffer))

    def close(self) -> None:
        self._opened.close()
        super().close()


def _is_path(location: str) -> bool:
    return "://" not in location


def _moved(filesystem: Any, source: str, target: str) -> None:
    """HDFS does not replace an existing file, so pyarrow removes it and moves again.

    When two attempts do so at once one fails, and the other has written the same content.
    """
    try:
        filesystem.move(source, target)
    except OSError:
        if not filesystem.get_file_info(target).is_file:
            raise
        filesystem.delete_file(source)


def _reached(location: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    parts = urlsplit(location)
    place = f"{parts.netloc}{parts.path}" if parts.scheme == "s3a" else parts.path
    return _filesystem(parts.scheme, parts.netloc), place


@cache
def _filesystem(scheme: str, netloc: str) -> Any:
    """Created once per process, and never before it forks: neither the AWS SDK nor a JVM survives a fork."""
    from pyarrow import fs

    if scheme == "hdfs":
        from diagnostics.spark.java import java_home

        # libhdfs brings no JVM and searches one by this name only.
        os.environ.setdefault("JAVA_HOME", str(java_home()))
        given = os.environ.get("LIBHDFS_OPTS", "")
        if JVM_OPTIONS not in given:
            os.environ["LIBHDFS_OPTS"] = f"{JVM_OPTIONS} {given}".rstrip()
    # By URL: only so does pyarrow read AWS_ENDPOINT_URL, and ask AWS for the region of a bucket.
    return cast(Any, fs.FileSystem.from_uri(f"{'s3' if scheme == 's3a' else scheme}://{netloc}/")[0])


@contextlib.contextmanager
def _reported_failures(location: str) -> Iterator[None]:
    """Raises  SparkUnavailable for what fails in the block, with the place and the reason."""
    try:
        yield
    except FileNotFoundError as error:
        raise SparkUnavailable(say("{path}: there is no such file or folder", path=location)) from error
    except (OSError, ValueError, ImportError) as error:
        raise SparkUnavailable(f"{location}: {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    """The first line of an error, because every frame follows in a Java error; for a missing library also the last
    place searched.
    """
    text = str(error).strip()
    reason = (text.splitlines() or [type(error).__name__])[0][:MOST_REASON]
    tried = _TRIED.findall(text)
    if tried:
        return f"{reason}: {tried[-1][:MOST_REASON]}"
    if reason.endswith(_UNTOLD):
        return f"{reason} (Java's reason is in the log of the program that asked)"
    return reason
