"""The container image: its files name what exists, and start what `make up` starts. CI cannot build it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from workbench.launch.__main__ import main

PROJECT = Path(__file__).parents[2]
DOCKERFILE = (PROJECT / "Dockerfile").read_text("utf-8").replace("\\\n", "")
COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text("utf-8"))


def instructions(name: str) -> list[str]:
    """What follows each instruction of the name."""
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


def variables() -> dict[str, str]:
    """The environment that the image sets."""
    return dict(each.split("=", 1) for line in instructions("ENV") for each in line.split())


def test_the_image_starts_what_make_up_starts_f175() -> None:
    [command] = map(json.loads, instructions("CMD"))

    assert command[1:] == ["-m", "workbench.launch", "up"]
    assert f"exec {' '.join(command)}" in (PROJECT / "Makefile").read_text("utf-8")
    assert callable(main)


def test_it_is_installed_as_make_setup_installs_it_for_the_python_that_ci_has() -> None:
    [installed] = [each for each in instructions("RUN") if "install.py" in each]

    assert installed == "python workbench/launch/install.py .venv .venv/installed"
    assert (PROJECT / "workbench/launch/install.py").is_file()
    assert instructions("FROM") == ["python:3.11-slim"]


def test_nobody_is_root_in_it_and_the_data_is_on_a_volume() -> None:
    assert DOCKERFILE.index("USER workbench") < DOCKERFILE.index("COPY")
    assert instructions("VOLUME") == [variables()["WORKBENCH_DATA"]]
    [mounted] = COMPOSE["services"]["workbench"]["volumes"]
    assert mounted == f"data:{variables()['WORKBENCH_DATA']}"


def test_every_variable_is_one_that_the_workbench_reads_and_documents() -> None:
    table = (PROJECT / "README.md").read_text("utf-8")
    named = {*variables(), *COMPOSE["services"]["workbench"]["environment"]}

    assert {each for each in named if f"`{each}`" not in table} == set()


def test_only_this_machine_reaches_it_until_somebody_opens_it() -> None:
    [port] = COMPOSE["services"]["workbench"]["ports"]

    assert port == f"127.0.0.1:{variables()['WORKBENCH_PORT']}:{instructions('EXPOSE')[0]}"


def test_what_the_program_needs_is_not_left_out_of_the_image() -> None:
    left_out = {line for line in (PROJECT / ".dockerignore").read_text("utf-8").splitlines() if "*" not in line}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout.split()
    kept = [name for name in tracked if name.split("/")[0] not in left_out]

    assert {"diagnostics", "workbench", "templates", "static"} <= {name.split("/")[0] for name in kept}
    assert not [
        name for name in kept if name.endswith(".py") and re.search(r"^(from|import) tests\b", _text(name), re.M)
    ]


def _text(name: str) -> str:
    return (PROJECT / name).read_text("utf-8")
