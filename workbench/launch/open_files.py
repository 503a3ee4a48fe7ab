"""The limit of open files of each program, and how many of them the web server uses for connections."""

from __future__ import annotations

import resource

from workbench.launch.plan import LaunchRefused

LEAST_FILES = 256
"""Below that, the threads of one web process alone could be without. Our choice: twice what they were seen to take."""
MOST_FILES = 65_536
"""More is of no use, and some programs close every number up to the limit at their start. Our choice."""
MOST_CONNECTIONS = 1000
"""Of one web process, gunicorn's own default."""


def open_files_raise() -> int:
    """Raises the soft limit of this process, and so of its children, as far as allowed. Gives it.

    Raises LaunchRefused below LEAST_FILES.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if wanted < LEAST_FILES:
        raise LaunchRefused(f"Only {wanted} files may be open; {LEAST_FILES} are needed: ulimit -n {LEAST_FILES}")
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def web_connections() -> int:
    """Connections that one web process takes at once: half of the files, so that requests can open theirs.

    The others wait in the system's queue. A process that accepts one too many ends, and its requests with it.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(min(soft // 2, MOST_CONNECTIONS), 1)
