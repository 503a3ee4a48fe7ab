"""Times of other programs for the same work: ripgrep, GNU grep, a plain read, DuckDB. Missing ones are named."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from diagnostics.notation.log_event import catalogue

READ_BYTES = 1 << 20
REGEX_LIMIT = "1G"
"""What ripgrep may use for the compiled patterns; with its default of 10 MB it refuses 500 of them."""


FEW_PATTERNS = 66
"""Patterns of a shorter list, the first of the catalogue. Our choice: what an engineer would put together."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took."""

    seconds: float
    cpu_seconds: float


def search_peers(folder: Path) -> dict[str, Callable[[list[Path]], Cost]]:
    """Name of a program -> how to let it look for the catalogue's events in files; only those on this machine.

    `rg -f` gets every pattern as it is, or the first FEW_PATTERNS, `-F` the constants that all of its matches hold.
    """
    patterns, few, constants = (folder / f"{name}.txt" for name in ("patterns", "few-patterns", "constants"))
    patterns.write_text("\n".join(_for_rust(event.pattern) for event in catalogue()) + "\n", "utf-8")
    few.write_text("\n".join(_for_rust(event.pattern) for event in catalogue()[:FEW_PATTERNS]) + "\n", "utf-8")
    constants.write_text("\n".join({text for event in catalogue() for text in event.constants}) + "\n", "utf-8")
    rg, grep = shutil.which("rg"), shutil.which("grep")
    limits = [f"--regex-size-limit={REGEX_LIMIT}", f"--dfa-size-limit={REGEX_LIMIT}"]
    peers: dict[str, Callable[[list[Path]], Cost]] = {"read": read_all}
    if rg:
        search = [rg, "-c", "-j1", "-z", *limits]
        peers["rg -c -j1"] = lambda files: run([*search, "-f", str(patterns)], files)
        peers[f"rg, {FEW_PATTERNS} of them"] = lambda files: run([*search, "-f", str(few)], files)
        peers["rg --no-unicode"] = lambda files: run([*search, "--no-unicode", "-f", str(patterns)], files)
        peers["rg -F"] = lambda files: run([rg, "-c", "-j1", "-z", "-F", "-f", str(constants)], files)
    if grep:
        peers["grep -F"] = lambda files: run([grep, "-c", "-F", "-f", str(constants)], files)
    return peers


def _for_rust(pattern: str) -> str:
    """The same expression for ripgrep: groups without names, which may stand once only, no escape that it refuses."""
    return re.sub(r"\\([^\w\\.+*?()|\[\]{}^$#&~-])", r"\1", re.sub(r"\(\?P<\w+>", "(?:", pattern))


def absent() -> list[str]:
    """A sentence for each peer that is not on this machine."""
    missing = []
    if not shutil.which("rg"):
        missing.append("ripgrep is absent: apt install ripgrep")
    if importlib.util.find_spec("duckdb") is None:
        missing.append("DuckDB is absent: .venv/bin/pip install duckdb")
    return missing


def run(command: list[str], files: list[Path]) -> Cost:
    """Run it to its end. Exit status 1 of a search is `nothing found`; more raises CalledProcessError."""
    before, began = os.times(), time.monotonic()
    # grep stops at its first match when it writes to nothing.
    done = subprocess.run(
        [*command, *map(str, files)], stdout=subprocess.PIPE, check=False, env=os.environ | {"LC_ALL": "C"}
    )
    if done.returncode > 1:
        done.check_returncode()
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return Cost(time.monotonic() - began, used)


def read_all(files: list[Path]) -> Cost:
    """Read every byte once and look at none."""
    began, used = time.monotonic(), time.process_time()
    for each in files:
        with each.open("rb", buffering=0) as opened:
            while opened.read(READ_BYTES):
                pass
    return Cost(time.monotonic() - began, time.process_time() - used)
