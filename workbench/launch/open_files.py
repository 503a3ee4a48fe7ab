"""The limit of open files of each program, and how many of them the web server uses for connections."""

from __future__ import annotations

import resource

from workbench.languages.sentences import say
from workbench.launch.plan import LaunchRefused

LEAST_FILES = 256
"""Below this, the threads of one web process could run out. Our choice: twice their observed use."""
MOST_FILES = 65_536
"""More is useless, and some programs close every number up to the limit at their start. Our choice."""
MOST_CONNECTIONS = 1000
"""Connections of one web process, gunicorn's own default."""


def open_files_raise() -> int:
    """Raises the soft limit of this process and its children as far as allowed. Gives it.

    Raises LaunchRefused below LEAST_FILES.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if wanted < LEAST_FILES:
        raise LaunchRefused(
            say("Only {most} files may be open; {least} are needed: ulimit -n {least}", most=wanted, least=LEAST_FILES)
        )
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def web_connections() -> int:
    """Connections that one web process accepts at once: half of the files, so that requests can open theirs.

    Further ones wait in the system's queue. A process that accepts too many would end, with its requests.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(min(soft // 2, MOST_CONNECTIONS), 1)
