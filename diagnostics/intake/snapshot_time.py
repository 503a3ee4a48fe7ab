"""Time of REST answers that do not state it, from other answers in the same snapshot folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from diagnostics.intake import InputFile
from diagnostics.notation.snapshot_folder import snapshot_folder

HEAD_BYTES = 65_536
"""Bytes of an answer that are searched. `now` follows the job's name and times, well before the vertices."""

_NOW = re.compile(rb'"now":\s{0,4}(\d{13})\b')


def snapshot_times(files: Iterable[InputFile]) -> Mapping[int, int]:
    """File id -> epoch ms, for every file of a folder with an answer of `/jobs/<id>`, which states its time (`now`).

    The latest one when a folder's answers state several times.
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
