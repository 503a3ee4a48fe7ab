"""Sends files to the shared storage for workers that do not share this machine's disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from diagnostics.reading.ranges import PlannedRange
from diagnostics.storage.shared_folder import SharedFolder

SENT_AT_ONCE = 16
"""Files sent in parallel: a small one takes 20 to 50 ms, most of it waiting. Our choice."""


def sent(
    ranges: Sequence[PlannedRange], folder: SharedFolder, report: Callable[[int, int], None]
) -> list[PlannedRange]:
    """The same ranges on copies of their files.

    folder  where the copies go, each named by its file's id
    report  called with the number of files sent and the total; an exception from it ends the sending
    Raises  SparkUnavailable when the storage refuses, OSError when a path does.
    """
    sources = {each.part.file_id: each.part.path for each in ranges}
    with ThreadPoolExecutor(SENT_AT_ONCE, thread_name_prefix="send") as pool:
        sending = [pool.submit(folder.send, Path(path), str(file_id)) for file_id, path in sources.items()]
        try:
            for done, each in enumerate(as_completed(sending), 1):
                each.result()
                report(done, len(sending))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [replace(each, part=replace(each.part, path=f"{folder.location}/{each.part.file_id}")) for each in ranges]
