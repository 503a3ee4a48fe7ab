"""Which artifact a class belongs to, where it has to be, and which release of it is made for which Flink.

The YAML files of `diagnostics/vocabulary/class_owners` have, by the name of an artifact or library,

what_zh   its name in Chinese, where it is no artifact's
classes   beginnings of its classes; the longest that fits a class counts
releases  Flink's version -> the release that is made for it
former    beginnings of classes of older releases -> the first release without them
of_flink  true: its release is that of Flink
inside    the owner whose JAR has its classes inside, so that the releases of that one count
includes  the pattern with which Maven shows who brings it (dependency:tree -Dincludes)
advice    where it has to be, and in which release
absent    what to do where the class is on no class path at all, if the advice is about two releases that meet
of_missing  true: its name and advice are about a class that is missing, and hold for none that is there twice
until     the first version of Flink without its classes, and the `advice` where an older one runs
always_there  true: every installation has it, so a class of it is missing because its caller is for another Flink
lacks_jar  true: a missing class means that the process runs without its jar, not that the caller is for another Flink
passes_on  true: its frames call what others hand it, so none of them is the caller
beside    another owner's name -> what repairs a call from here to a class of that one, where it is neither's advice
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

FOLDER = Path(__file__).parent / "class_owners"

_CLASS = r"(?:[a-z_$][\w$-]{0,60}[./]){1,12}[A-Z_$][\w$]{0,100}"
_OF_METHOD = re.compile(rf"({_CLASS})\.[\w$<>]{{1,100}}[(:]")
_ANY = re.compile(rf"(?<![\w./])({_CLASS})")
_OF_LINKAGE = re.compile(
    r"(?:different type with name|wants to load (?:class|interface|abstract class)|class definition for(?: name:)?"
    r"|different Class objects for(?: the type)?|different Class object for the type) ?\"?(" + _CLASS + ")"
)
"""The class that two loaders have, in a LinkageError of the JVM (SystemDictionary and LinkResolver of Java 8 to 21)."""
_OF_VERIFIER = re.compile(rf"Type '({_CLASS})' \([^)]*\) is not assignable to ")
"""The class of another release, in a VerifyError: it no longer extends what its caller was compiled with."""
_LOADER = re.compile(r"(?:Class)?Loader(?:s\$\w+)?$")
MISSING_METHOD = ("NoSuchMethodError", "AbstractMethodError")
"""Errors whose message names a method, whose class counts and not the types beside it."""
FORMATS = ("org.apache.flink.formats.", "org.apache.flink.orc.")
"""Beginnings of the classes of Flink that have jars of their own, beside flink-dist."""
OF_THE_JDK = ("java.", "jdk.", "sun.")
MISSING_CLASS = ("ClassNotFoundException", "NoClassDefFoundError")
"""Errors that a class loader throws, so that their top frame is not the caller."""
OF_CONFLICTS = (
    *MISSING_CLASS,
    *MISSING_METHOD,
    "NoSuchFieldError",
    "IncompatibleClassChangeError",
    "IllegalAccessError",
    "VerifyError",
    "LinkageError",
    "InvalidClassException",
)
"""Errors of a class that is missing or of another release than its caller was compiled with."""
TWO_LOADERS = ("loader constraint violation", "wants to load")
"""Texts of a LinkageError that name two class loaders which have one class."""
BOTH_LOADERS = ("is in unnamed module of loader org.apache.flink.util.", "is in unnamed module of loader 'app'")
"""Texts of a cast that stand together where the job's class loader has one class and that of lib/ has the other."""
NOT_INITIALIZED = "Could not initialize class"
"""Message of a NoClassDefFoundError of a class that is there and failed before."""


@dataclass(frozen=True, slots=True)
class ClassOwner:
    """One entry."""

    what: str
    classes: tuple[str, ...]
    advice: str
    releases: Mapping[str, str] = field(default_factory=dict)
    of_flink: bool = False
    includes: str | None = None
    of_missing: bool = False
    absent: str | None = None
    beside: Mapping[str, str] = field(default_factory=dict)
    until: tuple[int, int] | None = None
    advice_until: str | None = None
    always_there: bool = False
    lacks_jar: bool = False
    passes_on: bool = False
    inside: str | None = None
    former: Mapping[str, str] = field(default_factory=dict)

    @property
    def artifact(self) -> str:
        """The name of its artifact, the first that Maven shows of it; its own name where several fit."""
        first = (self.includes or "").partition(",")[0].rpartition(":")[2]
        return self.what if not first or "*" in first else first

    def advice_on(self, exception: str, flink: tuple[int, ...] | None = None) -> str:
        """What to do about an error of loading one of its classes: the class is not there, or in another release.

        flink  the version that runs, where it is known
        """
        is_missing = exception.rpartition(".")[2] in MISSING_CLASS
        if is_missing and self.advice_until and self.until and flink and flink[:2] < self.until:
            return self.advice_until
        return self.absent if self.absent and is_missing else self.advice

    def release_for(self, line: str) -> str | None:
        """The artifact with its release for Flink `1.18`; None where none is known."""
        release = self.releases.get(line)
        if release is None:
            return None
        return f"{self.what} {release}" if release[0].isdigit() else release

    def renamed_in(self, name: str) -> str | None:
        """The first release without this class or frame, whose package was renamed; None for a package of today."""
        return next((release for former, release in self.former.items() if name.startswith(former)), None)

    def advice_beside(self, called: ClassOwner | None) -> str | None:
        """What repairs a call from here to a class of that owner; None where nothing particular is known."""
        return self.beside.get(called.what) if called else None


@cache
def class_owners() -> tuple[ClassOwner, ...]:
    """The catalogue. Raises InvalidRule naming the line when a file is invalid."""
    owners = tuple(_owners())
    named = {each.what: each for each in owners}
    return tuple(replace(each, releases=_printed(named[each.inside])) if each.inside else each for each in owners)


def _printed(owner: ClassOwner) -> dict[str, str]:
    """The releases of an owner with its name, as they are printed for what is inside its JAR."""
    return {line: release for line in owner.releases if (release := owner.release_for(line))}


def _owners() -> Iterator[ClassOwner]:
    return (
        ClassOwner(
            what=with_translations(what, entry, "what"),
            classes=tuple(entry["classes"]),
            advice=with_translations(entry["advice"].strip(), entry, "advice"),
            releases=dict(entry.get("releases", {})),
            of_flink=entry.get("of_flink") is True,
            includes=entry.get("includes"),
            of_missing=entry.get("of_missing") is True,
            absent=with_translations(entry["absent"].strip(), entry, "absent") if "absent" in entry else None,
            beside={
                other: with_translations(pair["advice"].strip(), pair, "advice")
                for other, pair in entry.get("beside", {}).items()
            },
            until=_version(entry["until"]["version"]) if "until" in entry else None,
            advice_until=with_translations(entry["until"]["advice"].strip(), entry["until"], "advice")
            if "until" in entry
            else None,
            always_there=entry.get("always_there") is True,
            lacks_jar=entry.get("lacks_jar") is True,
            passes_on=entry.get("passes_on") is True,
            inside=entry.get("inside"),
            former=dict(entry.get("former", {})),
        )
        for path in sorted(FOLDER.glob("*.yaml"))
        for what, entry in _entries(path).items()
    )


def _entries(path: Path) -> dict[str, Any]:
    content: Any = read_yaml(path.read_text("utf-8"), path.name).content
    return dict(content)


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def owner_of(name: str | None) -> ClassOwner | None:
    """Whose class, or frame of a method, it is; None for a class of the job, or of a library that is not known."""
    fitting = [
        (len(prefix), owner) for owner in class_owners() for prefix in owner.classes if (name or "").startswith(prefix)
    ]
    return max(fitting, key=lambda each: each[0])[1] if fitting else None


def is_conflict(exception: str, message: str) -> bool:
    """Whether an error says that a class is missing or in another release, so that its artifact repairs it."""
    return exception.rpartition(".")[2] in OF_CONFLICTS and NOT_INITIALIZED not in message


def class_named(exception: str, message: str) -> str | None:
    """The class that an error of class loading is about: the one with the missing method, else the first one named."""
    simple = exception.rpartition(".")[2]
    found = _OF_METHOD.search(message) if simple in MISSING_METHOD else _OF_LINKAGE.search(message)
    found = found or (_OF_VERIFIER.search(message) if simple == "VerifyError" else None)
    if found:
        return found[1].replace("/", ".")
    named = [each[1].replace("/", ".") for each in _ANY.finditer(message)]
    foreign = next((each for each in named if not each.startswith(OF_THE_JDK) and not _LOADER.search(each)), None)
    return foreign or (named[0] if named and simple in MISSING_CLASS else None)


def names_two_loaders(message: str) -> bool:
    """Whether an error says that the class loader of the job and that of lib/ both have the class."""
    return any(text in message for text in TWO_LOADERS) or all(text in message for text in BOTH_LOADERS)


def package_of(name: str) -> str:
    """At most three parts of the package of a class, as a pattern of class loading takes it: `org.apache.kafka`."""
    return ".".join(name.split(".")[:-1][:3])


def release_met(exception: str, frame: str | None) -> ClassOwner | None:
    """The part of Flink that does not find a field of another part; None unless it is Flink's own frame.

    A NoSuchFieldError names the field and not its class.
    """
    owner = owner_of(frame) if exception.endswith(".NoSuchFieldError") else None
    return owner if owner and owner.of_flink else None


def asks_another_flink(exception: str, name: str | None) -> bool:
    """Whether code was compiled for another release of Flink: a class of Flink is there without what it asks for.

    A format has a jar of its own, which is itself of another release.
    """
    owner, simple = owner_of(name), exception.rpartition(".")[2]
    is_there = simple in OF_CONFLICTS and simple not in (*MISSING_CLASS, "LinkageError", "InvalidClassException")
    is_core = (name or "").startswith("org.apache.flink.") and not (name or "").startswith(FORMATS)
    return is_there and owner is not None and (owner.of_flink or owner.until is not None) and is_core


def caller_of(frames: Sequence[str]) -> tuple[ClassOwner, str] | None:
    """The connector or library that called what is missing, and its frame; None where Flink itself or the job did.

    frames  of the error, the innermost first: those of Java, of class loaders and of what passes calls on do not count
    """
    for frame in frames:
        owner = owner_of(frame)
        if frame.startswith(OF_THE_JDK) or _LOADER.search(frame.rpartition(".")[0]) or (owner and owner.passes_on):
            continue
        return None if owner is None or owner.of_flink else (owner, frame)
    return None


def connectors_for(line: str) -> Iterator[str]:
    """The connectors of the catalogue with their releases for Flink `1.18`."""
    return (release for each in class_owners() if not each.inside and (release := each.release_for(line)))
