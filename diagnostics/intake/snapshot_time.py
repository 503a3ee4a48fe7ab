"""When a REST answer was taken that does not say so itself: from the answers that lie in the same snapshot folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from diagnostics.intake import InputFile

HEAD_BYTES = 65_536
"""How much of an answer is searched. `now` stands behind the job's name and times, well before the vertices."""

FOLDERS_OF_A_SNAPSHOT = frozenset({"jobs", "taskmanagers", "jobmanager"})
"""Where a dump keeps REST's own paths as folders, the snapshot is the folder that holds these."""

_NOW = re.compile(rb'"now":\s{0,4}(\d{13})\b')


def snapshot_folder(name: str) -> str:
    """The folder of one snapshot that a file belongs to: `rest/snap-1/jobs/<id>/job.json` gives `rest/snap-1`."""
    folders = name.split("/")[:-1]
    for depth, folder in enumerate(folders):
        if folder in FOLDERS_OF_A_SNAPSHOT:
            return "/".join(folders[:depth])
    return "/".join(folders)


def snapshot_times(files: Iterable[InputFile]) -> Mapping[int, int]:
    """File id -> epoch ms, for every file of a folder in which an answer of `/jobs/<id>` tells its time (`now`).

    A folder whose answers tell several times has the latest.
    """
    folders: dict[str, int] = {}
    members: dict[str, list[int]] = {}
    for file in files:
        if file.path is None or not (file.format_id or "").startswith("flink-rest-"):
            continue
        folder = snapshot_folder(file.name)
        members.setdefault(folder, []).append(file.file_id)
        with file.path.open("rb") as opened:
            found = _NOW.search(opened.read(HEAD_BYTES))
        if found:
            folders[folder] = max(folders.get(folder, 0), int(found.group(1)))
    return {file_id: moment for folder, moment in folders.items() for file_id in members[folder]}
