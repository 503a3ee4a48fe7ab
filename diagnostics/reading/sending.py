"""Files that Spark's workers do not see where they were unpacked: sent to the shared storage before they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from diagnostics.reading.ranges import PlannedRange
from diagnostics.storage.shared_folder import SharedFolder

SENT_AT_ONCE = 16
"""Files on their way at once: a small one takes an object store 20 to 50 ms, most of it waiting. Our choice."""


def sent(
    ranges: Sequence[PlannedRange], folder: SharedFolder, report: Callable[[int, int], None]
) -> list[PlannedRange]:
    """The same ranges of copies of their files.

    folder  where the copies go, each named by its file's id
    report  called with the files sent and those in all; what it raises ends the sending
    Raises  SparkUnavailable when the storage refuses, OSError when it is a path that does.
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
