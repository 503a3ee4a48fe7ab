"""Parses a printed Java stack trace: the outermost exception, its root cause, and the first user frame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from diagnostics.notation.artifact import artifact_behind
from diagnostics.notation.exception_name import BARE, bare_head, is_qualifiable, qualified
from diagnostics.notation.product_frame import frames_as_text
from diagnostics.notation.python_traceback import last_raised, raised_line
from diagnostics.notation.stack_frame import CONNECTORS, frame_name, is_flink, is_user_code

MOST_MESSAGE = 500
MOST_LINES = 5_000
MOST_OWN_FRAMES = 4
"""How many user frames are kept. Our choice: the failed method and its callers."""
MOST_FRAME_LINE = 400
"""Characters of a line whose frame is remembered. Our choice: nearly all are shorter."""
MOST_CAUSES = 12
MOST_CAUSE = 240
"""How many exceptions of a chain are kept, outer and inner ones, and the length of each. Our choice: Flink wraps an
exception five or six times, and the lines together stay below 3,000 characters.
"""

_THROWABLE = re.compile(
    r'(?:: |Exception in thread "[^"]{0,200}" |[\w.-]{1,40} : (?=\S{1,400}(?:Exception|Error)\b)'
    r"|(?:[Ee]xception )?[Ss]tack ?[Tt]race: )?"
    r"((?:[A-Za-z_$][\w$]{0,200}\.){1,30}[A-Za-z_$][\w$]{0,200})"
    r"(?:\((?P<remote>(?:[A-Za-z_$][\w$]{0,200}\.){1,30}[A-Za-z_$][\w$]{0,200})\))?(?:: ?|$)"
)
"""An exception's head line, also as the JVM prints it for a thread, PowerShell for a program and SeaTunnel behind
`Exception StackTrace:`. Hadoop's RemoteException names the server's exception in brackets.
"""
_FRAME = re.compile(r"at [\w$<][^\s(]{0,500}\(|at [\w$<][^\s(]{0,500}\.[^\s(]{1,200}$")
"""A frame, as opposed to message lines such as Jackson's ` at [Source: (byte[])...` or a parser's ` at line 3`."""
MOST_SEARCHED = 2_000
_THROWN_WITHIN = re.compile(r"[ :]((?:[a-z_]\w{0,60}\.){1,12}[A-Z]\w{0,100}(?:Exception|Error))(?=: |$)")
_BARE_WITHIN = re.compile(rf"[ :]({BARE})(?=: |$)")
_BARE_CLASS = re.compile(rf"({BARE})(?:: ?|\n|$)")
_CAUSE_WITHOUT_PACKAGE = re.compile(rf"({BARE})(?:: ?|(?=[(\[])|$| (?=\S))")
"""A cause that prints no package: `KrbException: …`, of Thrift `MetaException(message:…)`, or `XException[…]`."""
_PASSED_ON = re.compile(r"(?:[A-Za-z_$][\w$]{0,200}\.){2,30}[A-Za-z_$][\w$]{0,200}(?:Exception|Error|Throwable)(?::|$)")
_NESTED = re.compile(r"nested exception is:?\s{1,4}")
_ABOUT_A_CLASS = ("java.lang.ClassNotFoundException", "java.io.NotSerializableException")
_WRAPPERS = ("org.apache.flink.util.SerializedThrowable", "org.apache.flink.runtime.util.SerializedThrowable")
_OF_THE_JDK = ("java.", "jdk.", "sun.")
_SHARED_FRAMES = re.compile(r"\.\.\. \d{1,6} (?:more|common frames omitted)\b")
"""What a cause without frames of its own prints below its message. Source: Throwable.printStackTrace, Logback."""
_CAUSED_BY = "Caused by: "
_SUPPRESSED = "Suppressed: "
_PYTHON_ENDED = "Python process exits with code"
"""Flink's message about a Python program that ended; the program printed the reason before."""
_OF_MEMORY = ("Java heap space", "GC overhead limit exceeded", "Metaspace", "Direct buffer memory")
"""Messages that only the JVM gives its OutOfMemoryErrors; a `SerializedThrowable` may keep nothing else of one."""


@dataclass(frozen=True, slots=True)
class StackTrace:
    """A stack trace in the columns that `log_record` and `failure` share; unknown values are None.

    thrown_in   the first frame that is Flink's own or the user's, not the JDK's or a library's; that of a connector for
                which a plain method of the JDK threw
    own_frames  the first user frames, innermost first, one per line
    causes      the whole chain, outermost first, a line per exception: its class and the first line of its message
    frames      the first frames of each exception that are of a product, see notation/product_frame.py
    """

    exception_class: str | None = None
    exception_message: str | None = None
    root_cause_class: str | None = None
    root_cause_message: str | None = None
    root_cause_frame: str | None = None
    user_frame: str | None = None
    thrown_in: str | None = None
    own_frames: str | None = None
    causes: str | None = None
    frames: str | None = None


@dataclass(slots=True)
class _Throwable:
    """An exception of a chain, with its frames as `_frame_in` reads them.

    is_guess  whether only frames below it would show that it is one: its name is of no package that is known
    """

    name: str | None
    message: str
    frames: list[tuple[str, str]] = field(default_factory=list)
    is_guess: bool = False


def stack_trace(lines: Iterable[str]) -> StackTrace | None:
    """The trace that begins with the first line `package.Class: message`; None when no line names an exception.

    An exception without its package begins one where its name or the frames below it say that it is one.

    Suppressed exceptions are left out; `SerializedThrowable`, which only wraps another exception's text, is unwrapped.
    """
    chain: list[_Throwable] = []
    is_within = False
    above: list[str] = []
    for count, line in enumerate(lines):
        if count >= MOST_LINES:
            break
        if _is_open(chain):
            above.append(line)
        is_within = is_within or line.lstrip().startswith(_SUPPRESSED)
        # Indents only tell what belongs to a suppressed exception: a copied trace may be indented as a whole.
        _take(chain, line.rstrip("\r\n") if is_within else line.strip())
    if not chain or (len(chain) == 1 and _is_open(chain)):
        return None
    if _PYTHON_ENDED in chain[-1].message and (raised := last_raised(above[:-1])):
        chain.append(_throwable(raised))
    _unwrap(chain)
    outer, root = chain[0], chain[-1]
    frames = dict.fromkeys(name for throwable in reversed(chain) for name, _ in throwable.frames)
    own = list(islice((frame for frame in frames if is_user_code(frame)), MOST_OWN_FRAMES))
    return StackTrace(
        exception_class=outer.name,
        exception_message=_shortened(outer.message),
        root_cause_class=root.name,
        root_cause_message=_shortened(root.message),
        root_cause_frame=_top_frame(root),
        user_frame=own[0] if own else None,
        thrown_in=_connector_below_jdk(frames) or next((frame for frame in frames if _is_telling(frame)), None),
        own_frames="\n".join(own) or None,
        causes=_chain_text(chain),
        frames=frames_as_text(each.frames for each in reversed(chain)),
    )


def _top_frame(root: _Throwable) -> str | None:
    """The frame that threw; of a memory error the first one that is not the JDK's, which asked for the memory."""
    frames = [name for name, _ in root.frames]
    if (root.name or "").endswith("OutOfMemoryError"):
        asked = (frame for frame in frames if not frame.startswith(_OF_THE_JDK))
        return next(asked, next(iter(frames), None))
    return next(iter(frames), None)


def thrown_at_end(line: str) -> str:
    """A message from the exception on with which it ends; the whole message when it begins with one or has none.

    Frames below a line belong to the exception that the line names, wherever it does.
    """
    if _THROWABLE.match(line):
        return line
    named = _THROWN_WITHIN.search(line[:MOST_SEARCHED]) or _BARE_WITHIN.search(line[:MOST_SEARCHED])
    return line[named.start() + 1 :] if named else line


CHECKS = (
    "org.apache.flink.util.Preconditions.",
    "org.apache.flink.util.ExceptionUtils.",
    "com.google.common.base.Preconditions.",
)
"""Helpers of Flink and Guava that throw for their callers."""


PLAIN_JDK = ("java.lang.", "java.util.", "java.text.", "java.math.", "jdk.internal.util.")
WAITING_JDK = "java.util.concurrent."
"""Packages of the JDK whose methods refuse what their caller hands over, and one that passes on what others threw."""


def _connector_below_jdk(frames: Iterable[str]) -> str | None:
    """The frame of a connector whose call of a plain method of the JDK, or of a helper that checks, threw."""
    is_below = False
    for frame in frames:
        if not frame.startswith((*PLAIN_JDK, *CHECKS)) or frame.startswith(WAITING_JDK):
            return frame if is_below and frame.startswith(CONNECTORS) else None
        is_below = True
    return None


def _is_telling(frame: str) -> bool:
    """Whether a frame says where something was thrown: Flink's or the user's own, and not a helper that checks."""
    return (is_user_code(frame) or is_flink(frame)) and not frame.startswith(CHECKS)


def bare_cause(text: str) -> StackTrace | None:
    """The cause that a copied text names without the package of an exception, or without any exception; of a traceback
    of Python what was thrown.
    """
    lines = (raised_line(text) or text).splitlines()
    said = "\n".join(line.strip() for line in lines if line.strip())[:MOST_MESSAGE]
    if not said:
        return None
    named = _BARE_CLASS.match(said)
    name, message = (qualified(named[1]), said[named.end() :]) if named else (None, said)
    return StackTrace(
        exception_class=name,
        exception_message=_shortened(message),
        root_cause_class=name,
        root_cause_message=_shortened(message),
        causes=said.partition("\n")[0][:MOST_CAUSE],
    )


def _unwrap(chain: list[_Throwable]) -> None:
    """Appends the exception that the last one only passes on: its message begins with another exception's class, or
    nests one as Spring's and Jakarta's exceptions do.

    A Throwable that is made of a cause alone says what the cause says; the cause itself may be cut off. An exception
    about a class names it the same way, also where that class is an exception.
    """
    while len(chain) < MOST_CAUSES and _PASSED_ON.match(passed := _NESTED.split(chain[-1].message)[-1]):
        if chain[-1].name in _ABOUT_A_CLASS:
            return
        inner = _throwable(passed)
        if inner.name is None:
            return
        inner.frames = chain[-1].frames
        chain.append(inner)


def _chain_text(chain: Sequence[_Throwable]) -> str:
    half = MOST_CAUSES // 2
    shown = chain if len(chain) <= MOST_CAUSES else [*chain[:half], *chain[-half:]]
    lines = (": ".join(part for part in (each.name, each.message.partition("\n")[0]) if part) for each in shown)
    return "\n".join(line[:MOST_CAUSE] for line in lines).encode("utf-8", "replace").decode("utf-8")


def _take(chain: list[_Throwable], line: str) -> None:
    frame = _frame_in(line) if len(line) <= MOST_FRAME_LINE else _frame_in.__wrapped__(line)
    if frame is not None:
        if chain and frame[0]:
            chain[-1].frames.append(frame)
        return
    stripped = line.strip()
    if line.startswith(_CAUSED_BY):
        chain.append(_throwable(stripped.removeprefix(_CAUSED_BY)))
    elif _is_open(chain) and _THROWABLE.match(stripped):
        chain[:] = [_throwable(stripped)]
    elif not chain:
        if name := bare_head(stripped):
            chain.append(_throwable(stripped))
            chain[0].is_guess = not is_qualifiable(name)
    elif not chain[-1].frames and chain[-1].message.endswith(":") and _PASSED_ON.match(stripped):
        chain.append(_throwable(stripped))
    elif _SHARED_FRAMES.match(stripped):
        return
    elif not chain[-1].frames and stripped and len(chain[-1].message) < MOST_MESSAGE:
        chain[-1].message = f"{chain[-1].message}\n{stripped}".strip()


def _is_open(chain: Sequence[_Throwable]) -> bool:
    """Whether no exception is known yet: there is none, or one that nothing below shows to be one."""
    return not chain or (len(chain) == 1 and chain[0].is_guess and not chain[0].frames)


@lru_cache(maxsize=16_384)
def _frame_in(line: str) -> tuple[str, str] | None:
    """The frame that a line prints, empty for one of a suppressed exception, and `artifact release` of the JAR behind
    it; None for another line.

    The same frames are printed by every trace of a log.
    """
    stripped = line.strip()
    if not _FRAME.match(stripped):
        return None
    if _is_suppressed(line):
        return "", ""
    return frame_name(stripped[3:]), " ".join(artifact_behind(stripped) or ())


def _is_suppressed(line: str) -> bool:
    return line.startswith(("\t\t", "        \t"))


def _throwable(line: str) -> _Throwable:
    match = _THROWABLE.match(line)
    while match and match.group(1) in _WRAPPERS and _THROWABLE.match(line, match.end()):
        line = line[match.end() :]
        match = _THROWABLE.match(line)
    if not match:
        bare = _CAUSE_WITHOUT_PACKAGE.match(line)
        return _Throwable(bare and qualified(bare[1]), line[bare.end() if bare else 0 :][:MOST_MESSAGE])
    name, message = match["remote"] or match[1], line[match.end() :][:MOST_MESSAGE]
    if name in _WRAPPERS and message.strip() in _OF_MEMORY:
        name = "java.lang.OutOfMemoryError"
    return _Throwable(name, message)


def _shortened(message: str) -> str | None:
    return message[:MOST_MESSAGE].encode("utf-8", "replace").decode("utf-8").strip() or None
