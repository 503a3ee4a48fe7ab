"""An exception that somebody told of: what was thrown, in which frames, by which subtask, and where that stands."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.vocabulary.fault_origins import Origin, origin_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrown:
    """One record or answer; what it does not tell is None.

    exception, message  of the innermost cause
    frame, thrown_in    its top frame, and the first frame that is Flink's own or the user's
    own_frames          the first frames of the job's own code, innermost first
    causes              the whole chain, one `class: message` a line
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
        """Where its root cause comes from."""
        return origin_of(self.exception or "", self.message, self.frame, self.thrown_in, self.causes)

    @property
    def said(self) -> str:
        """Class without package and message, as a sentence quotes it."""
        name = (self.exception or "").rpartition(".")[2]
        return f"{name}: {self.message}" if self.message else name
