"""`manage.py diagnose` on everything at once: each bad file is named with its reason, the good ones are analysed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import inputs
from tests.running_workbench import PROJECT

pytestmark = pytest.mark.spark

ALONE = {"many_files", "zip_with_many_files"}
BUILDERS = [
    each
    for name, each in vars(inputs).items()
    if isinstance(each, types.FunctionType) and "folder" in each.__annotations__ and name not in ALONE | {"write_all"}
]
GOOD_RECORDS = inputs.good_log().count(b"\n")

REFUSED = {
    "binary/flink-jobmanager-binary.log": "not text",
    "compressed_nothing/nothing.log.gz": "compressed parts after one another",
    "cut_zip/cut.zip": "cut off or damaged",
    "deep_json/jobs_deep_checkpoints.json": "not recognised",
    "empty/flink-taskmanager-empty.log": "empty",
    "encrypted_zip/secret.zip!/secret-taskmanager.log": "encrypted",
    "endless_number/size.json": "a number that is no number of any use",
    "error_page/jobs_overview.json": "not recognised",
    "gzip_of_zeros/zeros.log.gz": "decompression bomb",
    "nested_zip_bomb/nested.zip!/level3-0.zip!/level2-0.zip": "a zip inside 2 other archives",
    "not_a_log/letter.txt": "not recognised",
    "tar_with_links_and_devices/links.tar.gz!/logs/device.log": "device",
    "tar_with_links_and_devices/links.tar.gz!/logs/hard.log": "hard link",
    "tar_with_links_and_devices/links.tar.gz!/logs/pipe.log": "pipe",
    "tar_with_links_and_devices/links.tar.gz!/logs/sym.log": "symbolic link",
    "truth_file/truth.json": "not recognised",
    "unexpected_json/taskmanagers.json": "not recognised",
    "wrong_json/jobs_overview.json": "not valid JSON",
    "zip_bomb/bomb.zip!/bomb-taskmanager.log": "decompression bomb",
    "zip_that_lies/lying.zip!/lying-taskmanager.log": "decompression bomb",
    "zip_with_link/links.zip!/logs/link-taskmanager.log": "symbolic link",
    "zip_with_path_escape/escape.zip!/../../escaped.log": "leads out of the archive",
    "zip_with_path_escape/escape.zip!//etc/absolute.log": "absolute path",
    "zip_with_path_escape/escape.zip!/../../windows.log": "leads out of the archive",
}
READ_WITH_A_WARNING = {
    "absurd_times/times-taskmanager.log": "are beyond what can be one",
    "cut_zip/cut.zip!/logs/cut-in-zip-taskmanager.log": "cut off",
    "damaged_gzip/damaged-taskmanager.log.gz": "check sum",
    "gbk_log/gbk-taskmanager.log": "GB 18030",
    "one_long_line/long-line-taskmanager.log": "shortened",
    "terminal_escapes/escapes-taskmanager.log": "NUL",
    "truncated_gzip/cut-taskmanager.log.gz": "cut off",
}
READ = (
    "good-taskmanager.log",
    "utf16_log/utf16-taskmanager.log",
    "absurd_names/🔥🔥.log",
    "absurd_names/--json",
    "absurd_names_in_zip/names.zip!/</td><script>alert(1)</script>.log",
    "tar_with_links_and_devices/links.tar.gz!/logs/in-tar-taskmanager.log",
    "zip_with_link/links.zip!/logs/beside-link-taskmanager.log",
    "zip_with_path_escape/escape.zip!/logs/inside-taskmanager.log",
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run of the command left."""

    status: int
    out: str
    err: str
    document: dict[str, Any] | None

    def input(self, name: str) -> dict[str, Any]:
        """The document's entry for a file."""
        assert self.document
        (entry,) = [each for each in self.document["inputs"] if each["file"] == name]
        return dict(entry)


def diagnose(folder: Path, *paths: Path, spark_remote: str = "") -> Ran:
    """Runs the command as a person does, on a Spark of its own or on one that runs."""
    target = folder / "diagnosis.json"
    command = [sys.executable, "manage.py", "diagnose", *map(str, paths), "--json", str(target)]
    environment = os.environ | ({"SPARK_REMOTE": spark_remote} if spark_remote else {})
    done = subprocess.run(
        command, cwd=PROJECT, capture_output=True, text=True, timeout=600, check=False, env=environment
    )
    document = json.loads(target.read_text("utf-8")) if target.exists() else None
    return Ran(done.returncode, done.stdout, done.stderr, document)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, spark_remote: str) -> Ran:
    """One run over all bad files and a good one."""
    folder = tmp_path_factory.mktemp("hostile")
    inputs.write_all(folder / "upload", BUILDERS)
    return diagnose(folder, folder / "upload", spark_remote=spark_remote)


def test_the_run_succeeds_without_a_traceback(everything: Ran) -> None:
    assert everything.status == 0
    assert "Traceback" not in everything.out + everything.err
    assert "\x1b" not in everything.out + everything.err


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_a_file_that_cannot_be_read_says_why(everything: Ran, name: str, reason: str) -> None:
    entry = everything.input(name)
    assert entry["format"] is None
    assert reason in "; ".join(entry["warnings"])


@pytest.mark.parametrize(("name", "reason"), READ_WITH_A_WARNING.items())
def test_a_damaged_file_is_read_as_far_as_it_goes(everything: Ran, name: str, reason: str) -> None:
    entry = everything.input(name)
    assert entry["records"] >= GOOD_RECORDS
    assert reason in "; ".join(entry["warnings"])


def test_no_measurement_fails_over_absurd_numbers_and_times(everything: Ran) -> None:
    for name in ("absurd_numbers/taskmanager.prom", "half_a_letter/jobs_overview.json", "half_a_letter/threads.json"):
        assert everything.input(name)["records"] > 0
    assert "could not be" not in everything.err


@pytest.mark.parametrize("name", READ)
def test_a_good_file_beside_bad_ones_is_read(everything: Ran, name: str) -> None:
    entry = everything.input(name)
    assert entry["format"] == "flink-log"
    assert entry["records"] == GOOD_RECORDS
    assert entry["warnings"] == []


def test_yaml_is_data_and_its_aliases_are_not_multiplied(everything: Ran) -> None:
    assert everything.input("billion_laughs/config.yaml")["bytes"] < 1000
    assert not (PROJECT / "owned").exists()


def test_a_file_that_claims_to_know_the_answer_is_not_believed(everything: Ran) -> None:
    assert everything.document
    assert "rocksdb_slow_upload" not in {each["symptom_class"] for each in everything.document["findings"]}
    assert "because I say so" not in json.dumps(everything.document)


def test_nothing_usable_is_status_2_and_one_line_for_each_file(tmp_path: Path, spark_remote: str) -> None:
    folder = tmp_path / "upload"
    folder.mkdir()
    for builder in (inputs.empty, inputs.not_a_log, inputs.encrypted_zip, inputs.zip_bomb):
        builder(folder)
    ran = diagnose(tmp_path, *sorted(folder.iterdir()), spark_remote=spark_remote)
    assert ran.status == 2
    assert ran.document is None
    assert "Traceback" not in ran.err
    for file in folder.iterdir():
        assert sum(file.name in line for line in ran.err.splitlines()) == 1, ran.err


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = diagnose(tmp_path, tmp_path / "nowhere.log")
    assert ran.status == 2
    assert "nowhere.log" in ran.err
    assert "Traceback" not in ran.err


def test_ten_thousand_files_are_bounded_and_said_so(tmp_path: Path, spark_remote: str) -> None:
    (tmp_path / "upload").mkdir()
    inputs.zip_with_many_files(tmp_path / "upload")
    inputs.empty(tmp_path / "upload")
    ran = diagnose(tmp_path, tmp_path / "upload", spark_remote=spark_remote)
    assert ran.status == 0
    assert ran.document
    assert "5,000" in ran.out + ran.err + json.dumps(ran.document["inputs"])
