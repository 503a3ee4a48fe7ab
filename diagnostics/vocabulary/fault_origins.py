"""Origin of a failure: memory, network, storage, restored state, class loading, a record, the job's own code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from diagnostics.notation.constant_text import EntryTexts
from diagnostics.notation.stack_frame import is_generated, is_user_code, unshaded
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.message_remedies import REMEMBERED, shown_by_message
from diagnostics.vocabulary.outside_refusals import client_classes, shows_status, telling_texts
from diagnostics.yaml_document import with_translations

OWN_CODE = "own_code"
UNKNOWN = "unknown"
OUTSIDE_THE_CATALOGUE = {OWN_CODE: "the job's own code", UNKNOWN: "unknown"}
"""Origin that no text shows -> its title."""

IN_SNAPSHOT = (
    "Could not perform checkpoint ",
    "Could not complete snapshot ",
    "Could not materialize checkpoint ",
    "Asynchronous task checkpoint failed",
)
"""Lines of an exception chain during a snapshot. Source: Flink's own log statements (tm.ckpt.*)."""


OUTSIDE_TEXTS: Mapping[Any, Callable[[], tuple[str, ...]]] = {
    False: lambda: (),
    "telling": telling_texts,
    "clients": client_classes,
}
"""What an origin takes over from `outside_refusals.yaml`: nothing, its telling texts, or the classes of clients."""
CHAINED = "org.apache.flink.streaming.runtime.tasks.ExceptionInChainedOperatorException"
"""Wraps what a chained operator throws when it is handed a record. Source: Flink's ChainingOutput."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One entry of `vocabulary/fault_origins.yaml`, or one of OWN_CODE and UNKNOWN."""

    id: str
    title: str
    in_chain: tuple[str, ...] = ()
    at_root: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    thrown: tuple[str, ...] = ()
    by_status: bool = False
    by_message: bool = False

    def is_thrown_in(self, root: str, frames: Sequence[str]) -> bool:
        """Whether the innermost class or the frames match this origin.

        With `thrown`, the innermost class must be one of these as well as a frame one of `frames`.
        """
        has_frame = any(frame.startswith(self.frames) for frame in frames) if self.frames else False
        return (has_frame and (not self.thrown or root.startswith(self.thrown))) or root.startswith(self.at_root)


@cache
def origins() -> tuple[Origin, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("fault_origins.yaml")
    return tuple(_origin(name, entry) for name, entry in content.items())


def _origin(name: str, entry: Mapping[str, Any]) -> Origin:
    at_root, frames, thrown = (tuple(entry.get(place, ())) for place in ("at_root", "frames", "thrown"))
    texts = [*entry.get("in_chain", ()), *OUTSIDE_TEXTS[entry.get("outside_refusals", False)]()]
    by_status = entry.get("outside_refusals") == "telling"
    title = with_translations(entry["title"], entry, "title")
    by_message = bool(entry.get("message_remedies"))
    return Origin(entry.get("as", name), title, tuple(texts), at_root, frames, thrown, by_status, by_message)


@lru_cache(maxsize=REMEMBERED)
def origin_of(
    exception: str,
    message: str,
    frame: str | None,
    thrown_in: str | None,
    causes: str | None,
    callers: tuple[str, ...] = (),
) -> Origin:
    """The origin of a failure.

    exception, message  of the innermost exception
    frame, thrown_in    its top frame, and the first frame that is Flink's own or the user's
    causes              the whole chain, one `class: message` per line
    callers             the frames of products that called the one that threw it
    """
    chain = "\n".join(_inside_operator([*(causes or "").split("\n"), f"{exception}: {message}"]))
    fitting = _texts().entries_in(chain) | _thrown_in(unshaded(exception), frame, thrown_in)
    frames = [*(each for each in (frame, thrown_in) if each), *callers]
    for place, each in enumerate(origins()):
        if each.by_message and (shown := shown_by_message(chain, frames)) in origin_titles():
            return Origin(str(shown), origin_titles()[str(shown)])
        if place in fitting or (each.by_status and shows_status(chain)):
            return each
    if thrown_in and (is_user_code(thrown_in) or is_generated(thrown_in)):
        return Origin(OWN_CODE, OUTSIDE_THE_CATALOGUE[OWN_CODE])
    return Origin(UNKNOWN, OUTSIDE_THE_CATALOGUE[UNKNOWN])


@cache
def _texts() -> EntryTexts:
    return EntryTexts(each.in_chain for each in origins())


@lru_cache(maxsize=REMEMBERED)
def _thrown_in(root: str, *frames: str | None) -> frozenset[int]:
    """The places of the origins that the innermost class and the frames show, which differ less than messages."""
    known = [unshaded(each) for each in frames if each]
    return frozenset(place for place, each in enumerate(origins()) if each.is_thrown_in(root, known))


@cache
def origin_titles() -> Mapping[str, str]:
    """Id of an origin -> its title; of several entries with one id that of the first."""
    return {**OUTSIDE_THE_CATALOGUE, **{each.id: each.title for each in reversed(origins())}}


def _inside_operator(chain: Sequence[str]) -> Sequence[str]:
    """The part of a chain that comes from the operator that failed.

    A source calls the operators chained to it while it deserializes: its own words, which wrap theirs, do not count.
    """
    wrapped = [place for place, line in enumerate(chain) if line.startswith(CHAINED)]
    return chain[wrapped[-1] + 1 :] if wrapped and wrapped[-1] + 1 < len(chain) else chain


def is_in_snapshot(causes: str | None) -> bool:
    """Whether the chain shows that the task was taking its snapshot."""
    return any(text in (causes or "") for text in IN_SNAPSHOT)
