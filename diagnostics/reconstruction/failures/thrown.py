"""An exception from a log record or a REST answer: its root cause, frames, subtask and citation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.notation.printed_message import one_line
from diagnostics.notation.product_frame import ProductFrame, innermost_frames, product_frames
from diagnostics.vocabulary.chinese_message import in_english
from diagnostics.vocabulary.fault_origins import Origin, origin_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrown:
    """One exception; unknown values are None.

    exception, message  class and message of the root cause
    frame, thrown_in    top frame of the root cause, and its first frame in Flink's or the user's code
    own_frames          the first frames of the job's own code, innermost first
    causes              the whole chain of causes, one `class: message` per line
    stack               the first frames of each exception that are of a product, as in the column `frames`
    """

    ts_ms: int | None
    job_id: str | None
    vertex: str | None = None
    subtask: int | None = None
    task_manager: str | None = None
    exception: str | None = None
    message: str = ""
    frame: str | None = None
    user_frame: str | None = None
    thrown_in: str | None = None
    own_frames: tuple[str, ...] = ()
    causes: str | None = None
    stack: str | None = None
    citation: Citation

    @property
    def origin(self) -> Origin:
        """The component that the root cause comes from."""
        callers = tuple(each.name for each in innermost_frames(self.stack))
        message, causes = in_english(self.message), self.causes and in_english(self.causes)
        return origin_of(self.exception or "", message, self.frame, self.thrown_in, causes, callers)

    @property
    def chain(self) -> str:
        """Its exceptions in English, outermost first, the innermost once more with its whole message."""
        return in_english(f"{self.causes or ''}\n{self.exception or ''}: {self.message}")

    @property
    def places(self) -> tuple[str, ...]:
        """The frames that threw the root cause, as far as they are known."""
        return tuple(each for each in (self.frame, self.thrown_in) if each)

    @property
    def frames(self) -> Sequence[ProductFrame]:
        """The frames of products in the whole chain, those that threw the root cause first."""
        return product_frames(self.stack)

    @property
    def throwers(self) -> tuple[str, ...]:
        """The frames that threw the root cause, with those of products that called them."""
        return tuple(dict.fromkeys((*self.places, *(each.name for each in innermost_frames(self.stack)))))

    @property
    def passed(self) -> tuple[str, ...]:
        """The frames through which the exceptions of the chain went, the innermost first."""
        return tuple(dict.fromkeys((*self.places, *(each.name for each in self.frames))))

    @property
    def said(self) -> str:
        """Class without package, and message in one line, as quoted in sentences."""
        name = (self.exception or "").rpartition(".")[2]
        return ": ".join(each for each in (name, one_line(self.message)) if each)
