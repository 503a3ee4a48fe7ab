"""The first frames of each exception of a chain that are of a product, with the JAR that a log prints behind them.

In a column they are lines, `frame` or `frame artifact release`: the innermost exception first, an empty line between
two exceptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.notation.stack_frame import plain_frame

MOST_OF_AN_EXCEPTION = 6
"""Frames kept of one exception. Our choice: the library that threw, the connector that called it and its caller."""
MOST_OF_A_CHAIN = 24
"""Frames kept of a whole chain. Our choice: four exceptions' worth, below 3,000 characters."""
OF_THE_JVM = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.")
"""Packages that say nothing of a product: of the JDK, and of Scala's library."""
BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class ProductFrame:
    """A frame `package.Class.method`, of a lambda the enclosing method; None where no JAR with a release is printed."""

    name: str
    artifact: str | None = None
    release: str | None = None


def frames_as_text(chain: Iterable[Iterable[tuple[str, str]]]) -> str | None:
    """The column of frames, each with its `artifact release` or nothing, of the exceptions, the innermost first."""
    left, exceptions = MOST_OF_A_CHAIN, []
    for frames in chain:
        kept: dict[str, None] = {}
        for name, jar in frames:
            if len(kept) == min(MOST_OF_AN_EXCEPTION, left):
                break
            if not name.startswith(OF_THE_JVM) and " " not in name:
                kept[f"{plain_frame(name)} {jar}" if jar else plain_frame(name)] = None
        left -= len(kept)
        exceptions.append("\n".join(kept))
    text = BETWEEN.join(each for each in exceptions if each)
    return text.encode("utf-8", "replace").decode("utf-8") or None


def product_frames(column: str | None) -> Sequence[ProductFrame]:
    """The frames of all exceptions of a chain, the innermost first."""
    return tuple(_frame(line) for line in (column or "").split("\n") if line)


def innermost_frames(column: str | None) -> Sequence[ProductFrame]:
    """The frames of the innermost exception that has some."""
    return product_frames((column or "").partition(BETWEEN)[0])


def _frame(line: str) -> ProductFrame:
    name, _, jar = line.partition(" ")
    artifact, _, release = jar.partition(" ")
    return ProductFrame(name, artifact or None, release or None)
