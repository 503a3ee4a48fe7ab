"""Files that somebody damaged or forged, made from real ones: the same seed gives the same mutant of a file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

FORGED = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"9" * 400,
    b"-" + b"9" * 25,
    b"9223372036854775808",
    b"1e999",
    b"-1e308",
    b"NaN",
    b"Infinity",
    b"null",
    b"0x7f",
    "²".encode(),
    "٣".encode(),
    b"0000-00-00T00:00:00Z",
    b"9999-12-31T23:59:59.999Z",
    b"[" * 2_000,
    b'{"a":' * 2_000,
    b"(" * 2_000,
    b"<" * 500,
    b'"',
    b"'",
    b"\\",
    b"\r",
    b"\n\n",
    b"\t" * 3_000,
    b" " * 5_000,
    b"%",
    b"../../x",
    b"true",
    b"{}",
    b"[]",
)
"""What takes the place of a part of the file, or is put into it."""

LONG_BYTES = (1_500, 7_000, 64_000)
"""A line that is made long: within what a format looks at of it (8,000 characters of most), at it, and far beyond."""

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_WORD = re.compile(rb"\w+|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A forged file, and the offset before which it is as the real one."""

    content: bytes
    touched: int


Mutation = Callable[[bytes, random.Random], Mutant]


def mutant_of(content: bytes, seed: str) -> Mutant:
    """The real content after one to three mutations."""
    chance = random.Random(seed)
    mutant = Mutant(content, len(content))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        changed = chance.choice(MUTATIONS)(mutant.content, chance)
        mutant = Mutant(changed.content, min(mutant.touched, changed.touched))
    return mutant


def _flip_bytes(content: bytes, chance: random.Random) -> Mutant:
    changed = bytearray(content)
    places = [chance.randrange(len(content)) for _ in range(chance.choice((1, 2, 8)))] if content else []
    for place in places:
        changed[place] = chance.choice((0, 0xFF, 0x7F, changed[place] ^ 1 << chance.randrange(8)))
    return Mutant(bytes(changed), min(places, default=0))


def _cut(content: bytes, chance: random.Random) -> Mutant:
    place = chance.randrange(len(content) + 1)
    return Mutant(content[:place], place)


def _replace(content: bytes, begin: int, end: int, instead: bytes) -> Mutant:
    return Mutant(content[:begin] + instead + content[end:], begin)


def _span(content: bytes, chance: random.Random) -> tuple[int, int]:
    begin = chance.randrange(len(content) + 1)
    return begin, min(len(content), begin + chance.choice((0, 1, 4, 30, 200)))


def _remove(content: bytes, chance: random.Random) -> Mutant:
    return _replace(content, *_span(content, chance), b"")


def _repeat(content: bytes, chance: random.Random) -> Mutant:
    begin, end = _span(content, chance)
    return _replace(content, begin, end, content[begin:end] * chance.choice((2, 3, 30)))


def _forge(content: bytes, chance: random.Random) -> Mutant:
    return _replace(content, *_span(content, chance), chance.choice(FORGED))


def _found(pattern: re.Pattern[bytes]) -> Mutation:
    def forge_found(content: bytes, chance: random.Random) -> Mutant:
        spans = [found.span() for found in pattern.finditer(content)]
        if not spans:
            return _forge(content, chance)
        return _replace(content, *chance.choice(spans), chance.choice(FORGED))

    return forge_found


def _lengthen(content: bytes, chance: random.Random) -> Mutant:
    """One or two pieces of a line, repeated: what an expression could try to split in every way."""
    begin = chance.randrange(len(content) + 1)
    end = min(len(content), begin + chance.choice((1, 1, 2, 3, 8)))
    pieces = [content[begin:end], *chance.choice(((), (b" ",), (b" ", b"y"), (b"y",)))]
    size = chance.choice(LONG_BYTES) // len(pieces)
    instead = b"".join(piece * (size // max(1, len(piece))) for piece in pieces) + chance.choice((b"", b"!", b"\0"))
    return _replace(content, begin, end, instead)


def _move_lines(content: bytes, chance: random.Random) -> Mutant:
    lines = content.split(b"\n")
    one, other = sorted((chance.randrange(len(lines)), chance.randrange(len(lines))))
    lines[one], lines[other] = lines[other], lines[one]
    return Mutant(b"\n".join(lines), sum(len(line) + 1 for line in lines[:one]))


MUTATIONS: tuple[Mutation, ...] = (
    _flip_bytes,
    _cut,
    _remove,
    _repeat,
    _forge,
    _found(_NUMBER),
    _found(_WORD),
    _lengthen,
    _move_lines,
)
