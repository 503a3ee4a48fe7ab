"""Blocks of code, put into the sources of real jobs in place of what they quote, are taken by Java's compiler."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from diagnostics.notation.source_text import without_comments
from tests.collecting.flink_cluster import JARS
from tests.diagnosed_corpus import CORPUS
from tests.diagnostics.symptoms.test_code_with_the_names_of_the_job import CLOCKS, blocks, source_facts

FLINK = next(iter(JARS.glob("lib/flink-dist-*.jar")), None)
READINGS = CORPUS / "out_of_order_events-a" / "conf" / "SensorWindowJob.java"
PROFILES = CORPUS / "rocksdb_slow_upload-a" / "conf" / "SessionProfileJob.java"
IMPORTS = re.compile(r"also needs these imports: (.+)\.$")
IN_THE_FUNCTION = re.compile(r"^// In processElement\(\)", re.MULTILINE)

pytestmark = [
    pytest.mark.skipif(not READINGS.is_file(), reason="the corpus is not on this machine"),
    pytest.mark.skipif(FLINK is None, reason="there is no Flink here: `make flink` installs it (240 MB)"),
    pytest.mark.skipif(shutil.which("javac") is None, reason="there is no Java compiler here"),
]


def faults_of(code: str, name: str, folder: Path) -> str:
    """What the compiler says against the source; empty where it takes it."""
    source = folder / f"{name}.java"
    source.write_text(code)
    command = ["javac", "-nowarn", "-cp", str(FLINK), "-d", str(folder), str(source)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return made.stderr if made.returncode else ""


def test_time_stamps_are_clamped_and_lateness_is_allowed_in_place(tmp_path: Path) -> None:
    code = READINGS.read_text()
    facts = {"device_clocks": CLOCKS, "job_code": source_facts(without_comments(code))}
    for block in blocks("out-of-order-events", facts)[:2]:
        assert code.count(block["from"]) == 1
        code = code.replace(block["from"], block["to"])
    assert faults_of(code, READINGS.stem, tmp_path) == ""


def test_a_state_gets_a_time_to_live_in_place(tmp_path: Path) -> None:
    code = PROFILES.read_text()
    stated = {"job_code": source_facts(without_comments(code))}
    [block] = [each for each in blocks("rocksdb-slow-upload", stated) if "StateTtl" in each["to"]]
    assert code.count(block["from"]) == 1
    field, _, rest = block["to"].partition("\n")
    opened, moved = rest[: (place := IN_THE_FUNCTION.search(rest).start())], rest[place:]  # type: ignore[union-attr]
    needed = [name for said in block["unset"] for found in IMPORTS.findall(said) for name in found.split(", ")]
    code = code.replace(block["from"], opened)
    code = code.replace(
        "@Override\n        public void open", f"{field}\n        @Override\n        public void open", 1
    )
    code = code.replace("byte[] p = profile.value();", f"{moved}\nbyte[] p = profile.value();", 1)
    code = code.replace(
        "import java.util.Random;", "".join(f"import {each};\n" for each in ("java.util.Random", *needed))
    )
    assert faults_of(code, PROFILES.stem, tmp_path) == ""
