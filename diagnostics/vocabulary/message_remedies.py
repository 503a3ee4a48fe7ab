"""What repairs a failure that is known by its message, beside the general steps of its cause.

One YAML file for each part of the world in `diagnostics/vocabulary/message_remedies`; an entry has

texts   parts of messages of the chain of exceptions
beside  parts of messages; where an entry has some, one of them must be there too, beside one of `texts`
thrown  frames and texts: parts of messages that show it only where one of the frames threw the innermost exception
remedy  what to do, in sentences that need no further context
named   `pattern`, an expression whose named groups take values out of the chain, and the `remedy` with these in their
        places, which counts where the expression fits; a group whose name ends in `java` takes the version of a class
        file and is shown as the release of Java
parts   `of`, a message that `MESSAGES` reads in its parts, and `acts`: for each case that these decide, the `remedy`
        with their values in its places
shows   where such a failure comes from, if no other catalogue knows it: an id of `fault_origins.yaml`, or `setting`
system  the outside system, beside `shows: outside_system`
gives_way  entries that name the cause of this one: where another record of the case shows one of them, that one counts
two_copies  true: a cast shows it only where both classes are copies of one
innermost   true: one of `texts` shows it only where no exception follows in the chain, so that its cause is not there
asks_for_cause  true: the act is to add the cause; it gives way where the same message says how an outside system failed

The files in the order of their names, the first entry that fits counts. Settings with a remedy of their own are in
`setting_faults.yaml`. What an entry shows gives way to `setting_faults.yaml` and to the origins that stand before
`by_message` in `fault_origins.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from diagnostics.language import Text
from diagnostics.notation.class_cast import class_cast
from diagnostics.notation.constant_text import EntryTexts
from diagnostics.notation.hdfs_refusal import hdfs_refusal
from diagnostics.notation.kubernetes_refusal import kubernetes_refusal
from diagnostics.notation.refused_changes import act_on_refused_changes
from diagnostics.vocabulary.outside_refusals import likely_refusal, refusal_of
from diagnostics.yaml_document import read_yaml, with_translations

FOLDER = Path(__file__).parent / "message_remedies"
GENERAL = "wrappers"
"""The file of the entries that say which part failed and not why; the last one, so that all others go before them."""
SETTING = "setting"
"""What an entry shows that blames a setting."""
STATEMENT = "statement"
"""What an entry shows that blames a statement of SQL, such as a SELECT from a connector that only writes."""
OF_A_CLASS_FILE = "java"
"""How the names of groups end that take the version of a class file."""
CLASS_FILES_BEFORE_JAVA = 44
"""Version of a class file less the release of Java: 52 is Java 8. Source: Java Virtual Machine Specification, 4.1."""
MESSAGES: Mapping[str, Callable[[str], tuple[str, dict[str, str]] | None]] = {
    "HDFS refuses a user": hdfs_refusal,
    "Kubernetes refuses an account": kubernetes_refusal,
    "a table refuses changes": act_on_refused_changes,
}
"""Messages whose parts decide what to do -> what reads them: the case, and the values; None for another text."""
_THROWN = re.compile(r"\n[^\n]{0,200}(?:Exception|Error)\b")
"""A further exception of a chain, whose lines each begin with a class."""
REMEMBERED = 4_096
"""Exception chains whose answer is kept. Our choice: twice as many as a case keeps of a kind; several signals ask."""


@dataclass(frozen=True, slots=True)
class MessageRemedy:
    """One entry: the parts of messages that show it, what to do, and where it comes from if the entry says so.

    frames, thrown_texts  beginnings of frames, and the parts of messages that show it only in one of them
    is_general            whether it says only which part failed
    beside  parts of messages; one of them must be in the chain, too; none where the texts suffice
    gives_way             ids of entries that name its cause, where other records show them
    values, remedy_with   the expression that takes values out of the chain, and what to do with them in their places
    parts, acts           the message that is read in its parts, and what to do in each case, with their values
    """

    id: str
    texts: tuple[str, ...]
    remedy: str
    shows: str | None = None
    system: str | None = None
    frames: tuple[str, ...] = ()
    thrown_texts: tuple[str, ...] = ()
    is_general: bool = False
    beside: tuple[str, ...] = ()
    gives_way: tuple[str, ...] = ()
    two_copies: bool = False
    innermost: bool = False
    asks_for_cause: bool = False
    values: re.Pattern[str] | None = None
    remedy_with: str | None = None
    parts: str | None = None
    acts: Mapping[str, str] = field(default_factory=dict)

    @property
    def forms(self) -> tuple[str, ...]:
        """What to do, with names in the places of values."""
        return (*([self.remedy_with] if self.remedy_with else []), *self.acts.values())

    def remedy_for(self, text: str) -> str:
        """What to do, with the values of the chain where it has them."""
        if self.parts is not None and (read := MESSAGES[self.parts](text)) is not None:
            case, of_message = read
            return with_values(self.acts[case], of_message)
        found = self.values.search(text) if self.values else None
        if found is None or self.remedy_with is None:
            return self.remedy
        values = {name: _shown(name, value or "") for name, value in found.groupdict().items()}
        return with_values(self.remedy_with, values)

    def fits_beside(self, text: str) -> bool:
        """Whether the chain has what the entry wants beside its texts, and nothing that it excludes."""
        if self.beside and not any(each in text for each in self.beside):
            return False
        if self.innermost and all(_THROWN.search(text, text.rindex(each)) for each in self.texts if each in text):
            return False
        if self.asks_for_cause and _says_how_it_was_refused(text):
            return False
        cast = class_cast(text) if self.two_copies else None
        return cast is None or cast.source == cast.target or cast.relocated is not None


def _says_how_it_was_refused(text: str) -> bool:
    """Whether the words of a chain, and not only the classes of a client, show how an outside system failed."""
    refusal = refusal_of(text)
    return (refusal is not None and not refusal.by_class) or likely_refusal(text) is not None


@cache
def message_remedies() -> tuple[MessageRemedy, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when a file is invalid."""
    return tuple(
        MessageRemedy(
            name,
            tuple(entry["texts"]),
            with_translations(entry["remedy"].strip(), entry, "remedy"),
            entry.get("shows"),
            entry.get("system"),
            frames=tuple(entry.get("thrown", {}).get("frames", ())),
            thrown_texts=tuple(entry.get("thrown", {}).get("texts", ())),
            is_general=path.stem == GENERAL or entry.get("innermost") is True,
            beside=tuple(entry.get("beside", ())),
            gives_way=tuple(entry.get("gives_way", ())),
            two_copies=entry.get("two_copies") is True,
            innermost=entry.get("innermost") is True,
            asks_for_cause=entry.get("asks_for_cause") is True,
            values=re.compile(entry["named"]["pattern"]) if "named" in entry else None,
            remedy_with=_remedy_with(entry),
            parts=entry["parts"]["of"] if "parts" in entry else None,
            acts=_acts(entry["parts"]["acts"]) if "parts" in entry else {},
        )
        for path in sorted(FOLDER.glob("*.yaml"))
        for name, entry in _entries(path).items()
    )


def _remedy_with(entry: Mapping[str, Any]) -> str | None:
    named = entry.get("named")
    return with_translations(named["remedy"].strip(), named, "remedy") if named else None


def _acts(acts: Mapping[str, Any]) -> Mapping[str, str]:
    return {case: with_translations(act["remedy"].strip(), act, "remedy") for case, act in acts.items()}


def with_values(form: str, values: Mapping[str, str]) -> Text:
    """A form with values in their places, in every language that it has."""
    translations = form.translations if isinstance(form, Text) else {}
    return Text(
        str(form).format(**values), {language: each.format(**values) for language, each in translations.items()}
    )


def _shown(name: str, value: str) -> str:
    return str(int(value) - CLASS_FILES_BEFORE_JAVA) if name.endswith(OF_A_CLASS_FILE) else value


def _entries(path: Path) -> dict[str, Any]:
    content: Any = read_yaml(path.read_text("utf-8"), path.name).content
    return dict(content)


@cache
def searched_texts() -> EntryTexts:
    """The texts of all entries that show them wherever they are thrown."""
    return EntryTexts(entry.texts for entry in message_remedies())


@cache
def _thrown_texts() -> EntryTexts:
    return EntryTexts(entry.thrown_texts for entry in message_remedies())


@lru_cache(maxsize=REMEMBERED)
def known_message(text: str, frames: tuple[str, ...] = ()) -> MessageRemedy | None:
    """The first entry that shows itself in the text of an exception chain; None without one.

    frames  those that threw the innermost exception, where they are known
    """
    known, thrown = message_remedies(), _thrown_texts().entries_in(text) if frames else frozenset()
    entries = {
        *searched_texts().entries_in(text),
        *(place for place in thrown if any(frame.startswith(known[place].frames) for frame in frames)),
    }
    return next((known[place] for place in sorted(entries) if known[place].fits_beside(text)), None)


def remedy_of(text: str, frames: Sequence[str] = ()) -> str | None:
    """What repairs a failure with this exception chain, see `known_message`; None where no entry knows it."""
    known = known_message(text, tuple(frames))
    return known.remedy_for(text) if known else None


def shown_by_message(text: str, frames: Sequence[str] = ()) -> str | None:
    """Where the entry that knows an exception chain says that it comes from: an id of an origin, or SETTING."""
    known = known_message(text, tuple(frames))
    return known.shows if known else None
