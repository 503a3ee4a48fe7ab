"""Uploads built in memory: zips, tars and logs as people and attackers make them."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path

from diagnostics.intake import InputFile, Limits, SourceFile, unpack

LINE = "2026-11-21 01:40:00,000 INFO  org.apache.flink.runtime.taskmanager.Task [] - Map (1/2)#0 switched to RUNNING.\n"
LOG = LINE.encode() * 3


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of the files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w", layout: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of the files; `mode` as `tarfile.open` has it."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode, format=layout) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def raw_zip(name: bytes, packed: bytes, *, size: int, flags: int = 0, method: int = 8) -> bytes:
    """A zip of one entry whose headers say what they are told to (APPNOTE 4.3)."""
    sizes = (zlib.crc32(b""), len(packed), size)
    common = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 0x5B55, *sizes, len(name), 0)
    local = b"PK\x03\x04" + common + name + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    return local + central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def deflated(content: bytes) -> bytes:
    """Raw DEFLATE."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


class Desk:
    """A folder for uploads and a workspace beside it."""

    def __init__(self, folder: Path) -> None:
        self.uploads = folder / "uploads"
        self.workspace = folder / "workspace"
        self.uploads.mkdir()
        self.workspace.mkdir()

    def upload(self, name: str, content: bytes) -> SourceFile:
        """A stored upload; on the disk it has a name of its own."""
        path = self.uploads / str(len(list(self.uploads.iterdir())))
        path.write_bytes(content)
        return SourceFile(path, name)

    def unpack(self, name: str, content: bytes, limits: Limits | None = None) -> list[InputFile]:
        """The files of one upload."""
        return unpack([self.upload(name, content)], self.workspace, limits or Limits()).inputs

    def written(self) -> set[str]:
        """Every file in the workspace."""
        return {str(path.relative_to(self.workspace)) for path in self.workspace.rglob("*") if path.is_file()}


def text_of(file: InputFile) -> str:
    """The text that a reader of the file gets."""
    assert file.path is not None, file.error
    return file.path.read_bytes().decode("utf-8")


def told(files: list[InputFile]) -> dict[str, str | None]:
    """Name and error of each file."""
    return {file.name: file.error for file in files}
