"""An exception from a log record or a REST answer: its root cause, frames, subtask and citation."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.vocabulary.fault_origins import Origin, origin_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrown:
    """One exception; unknown values are None.

    exception, message  class and message of the root cause
    frame, thrown_in    top frame of the root cause, and its first frame in Flink's or the user's code
    own_frames          the first frames of the job's own code, innermost first
    causes              the whole chain of causes, one `class: message` per line
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
    citation: Citation

    @property
    def origin(self) -> Origin:
        """The component that the root cause comes from."""
        return origin_of(self.exception or "", self.message, self.frame, self.thrown_in, self.causes)

    @property
    def chain(self) -> str:
        """Its exceptions, outermost first, the innermost once more with its whole message."""
        return f"{self.causes or ''}\n{self.exception or ''}: {self.message}"

    @property
    def places(self) -> tuple[str, ...]:
        """The frames that threw the root cause, as far as they are known."""
        return tuple(each for each in (self.frame, self.thrown_in) if each)

    @property
    def said(self) -> str:
        """Class without package, and message, as quoted in sentences."""
        name = (self.exception or "").rpartition(".")[2]
        return ": ".join(each for each in (name, self.message) if each)
