"""Commands that keep the checkpoints of a job which Flink deletes at its cancellation.

Placeholders in braces are facts of a restart (restarting.py).
"""

from __future__ import annotations

from collections.abc import Sequence

COMMENT = "# "
"""Before a command that a shell must not run with the others: its reader removes it."""

COPY = "cp -alT {restart.folder} {restart.folder}.copy"
IF_COPIED = "ls -t {restart.folder}.copy/chk-*/_metadata && "
"""Before a cancellation, which deletes the checkpoints: nobody reads a listing in commands that are pasted together."""
NEWEST_OF_COPY = '"file:$(ls -t {restart.folder}/chk-*/_metadata | head -n 1)"'
"""A checkpoint of the evidence may be replaced by a newer one, and deleted, before anybody copies. One under way has no
`_metadata` yet, whose path Flink takes like that of its directory."""
UNTIL_ENDED = (
    """while curl -s {restart.rest}/jobs """
    """| grep -qE '"id":"{subject.job}","status":"(RUNNING|RESTARTING|FAILING|CANCELLING)"'; """
    "do sleep 1; done; sleep 10"
)
"""`flink cancel` returns when the request is accepted. Flink deletes the checkpoints when the job has ended, in the
background; ten seconds for that are our choice. Source: Flink's SchedulerBase, shutDownCheckpointServices, and
CheckpointsCleaner."""
PUT_BACK = "mkdir -p {restart.folder} && cp -al {restart.folder}.copy/. {restart.folder}/"
REMOVE_COPY = COMMENT + "rm -r {restart.folder} {restart.folder}.copy"


def through_a_copy(cancel: Sequence[str], again: Sequence[str]) -> list[str]:
    """The commands of a cancellation and of the start after it, around a copy of the checkpoints."""
    return [COPY, f"{IF_COPIED}{cancel[0]}", *cancel[1:], PUT_BACK, *again, REMOVE_COPY]
