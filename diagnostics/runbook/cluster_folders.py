"""Folders of a standalone cluster that Flink's scripts do not use by themselves."""

from __future__ import annotations

from collections.abc import Callable

Text = Callable[[str], str | None]
"""A fact that is a text which no shell interprets."""


def exports(text: Text) -> list[str]:
    """The commands after which Flink's scripts read the cluster's configuration and write their logs where they were.

    A folder that is Flink's own needs none.
    """
    folders = {"FLINK_CONF_DIR": conf_folder(text), "FLINK_LOG_DIR": log_folder(text)}
    return [f"export {name}={folder}" for name, folder in folders.items() if folder]


def conf_folder(text: Text) -> str | None:
    """Folder of the configuration when it is not `conf` of Flink's home."""
    file, home = text("deployment.config_file"), text("deployment.home")
    folder = file.rpartition("/")[0] if file else ""
    return folder if home and file and folder != f"{home}/conf" else None


def log_folder(text: Text) -> str | None:
    """Folder of the processes' logs when it is not `log` of Flink's home, to which a process that is started without
    FLINK_LOG_DIR writes. Source: Flink's config.sh.
    """
    home = text("deployment.home")
    files = (text("deployment.jobmanager_log"), text("deployment.task_manager_log"))
    folders = {file.rpartition("/")[0] for file in files if file}
    folder = folders.pop() if len(folders) == 1 else ""
    return folder if home and folder.startswith("/") and folder != f"{home}/log" else None
