"""Replaces values by pseudonyms in text that is read in pieces; the number of lines is unchanged, so citations stay
valid.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from diagnostics.redaction.rule import RedactionRule, is_harmless

MOST_EXAMPLES = 3
CONTEXT_BYTES = 60
OVERLAP_BYTES = 32_768
"""Bytes at the end of a piece, within a line or a private key, that wait for the next piece: longer than any value."""


@dataclass(slots=True)
class Replacement:
    """The replacements of one rule.

    examples  (text before, value, text after, pseudonym) of distinct values, shortened
    """

    count: int = 0
    examples: list[tuple[str, str, str, str]] = field(default_factory=list)


class Redactor:
    """Applies rules in sequence.

    key   its holder can compute which pseudonyms replace the same value; nobody can recover the value
    """

    def __init__(self, rules: Sequence[RedactionRule], key: bytes) -> None:
        self._rules = [(rule, rule.expression()) for rule in rules]
        self._key = key
        self.replacements: dict[str, Replacement] = {}

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The text with every value replaced, including values across two pieces."""
        waiting = b""
        for piece in pieces:
            waiting += piece
            if len(waiting) > 2 * OVERLAP_BYTES:
                cut = self._cut(waiting)
                yield self.text(waiting[:cut])
                waiting = waiting[cut:]
        yield self.text(waiting)

    def text(self, text: bytes) -> bytes:
        """The text with every value replaced."""
        for rule, expression in self._rules:
            parts, place = [], 0
            for match in expression.finditer(text):
                begin, end = match.span(1)
                value = text[begin:end]
                if begin < place or is_harmless(value):
                    continue
                pseudonym = self.pseudonym(rule, value)
                self._note(rule, text, begin, end, pseudonym)
                parts += [text[place:begin], pseudonym + b"\n" * value.count(b"\n")]
                place = end
            text = b"".join([*parts, text[place:]]) if parts else text
        return text

    def pseudonym(self, rule: RedactionRule, value: bytes) -> bytes:
        """The pseudonym of a value, the same in every file of every case."""
        digest = hmac.digest(self._key, f"{rule.shape}:".encode() + value.lower(), hashlib.sha256)
        return _SHAPED[rule.shape](rule, digest)

    def _cut(self, text: bytes) -> int:
        """End of the text that can be processed: at a line's end outside a private key, else at a separator between
        values.
        """
        certain = len(text) - OVERLAP_BYTES
        for end in (b"\n", b",", b" "):
            cut = text.rfind(end, 0, certain) + 1
            opened = text.rfind(b"PRIVATE KEY-----", 0, cut)
            begun = text.rfind(b"-----BEGIN ", 0, opened + 1)
            if opened >= 0 and begun >= 0 and opened - begun < 60 and text.find(b"-----END", opened, cut) < 0:
                cut = begun
            if cut > 0:
                return cut
        return certain

    def _note(self, rule: RedactionRule, text: bytes, begin: int, end: int, pseudonym: bytes) -> None:
        replacement = self.replacements.setdefault(rule.id, Replacement())
        replacement.count += 1
        if len(replacement.examples) < MOST_EXAMPLES and all(
            pseudonym.decode() != each[3] for each in replacement.examples
        ):
            before = text[max(text.rfind(b"\n", 0, begin) + 1, begin - CONTEXT_BYTES) : begin]
            after = text[end : end + CONTEXT_BYTES].partition(b"\n")[0]
            value = text[begin:end][:CONTEXT_BYTES]
            parts = [each.decode("utf-8", "replace") for each in (before, value, after, pseudonym)]
            replacement.examples.append((parts[0], parts[1], parts[2], parts[3]))


def _word(rule: RedactionRule, digest: bytes) -> bytes:
    return f"REDACTED-{rule.id}-{digest.hex()[:8]}".encode()


def _mail(_rule: RedactionRule, digest: bytes) -> bytes:
    return f"person-{digest.hex()[:8]}@redacted.invalid".encode()


def _address(_rule: RedactionRule, digest: bytes) -> bytes:
    """In 240.0.0.0/4, which no network uses (RFC 1112)."""
    return b"%d.%d.%d.%d" % (240 + digest[0] % 15, digest[1], digest[2], digest[3])


def _host(_rule: RedactionRule, digest: bytes) -> bytes:
    return f"host-{digest.hex()[:8]}.invalid".encode()


_SHAPED = {"word": _word, "e-mail": _mail, "address": _address, "host": _host}
