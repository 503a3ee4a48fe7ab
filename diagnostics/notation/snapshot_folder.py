"""The folder that holds a whole dump of REST answers, from the name of one of its files."""

from __future__ import annotations

FOLDERS_OF_A_SNAPSHOT = frozenset({"jobs", "taskmanagers", "jobmanager"})
"""Where a dump keeps REST's paths as folders, the snapshot is the parent of these."""


def snapshot_folder(name: str) -> str:
    """The snapshot folder of a file: `rest/snap-1/jobs/<id>/job.json` gives `rest/snap-1`."""
    folders = name.split("/")[:-1]
    for depth, folder in enumerate(folders):
        if folder in FOLDERS_OF_A_SNAPSHOT:
            return "/".join(folders[:depth])
    return "/".join(folders)
