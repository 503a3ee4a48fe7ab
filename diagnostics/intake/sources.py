"""The files that a user provides, by upload or command line, and safe, unique names for them."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from diagnostics.intake.limits import USUAL, Limits
from diagnostics.language import say


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An uploaded file: its path on disk, and its name inside the upload."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file below one of the given paths; `parent` distinguishes equal names."""

    source: SourceFile
    parent: str


def sources_in(paths: Sequence[Path], limits: Limits = USUAL) -> tuple[list[SourceFile], list[str]]:
    """The files below the paths, and a line `name: reason` for each refused one.

    A file has its own name, a file below a folder its path from there, prefixed by the folder's name when two would be
    equal. Links are not followed.
    """
    listed: list[_Listed] = []
    refused: list[str] = []
    for path in paths:
        found = _below(path, refused, limits)
        listed.extend(islice(found, limits.files - len(listed)))
        if next(found, None) is not None:
            refused.append(
                say(
                    "{path}: more than {most:,} files, which is the bound; the rest is not read",
                    path=path,
                    most=limits.files,
                )
            )
            break
    return _named(listed), refused


def readable_name(name: str) -> str:
    """The name with unprintable characters replaced: control characters, marks that change the direction."""
    return "".join(letter if letter.isprintable() else "_" for letter in name)


def text_of_name(raw: bytes) -> str:
    """A file name as text; on a disk or in an archive its bytes need not be UTF-8."""
    for codec in ("utf-8", "gb18030"):
        try:
            return raw.decode(codec)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


class Names:
    """Makes names unique, also for thousands of files with the same name."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def take(self, name: str) -> str:
        """The name, with a number before its extension when it is taken."""
        folder, slash, last = name.rpartition("/")
        stem, dot, ending = last.rpartition(".")
        if not stem:
            stem, dot, ending = last, "", ""
        count, free = self._numbers.get(name, 1), name
        while free in self._numbers:
            count += 1
            free = f"{folder}{slash}{stem} ({count}){dot}{ending}"
        self._numbers[name], self._numbers[free] = count, 1
        return free


def uniquely_named(sources: Sequence[SourceFile]) -> Iterator[SourceFile]:
    """The sources with unique names."""
    names = Names()
    for source in sources:
        name = names.take(source.name)
        yield source if name == source.name else replace(source, name=name)


def _below(path: Path, refused: list[str], limits: Limits) -> Iterator[_Listed]:
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        refused.append(f"{path}: {error.strerror or error}")
        return
    called = path.name or path.resolve().name
    if stat.S_ISDIR(mode):
        parent, before = path.resolve().name, len(refused)
        files = sorted(_walk(path, "", refused, limits), key=lambda each: each.name)
        if not files and len(refused) == before:
            refused.append(say("{path}: holds no file", path=path))
        yield from (_Listed(each, parent) for each in files)
        return
    reason = _not_regular(mode)
    if reason:
        refused.append(f"{path}: {reason}")
        return
    yield _Listed(SourceFile(path.absolute(), _text(called)), path.absolute().parent.name)


def _walk(top: Path, inside: str, refused: list[str], limits: Limits) -> Iterator[SourceFile]:
    """Every regular file below a folder; examines at most as many entries as the limits allow."""
    waiting = [(top, inside)]
    looked_at = 0
    while waiting:
        folder, inside = waiting.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(islice(found, limits.entries - looked_at + 1), key=lambda entry: entry.name)
        except OSError as error:
            refused.append(f"{_text(inside) or folder}: {error.strerror or error}")
            continue
        looked_at += len(entries)
        below = []
        for entry in entries:
            name = f"{inside}/{entry.name}" if inside else entry.name
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except OSError as error:
                refused.append(f"{_text(name)}: {error.strerror or error}")
                continue
            if stat.S_ISDIR(mode):
                below.append((Path(entry.path), name))
            elif reason := _not_regular(mode):
                refused.append(f"{_text(name)}: {reason}")
            else:
                yield SourceFile(Path(entry.path).absolute(), _text(name))
        if looked_at > limits.entries:
            refused.append(
                say(
                    "{path}: more than {most:,} entries, which is the bound; the rest is not read",
                    path=top,
                    most=limits.entries,
                )
            )
            return
        waiting.extend(reversed(below))


def _not_regular(mode: int) -> str | None:
    if stat.S_ISLNK(mode):
        return say("a link, which is not followed; name the file itself")
    return None if stat.S_ISREG(mode) else say("a device, pipe or socket, not a file")


def _text(name: str) -> str:
    return readable_name(text_of_name(os.fsencode(name)))


def _named(listed: Sequence[_Listed]) -> list[SourceFile]:
    times = Counter(each.source.name for each in listed)
    colliding = {(each.parent, each.source.path) for each in listed if times[each.source.name] > 1}
    if not colliding:
        return [each.source for each in listed]
    parents = {parent for parent, _ in colliding}
    prefixed = (
        replace(each.source, name=f"{_text(each.parent)}/{each.source.name}") if each.parent in parents else each.source
        for each in listed
    )
    return list(uniquely_named(list(prefixed)))
