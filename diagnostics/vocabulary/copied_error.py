"""Whether a copied text without any layout names a cause: what a person pastes of a shell, a client or a message."""

from __future__ import annotations

import re
from functools import cache

from diagnostics.notation.constant_text import EntryTexts
from diagnostics.vocabulary.fault_origins import origins
from diagnostics.vocabulary.incident_kinds import KINDS
from diagnostics.vocabulary.known_bug import bugs_that_fit
from diagnostics.vocabulary.message_remedies import message_remedies
from diagnostics.vocabulary.outside_refusals import telling_texts
from diagnostics.vocabulary.setting_faults import setting_faults

LEAST_CHARACTERS = 12
"""Shorter texts of the catalogues are in too many other files to name a cause alone. Our choice."""
TOLD_CHARACTERS = 20
"""Shorter texts of known messages are in what programs print in passing, too. Our choice."""
ANSWER_CHARACTERS = 16
"""Shorter answers of outside systems are parts of other messages, too. Our choice."""
SAYS_REFUSAL = re.compile(
    r"(?i)\b(?:exceed|denied|refuse|fail|expired|too many|reduce your|deadlock|not allowed|no permission|unauthorized"
    r"|insufficient|unavailable|read-?only|in safe ?mode|too old|restarting transaction|no space left)"
)
"""Words by which an answer of a system is a refusal wherever it stands. Our choice, from the texts of the catalogue."""
AROUND_CHARACTERS = 60
"""Characters kept before and behind a known text in the rest of a message. Our choice: the name of a table or key."""
THROWN = ("Exception", "Error")
INFORMED_TEXTS = (
    "down with application status FAILED. Diagnostics",
    "Deployment took more than 60 seconds",
    "Diagnostics from YARN: Application ",
    "Exception in createBlockOutputStream",
    "RECEIVED SIGNAL 1: SIGHUP",
    "for non-local recipient [Actor[",
    "is above the allowed limit for scaling operations",
    "because of state ttl. This will result in incorrect result",
)
"""Failures that are reported without the level of an error: why a cluster ends, that no container is granted, why
YARN ended the application, that a block of HDFS cannot be written, that the session which started a process has ended,
that a message came for an address which the process does not have, that the operator's autoscaler scales no more, and
that results are wrong because state has ended. Source: ClusterEntrypoint, YarnClusterDescriptor, SignalHandler and
RetractableTopNFunction of Flink 1.5 to 2.0, DataStreamer of Hadoop 2 and 3, EndpointWriter of Akka 2, ScalingExecutor
of the operator 1.15.
"""
ERROR_LINE = re.compile(
    r"\s{0,8}(?:\[(?:ERROR|FATAL)\]|(?:ERROR|FATAL|Error|error):|Exception in thread \"[^\"]{1,80}\")\s{0,8}\S.{9}"
)
"""A line that a program prints of an error, without any time: `ERROR: …`, `[ERROR] …`, `error: …`."""
LOGGED_LINE = re.compile(
    r"\s{0,8}\[?(?:ERROR|FATAL)\s{0,2}\]?\s{1,8}\[?(?:[a-z]\w{0,30}\.){1,10}[A-Z][\w$]{1,80}\]?\s{0,4}(?::|-)?\s{1,8}\S.{5}"
)
"""A record of a log without its time: `ERROR o.a.f.k.o.o.JobStatusObserver …`; what is thrown stands below it."""
KINDS_OF_CAUSES = ("oom", "killed", "no_resource", "buffers", "exclusive_buffers", "managed_refused", "frame_size")
"""Kinds of events that say by themselves what is wrong."""


def _is_said(text: str) -> bool:
    """Whether a text is words or an exception; packages and options are in configuration files, too."""
    return len(text) >= LEAST_CHARACTERS and (" " in text or text.endswith(THROWN))


@cache
def _texts() -> EntryTexts:
    of_origins = [text for each in origins() for text in each.in_chain]
    of_settings = [text for each in setting_faults() for text in each.texts]
    of_kinds = [text for kind in KINDS_OF_CAUSES for text in KINDS[kind].texts]
    said = (text for text in (*of_origins, *of_settings) if _is_said(text))
    return EntryTexts([(*of_kinds, *said, *telling_messages(), *INFORMED_TEXTS)])


@cache
def telling_messages() -> tuple[str, ...]:
    """Texts of messages whose repair is known and that say so in several words, without the general ones."""
    known = (text for each in message_remedies() if not each.is_general for text in each.texts)
    return tuple(text for text in known if len(text) >= TOLD_CHARACTERS and " " in text)


@cache
def answers_of_systems() -> tuple[str, ...]:
    """Texts in which an outside system says by itself why it refuses, long enough and in several words.

    Others show a refusal in an exception only: `initialize instant` is in each success of Hudi, too.
    """
    long = (each for each in telling_texts() if len(each) >= ANSWER_CHARACTERS and " " in each)
    return tuple(each for each in long if SAYS_REFUSAL.search(each))


@cache
def known_statements() -> tuple[str, ...]:
    """Texts that say by themselves what is wrong, whatever reports them: `telling_messages` and answers of systems."""
    return tuple(dict.fromkeys((*telling_messages(), *answers_of_systems())))


def shortened_to_known(text: str, characters: int) -> str:
    """The beginning of a message; a known text further back follows it: some print an event or a row before what ails.

    characters  of the beginning
    """
    if len(text) <= characters or _telling_texts().entries_in(text[:characters]):
        return text[:characters]
    known = [telling_messages()[place] for place in _telling_texts().entries_in(text)]
    if not known:
        return text[:characters]
    first = min(known, key=text.index)
    begin = max(text.index(first) - AROUND_CHARACTERS, characters)
    return f"{text[:characters]} … {text[begin : text.index(first) + len(first) + AROUND_CHARACTERS].strip()}"


@cache
def _telling_texts() -> EntryTexts:
    return EntryTexts([text] for text in telling_messages())


def names_cause(text: str) -> bool:
    """Whether a text of a setting fault, an origin, a known message or bug, or a telling kind of event is in it."""
    return bool(_texts().entries_in(text) or bugs_that_fit(text, ()))


def is_error_line(line: str) -> bool:
    """Whether a line says by its first word that it is an error, whatever the error is."""
    return ERROR_LINE.match(line) is not None or is_logged(line)


def is_logged(line: str) -> bool:
    """Whether a line is a record of an error, with its logger and without its time."""
    return LOGGED_LINE.match(line) is not None
