"""Detects the encoding of a text, and whether it is text, from its first bytes and then line by line."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from diagnostics.intake.signatures import binary_kind
from diagnostics.language import say

MOST_CONTROL_RATIO = 0.05
"""Ratio of control bytes in a text, including NUL: random or compressed bytes have 0.105, logs with colours (ESC is not
counted) and a few NULs stay below 0.01. Our choice between.
"""

UTF16_NUL_RATIO = 0.25
"""Minimum ratio of NULs in UTF-16 without a byte order mark: Latin text has 0.5, a log with Chinese messages above
0.3.
"""

UTF16_SAME_SIDE_RATIO = 0.9
"""Ratio of UTF-16's NULs that are on the same side of each pair; a binary file has them on both."""

GB_COMMON_RATIO = 0.7
"""Ratio of pairs in Chinese text with both bytes above 0xA0 (GB 2312, the common characters). In Latin-1 the byte after
an accented letter is nearly always ASCII.
"""

_CONTROL = bytes(sorted(set(range(32)) - set(b"\t\n\r\f\b\x1b") | {0x7F}))
_GB_PAIR = re.compile(rb"[\x81-\xfe][\x30-\xfe]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a text and the length of its byte order mark. `utf-8` represents every 8-bit encoding."""

    codec: str
    mark_bytes: int = 0

    @property
    def is_wide(self) -> bool:
        """Whether code units have several bytes."""
        return self.codec != "utf-8"


@dataclass(frozen=True, slots=True)
class DecodedLine:
    """A line's text, and the codec used instead of UTF-8 (`utf-8`: with replaced bytes)."""

    text: str
    instead: str | None


def encoding_of(head: bytes) -> Encoding:
    """The encoding, from the byte order mark or the positions of NULs."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return Encoding(codec, len(mark))
    nuls = head.count(0)
    if nuls >= 2 and nuls >= UTF16_NUL_RATIO * len(head):
        if head[1::2].count(0) >= UTF16_SAME_SIDE_RATIO * nuls and not head.startswith(b"\0"):
            return Encoding("utf-16-le")
        if head[::2].count(0) >= UTF16_SAME_SIDE_RATIO * nuls and head[1:2] != b"\0":
            return Encoding("utf-16-be")
    return Encoding("utf-8")


def not_text(head: bytes, encoding: Encoding) -> str | None:
    """The reason why the file is not text; None when it is."""
    kind = binary_kind(head)
    if kind:
        return say("not text: {kind}", kind=say(kind))
    if encoding.is_wide:
        text = head[encoding.mark_bytes :].decode(encoding.codec, "replace")
        unreadable = text.count(REPLACEMENT) + text.count("\0")
        is_text = unreadable <= MOST_CONTROL_RATIO * len(text) + 1
        return None if is_text else say("not text: no encoding fits its bytes")
    control = len(head) - len(head.translate(None, _CONTROL))
    if control > MOST_CONTROL_RATIO * len(head):
        share = control * 100 // len(head)
        return say("not text: {share} % of its first bytes are control characters", share=share)
    return None


def head_text(content: bytes, encoding: Encoding) -> str:
    """The beginning of a file as text with original line ends; a character cut at its end is left out."""
    body = content[encoding.mark_bytes :]
    decoder = codecs.getincrementaldecoder(encoding.codec)("replace" if encoding.is_wide else "strict")
    try:
        return decoder.decode(body)
    except UnicodeDecodeError:
        return "\n".join(decoded_line(line).text for line in body.split(b"\n"))


def decoded_line(line: bytes) -> DecodedLine:
    """A line of an 8-bit text as UTF-8, else GB 18030, else Latin-1, which accepts any byte."""
    try:
        return DecodedLine(line.decode("utf-8"), None)
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.start >= len(line) - 3:
            return DecodedLine(line.decode("utf-8", "replace"), "utf-8")
    replaced = line.decode("utf-8", "replace")
    beyond_ascii = len(replaced) - len(replaced.encode("ascii", "ignore"))
    if replaced.count(REPLACEMENT) * 3 <= beyond_ascii:
        return DecodedLine(replaced, "utf-8")
    if _is_chinese(line):
        try:
            return DecodedLine(line.decode("gb18030"), "gb18030")
        except UnicodeDecodeError as error:
            if error.start >= len(line) - 4:
                return DecodedLine(line.decode("gb18030", "replace"), "gb18030")
    return DecodedLine(line.decode("latin-1"), "latin-1")


def _is_chinese(line: bytes) -> bool:
    pairs = _GB_PAIR.findall(line)
    common = sum(pair[0] > 0xA0 and pair[1] > 0xA0 for pair in pairs)
    return bool(pairs) and common >= GB_COMMON_RATIO * len(pairs)
