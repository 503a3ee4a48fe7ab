"""Examines the beginning of a file: its format, whether it is text, and its encoding."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from diagnostics.errors import UnreadableInput
from diagnostics.formats import FORMATS, Recognition, recognise
from diagnostics.intake.encoding import Encoding, encoding_of, head_text, not_text
from diagnostics.intake.log_layout import LogLayout
from diagnostics.intake.streams import Peekable
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import HEAD_BYTES, Head

LEAST_HOLE = 16
"""NUL bytes at the beginning that no text encoding has. Our choice: a character has four at most."""


@dataclass(frozen=True, slots=True)
class TextHead:
    """The beginning of a readable file.

    encoding   None for a binary format, whose bytes are not decoded
    has_lines  whether long lines may be shortened: not in a JSON document, which may be one line
    layout     the user-defined layout of its lines; formats then saw them rewritten
    """

    encoding: Encoding | None
    recognition: Recognition
    has_lines: bool
    complete: bool
    bytes: int
    warnings: tuple[str, ...]
    layout: LogLayout | None = None


def read_head(name: str, stream: Peekable, layouts: Sequence[LogLayout] = ()) -> TextHead:
    """Examine the beginning of a stream. Raises UnreadableInput when it is empty, or neither text nor a known
    format.
    """
    hole = _skip_hole(stream)
    ahead = stream.head(HEAD_BYTES + 1)
    content = ahead[:HEAD_BYTES]
    if not content:
        raise UnreadableInput(say("not text: nothing but NUL bytes") if hole else say("empty"))
    encoding = encoding_of(content)
    reason = not_text(content, encoding)
    if reason:
        head = Head(name, content, "", complete=len(ahead) <= HEAD_BYTES)
        recognition, warnings = _recognised(head, binary=True)
        if recognition.format_id is None:
            raise UnreadableInput(reason)
        return TextHead(None, recognition, False, head.complete, len(content), warnings)
    text = head_text(content, encoding)
    # A wide encoding is stored as UTF-8, so formats get it in UTF-8 here too.
    head = Head(name, text.encode() if encoding.is_wide else content, text, complete=len(ahead) <= HEAD_BYTES)
    layout = next((each for each in layouts if each.fits(head.content)), None)
    if layout is not None:
        rewritten = layout.rewritten(head.content)
        head = replace(head, content=rewritten, text=rewritten.decode("utf-8", "replace"))
        text = head.text
    recognition, warnings = _recognised(head)
    if hole:
        warnings += (
            say(
                "begins with {hole:,} NUL bytes, as a log does that was emptied while written: they are left out",
                hole=hole,
            ),
        )
    starts_as_json = text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
    known = FORMATS.get(recognition.format_id or "")
    if starts_as_json and known is None and head.complete:
        warnings += _json_faults(text)
    return TextHead(
        encoding=encoding,
        recognition=recognition,
        has_lines=not starts_as_json or (known is not None and known.splittable),
        complete=head.complete,
        bytes=len(content),
        warnings=warnings,
        layout=layout,
    )


def _skip_hole(stream: Peekable) -> int:
    """Skip leading NUL bytes when they are too many for a character; gives their number.

    A process that continues to write after `logrotate` truncated its log (copytruncate) leaves such a hole.
    """
    skipped = 0
    ahead = stream.head(HEAD_BYTES)
    if ahead.startswith(bytes(LEAST_HOLE)):
        while nuls := len(ahead) - len(ahead.lstrip(b"\0")):
            stream.skip(nuls)
            skipped += nuls
            ahead = stream.head(HEAD_BYTES)
    return skipped


def _json_faults(text: str) -> tuple[str, ...]:
    """JSON errors of a text that begins like JSON; empty when it is valid, or lines of JSON."""
    try:
        json.loads(text)
    except RecursionError:
        return (say("JSON that is nested too deeply"),)
    except json.JSONDecodeError as error:
        return (
            ()
            if error.msg == "Extra data"
            else (say("not valid JSON: {reason}, line {line}", reason=error.msg, line=error.lineno),)
        )
    except ValueError:  # Python's own words name a setting of Python
        most = sys.get_int_max_str_digits()
        return (say("JSON with a number that is no number of any use: it has more than {most:,} digits", most=most),)
    return ()


def _recognised(head: Head, *, binary: bool = False) -> tuple[Recognition, tuple[str, ...]]:
    """The recognised format. A format that fails on a file must not affect other files; the file then reports the
    error.
    """
    try:
        return recognise(head, binary=binary), ()
    except Exception as error:
        reason = say("its format could not be recognised: {name}: {error}", name=type(error).__name__, error=error)[
            :300
        ]
        return Recognition(None, to_say("Not recognised: kept as an attachment"), 0.0), (reason,)
