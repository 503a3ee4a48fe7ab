"""The same files through the page: nothing stored is lost, no page answers 500, nothing from a file becomes markup."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import inputs
from tests.hostile.test_command_line import BUILDERS, READ, READ_WITH_A_WARNING, REFUSED
from tests.hostile.visitor import Visitor, addresses_in
from tests.running_workbench import ADMIN_PASSWORD, RunningWorkbench

pytestmark = [pytest.mark.spark, pytest.mark.celery]

AT_ONCE = 60
SCRIPT = "<script>alert(1)"


@pytest.fixture(scope="module")
def visitor(workbench: RunningWorkbench) -> Visitor:
    """The administrator."""
    return Visitor(workbench.address, ADMIN_PASSWORD)


@pytest.fixture(scope="module")
def case(visitor: Visitor, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A case with all bad files and a good one, diagnosed: its addresses, the answers to the upload, the document."""
    folder = tmp_path_factory.mktemp("hostile-web") / "upload"
    inputs.write_all(folder, BUILDERS)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    opened = visitor.diagnosed(f"{SCRIPT}</script>", folder, files)
    return opened | {
        "files": dict(zip([each.relative_to(folder).as_posix() for each in files], opened["answers"], strict=True)),
        "document": visitor.get(opened["diagnosis"]).json(),
    }


def test_every_file_is_stored(case: dict[str, Any]) -> None:
    taken = {name: answer["taken"] or answer["repeats"] for name, answer in case["files"].items()}
    assert all(taken.values()), taken


def test_each_file_says_why_it_cannot_be_read(case: dict[str, Any]) -> None:
    said = {entry["file"]: "; ".join(entry["warnings"]) for entry in case["document"]["inputs"]}
    for name, reason in (REFUSED | READ_WITH_A_WARNING).items():
        assert reason in said[name], name
    records = {entry["file"]: entry["records"] for entry in case["document"]["inputs"]}
    assert all(records[name] for name in READ)
    # Flink itself refuses the configuration with a command in it: that may be said.
    assert case["document"]["verdict"]["symptom_class"] in ("inconclusive", "misconfiguration")


def test_no_page_fails_and_nothing_from_a_file_becomes_markup(visitor: Visitor, case: dict[str, Any]) -> None:
    pages = ["/", "/?text=%3Cscript%3E", case["page"], case["files_url"]]
    for answer in case["files"].values():
        if answer["taken"]:
            pages += [f"/uploads/{answer['id']}/", f"/uploads/{answer['id']}/lines/25/"]
            pages += [f"/uploads/{answer['id']}/lines/999999999/", f"/uploads/{answer['id']}/format/"]
    pages += addresses_in(visitor.get(case["page"]).text, r"/uploads/\d+/lines/")
    for page in pages:
        answer = visitor.get(html.unescape(page))
        assert answer.status < 500, page
        assert SCRIPT not in answer.text, page
        assert "Traceback" not in answer.text, page


def test_an_original_is_only_ever_a_download(visitor: Visitor, case: dict[str, Any]) -> None:
    for name in ("terminal_escapes/escapes-taskmanager.log", "empty/flink-taskmanager-empty.log"):
        headers = visitor.get(f"/uploads/{case['files'][name]['id']}/download/").headers
        assert headers["Content-Disposition"].startswith("attachment")
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_ten_thousand_files_are_taken_or_refused_with_the_bound(visitor: Visitor, tmp_path: Path) -> None:
    inputs.zip_with_many_files(tmp_path)
    opened = visitor.post("/cases/new/", {"title": "Very many files"}, as_script=True).json()
    (answer,) = visitor.add_files(opened["add_url"], tmp_path, [tmp_path / "many.zip"])
    assert answer["taken"]
    assert visitor.get(opened["files_url"]).status == 200
    assert visitor.get(f"/uploads/{answer['id']}/format/").status == 200


def test_the_programs_outlived_it(workbench: RunningWorkbench, case: dict[str, Any]) -> None:
    assert workbench.is_ready()
    assert "is started again" not in workbench.said()
