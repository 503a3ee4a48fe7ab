"""What repairs a failure of the program, its classes or its records by the shape of its exception.

`code_shapes.yaml` has the shapes, the narrow ones first; the first that fits counts. A failure whose message is known
has a repair of its own in `message_remedies`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.fault_origins import OWN_CODE, UNKNOWN
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class CodeShape:
    """One entry: what is wrong as a clause, and what to do; its first sentence is what to do first.

    origins  of failures that may have it; a failure of unknown origin may have any
    classes  names of the innermost exception, without packages
    missing  beginnings of the class that a class loading failure names
    said     an expression over the chain of exceptions in lower case
    frames   beginnings of the frames that threw it
    methods  endings of the frames that threw it
    general  whether it says less than a repair that is known by the message or by the artifact of the class
    decides  whether it says more than what is known of the artifact that the class belongs to
    nested   whether the missing class is an inner class of one that asks for it, so that one jar has both
    """

    what: str
    advice: str
    origins: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    said: re.Pattern[str] | None = None
    frames: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    general: bool = False
    decides: bool = False
    nested: bool = False

    @property
    def _is_of_any(self) -> bool:
        """Whether a failure of unknown origin may have it: it states more than the origin, which is not own code."""
        return OWN_CODE not in self.origins and bool(self.classes or self.missing or self.said or self.frames)

    def fits(self, origin: str, exception: str, missing: str, chain: str, frames: Sequence[str]) -> bool:
        """Whether a failure has every part of the shape that is stated; `chain` is in lower case."""
        return (
            (not self.origins or origin in self.origins or (origin == UNKNOWN and self._is_of_any))
            and (not self.classes or exception.rpartition(".")[2] in self.classes)
            and (not self.missing or missing.startswith(self.missing))
            and (self.said is None or self.said.search(chain) is not None)
            and (not self.frames or any(each.startswith(self.frames) for each in frames))
            and (not self.methods or any(each.endswith(self.methods) for each in frames))
            and (not self.nested or is_nested(missing, frames))
        )


def is_nested(missing: str, frames: Sequence[str]) -> bool:
    """Whether a missing class, such as `org.acme.Pool$1`, is an inner class of the class of one of the frames."""
    outer, _, inner = missing.partition("$")
    return bool(inner) and any(each.rpartition(".")[0].partition("$")[0] == outer for each in frames)


@cache
def code_shapes() -> tuple[CodeShape, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("code_shapes.yaml")
    return tuple(
        CodeShape(
            what=with_translations(what, entry, "what"),
            advice=with_translations(entry["advice"].strip(), entry, "advice"),
            origins=tuple(entry.get("origins", ())),
            classes=tuple(entry.get("classes", ())),
            missing=tuple(entry.get("missing", ())),
            said=re.compile(entry["said"]) if "said" in entry else None,
            frames=tuple(entry.get("frames", ())),
            methods=tuple(entry.get("methods", ())),
            general=entry.get("general") is True,
            decides=entry.get("decides") is True,
            nested=entry.get("nested") is True,
        )
        for what, entry in content.items()
    )


def code_shape_of(
    origin: str, exception: str, missing: str, chain: str, frames: Sequence[str], remedy: str | None
) -> CodeShape | None:
    """The first shape that a failure has; None without one, and of a general one beside a known repair.

    remedy  the repair that is known by the message, or by the artifact of the class
    """
    lowered = chain.lower()
    found = next((each for each in code_shapes() if each.fits(origin, exception, missing, lowered, frames)), None)
    return None if found and found.general and remedy else found
