"""What programs load at their start: servers what they need before they fork, commands no more than they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.db import connection

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People

PROJECT = Path(__file__).resolve().parents[3]
FIRST_PAGES = """
import json, sys
from workbench.wsgi import application
from django.test import Client
from workbench.accounts.models import User

folders = tuple(f"{sys.argv[1]}/{folder}/" for folder in ("diagnostics", "workbench", "templates"))
opened = []
sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.get(username=sys.argv[2]))
for language in ("en", "zh-hans"):
    for page in sys.argv[3:]:
        answer = client.get(page, headers={"accept-language": language})
        assert answer.status_code == 200, (page, answer)
code = (".py", ".pyc")
print(json.dumps([each for each in opened if each.startswith(folders) and not each.endswith(code)]))
"""
"""Asks for pages as the first ones of a web process; prints which files of the program they opened."""

AFTER_A_DIAGNOSIS = ("workbench.alerts.services", "workbench.channels.planning", "workbench.runbooks.verifying")
LOADED_BY_COMMAND = """
import json, sys
sys.argv = ["manage.py", "create_token", "nobody"]
from django.core.management import execute_from_command_line
try:
    execute_from_command_line(sys.argv)
except Exception:
    pass  # the database is empty
print(json.dumps(sorted(sys.modules)))
"""
LOADED_BY_WORKER = """
import json, sys, django
django.setup()
from workbench.worker.program import app, refuse_to_start_with_wrong_settings
app.loader.import_default_modules()
refuse_to_start_with_wrong_settings()
print(json.dumps(sorted(sys.modules)))
"""


FIRST_ANALYSIS = """
import json, os, sys, tempfile
from pathlib import Path
from diagnostics.spark_service.preloading import analysis_preload
from diagnostics.spark_service.warm_up import analyse_samples
from diagnostics.spark.server import embedded

analysis_preload()
opened = []
sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
with tempfile.TemporaryDirectory() as place, embedded() as session:
    analyse_samples(session, Path(place))
folder, code = f"{sys.argv[1]}/diagnostics/", (".py", ".pyc")
print(json.dumps([each for each in opened if each.startswith(folder) and not each.endswith(code)]))
"""
"""Analyses every format's samples as the first analysis of a process; prints which files of the program it opened."""


@pytest.fixture
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.mark.sqlite
@pytest.mark.usefixtures("no_broker")
def test_the_first_pages_of_a_web_process_read_no_template_rule_or_translation(people: People, tmp_path: Path) -> None:
    case = diagnosed_case(people.alice).case
    database = tmp_path / "copy.sqlite3"
    database.write_bytes(connection.connection.serialize())
    pages = ("/", "/?text=checkpoints", f"/cases/{case.pk}/", f"/cases/{case.pk}/logs/", "/cases/new/", "/rules/")

    assert opened_by(people.alice.username, pages, tmp_path, database) == []


def opened_by(reader: str, pages: Sequence[str], data: Path, database: Path) -> Sequence[str]:
    return printed_by(FIRST_PAGES, str(PROJECT), reader, *pages, data=data, DATABASE_URL=f"sqlite:///{database}")


def test_a_command_loads_neither_pages_nor_signals(tmp_path: Path) -> None:
    """They would be half of its start."""
    loaded = set(printed_by(LOADED_BY_COMMAND, data=tmp_path))
    assert "workbench.accounts.management.commands.create_token" in loaded
    assert not loaded & {"workbench.urls", "diagnostics.signals", "diagnostics.analyze", *AFTER_A_DIAGNOSIS}


def test_a_worker_loads_what_follows_a_diagnosis_before_it_forks(tmp_path: Path) -> None:
    assert set(AFTER_A_DIAGNOSIS) <= set(printed_by(LOADED_BY_WORKER, data=tmp_path))


@pytest.mark.spark
def test_the_first_analysis_of_a_worker_process_reads_no_catalogue(tmp_path: Path) -> None:
    assert printed_by(FIRST_ANALYSIS, str(PROJECT), data=tmp_path) == []


def printed_by(program: str, *arguments: str, data: Path, **variables: str) -> Sequence[str]:
    given = {"WORKBENCH_DATA": str(data), "DJANGO_SETTINGS_MODULE": "workbench.settings", **variables}
    command = [sys.executable, "-c", program, *arguments]
    ended = subprocess.run(command, cwd=PROJECT, env=os.environ | given, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: Sequence[str] = json.loads(ended.stdout)
    return found
