"""Stack traces that what stands between a process and the file has changed; the number of lines is unchanged.

A tracker or a chat joins the lines of a trace to one; a program that starts Flink's client prints a head of its own
before each of its lines. Both become what Java prints, with LINE_BREAK between lines that are one line of the file.
"""

from __future__ import annotations

import re

from diagnostics.log_scan.json_lines import LINE_BREAK
from diagnostics.log_scan.line_begins import lines_that_begin
from diagnostics.notation.constant_text import ConstantTexts

_FRAME = rb"at (?:[\w$.-]{1,60}/)?(?:[\w$]{1,200}\.){1,30}[\w$<>]{1,200}\([^()\n]{1,200}\)"
_FOLDED = re.compile(rb"(?m)^.*[)\]] " + _FRAME + rb".*$")
"""A line with a frame behind another one, or behind the jar of another one."""
_FOLDS = re.compile(rb"[ \t]{1,8}(?=" + _FRAME + rb"|\.\.\. \d{1,4} (?:more|common frames))|[ \t]{1,8}(?=Caused by: )")
_SUSPECTS = ConstantTexts((b") at ", b"] at "))

HEADED = re.compile(
    rb"(?m)^\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d[.,\d]{0,10}Z?\]? {1,4}"
    rb"(?:\[?(?:INFO|WARN|ERROR|DEBUG) {0,2}\]? {1,4})?(?:- )?"
    rb"[ \t]{0,8}(?=(?P<frame>at [\w$.-]{1,300}[\w$<>/.]{1,300}\(|\.\.\. \d{1,4} (?:more|common frames))|Caused by: )"
)
"""The head of a line that goes on with a trace, which a layout only prints before records."""

LEAST_HEADED = 2
"""Lines of a trace with a head in a file's beginning for the heads to be removed. Our choice: one may be a message."""


def has_headed_traces(head: bytes) -> bool:
    """Whether the first lines show that each line of a trace has a head of its own."""
    return b"at " in head and lines_that_begin(HEADED, head) >= LEAST_HEADED


def without_heads(text: bytes) -> bytes:
    """The text with traces as Java prints them: frames are indented, causes are not."""
    return HEADED.sub(lambda found: b"\t" if found["frame"] else b"", text)


def unfolded(text: bytes) -> bytes:
    """The text with each trace of one line as the lines that Java prints."""
    if not len(_SUSPECTS.find(text)[0]):
        return text
    return _FOLDED.sub(lambda found: _FOLDS.sub(_broken, found[0]), text)


def _broken(found: re.Match[bytes]) -> bytes:
    return LINE_BREAK if found.string[found.end() :].startswith(b"Caused") else LINE_BREAK + b"\t"
