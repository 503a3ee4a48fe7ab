"""Redaction replaces secrets and nothing else; the files remain readable evidence."""

from __future__ import annotations

import bz2
import gzip
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import analyze
from diagnostics.errors import InvalidRule, UnreadableInput
from diagnostics.intake import SourceFile, unpack
from diagnostics.reading.case import Case
from diagnostics.redaction import RedactionRule, Redactor, redact_upload, shipped_redaction_rules
from diagnostics.redaction.redactor import OVERLAP_BYTES
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.diagnostics.intake.uploads import zipped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEY = b"a key for tests"
RULES = {rule.id: rule for rule in shipped_redaction_rules()}
LOG = b"2026-11-21 02:00:00,000 INFO  com.acme.Job [] - url jdbc:postgresql://ann:hunter2@db:5432/orders\n"
INCIDENT = Path(__file__).resolve().parents[2] / "incidents" / "heap_exhausted_seen_in_logs_and_gc" / "evidence.zip"


def redactor() -> Redactor:
    """Every rule, also those that are off unless somebody wants them."""
    return Redactor(shipped_redaction_rules(), KEY)


def redacted(name: str, content: bytes, folder: Path) -> tuple[Path, list[str]]:
    source, target = folder / "source", folder / "target"
    source.write_bytes(content)
    return target, redact_upload(SourceFile(source, name), target, redactor()).left_out


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_finds_its_examples_and_leaves_the_others(rule: RedactionRule) -> None:
    assert rule.errors() == []
    assert rule.finds
    assert rule.leaves


def test_only_the_value_is_replaced() -> None:
    found = redactor().text(LOG)
    assert found.startswith(LOG[:-30])
    assert b"hunter2" not in found
    assert found.endswith(b"@db:5432/orders\n")


def test_the_same_value_has_the_same_pseudonym_everywhere_and_another_key_gives_another() -> None:
    rule = RULES["url-password"]
    first = redactor().pseudonym(rule, b"hunter2")
    assert first == redactor().pseudonym(rule, b"hunter2")
    assert first != redactor().pseudonym(rule, b"hunter3")
    assert first != Redactor([rule], b"another key").pseudonym(rule, b"hunter2")


def test_what_is_redacted_already_stays() -> None:
    once = redactor().text(LOG + b"password: ******\nuser=ann@mail.example.com 10.1.2.3:80\n")
    assert redactor().text(once) == once


def test_lines_stay_where_they_are() -> None:
    key = b"-----BEGIN PRIVATE KEY-----\n" + b"MIIEowIBAAKCAQEA\n" * 9 + b"-----END PRIVATE KEY-----\n"
    found = redactor().text(LOG + key + LOG)
    assert b"MIIEow" not in found
    assert found.count(b"\n") == (LOG + key + LOG).count(b"\n")


@pytest.mark.parametrize("place", [OVERLAP_BYTES - 40, 2 * OVERLAP_BYTES - 40, 2 * OVERLAP_BYTES - 70])
@pytest.mark.parametrize("filler", [b"x", b"x\n", b'"a",'])
def test_a_value_where_two_pieces_meet_is_not_missed(place: int, filler: bytes) -> None:
    before = filler * (place // len(filler))
    text = before + b"\n" + LOG + filler * OVERLAP_BYTES * 3
    pieces = [text[start : start + 10_007] for start in range(0, len(text), 10_007)]
    assert b"".join(redactor().pieces(pieces)) == redactor().text(text)


def test_a_hostile_line_takes_no_time() -> None:
    """RE2 reads any text in linear time; these make other engines go on for ever."""
    for line in (b"password" * 50_000, b"a@" * 100_000, b"1.1.1." * 50_000, b"-----BEGIN " * 20_000):
        begun = time.process_time()
        assert redactor().text(line) == line
        assert time.process_time() - begun < 5


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_a_file_alone_keeps_its_name_and_stays_readable(pack, tmp_path: Path) -> None:
    target, left_out = redacted("tm.log", pack(LOG * 3), tmp_path)
    [file] = unpack([SourceFile(target, "tm.log")], tmp_path / "workspace").inputs
    assert (file.name, file.error, left_out) == ("tm.log", None, [])
    assert file.path is not None
    assert file.path.read_bytes().count(b"REDACTED-url-password") == 3


def test_files_of_archives_keep_their_names_and_what_is_no_text_is_left_out(tmp_path: Path) -> None:
    content = zipped({"logs/tm.log": LOG, "in.zip": zipped({"jm.log": LOG}), "a.jfr": b"FLR\x00" + bytes(64)})
    target, left_out = redacted("bundle.zip", content, tmp_path)
    files = unpack([SourceFile(target, "bundle.zip")], tmp_path / "workspace").inputs
    assert [file.name for file in files] == ["bundle.zip!/logs/tm.log", "bundle.zip!/in.zip!/jm.log"]
    assert left_out == ["bundle.zip!/a.jfr: no text, so secrets in it cannot be found"]


def test_an_upload_that_cannot_be_cleaned_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="a Java heap dump"):
        redacted("heap.hprof", b"JAVA PROFILE 1.0.2\x00" + bytes(600), tmp_path)


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("(a", "not an RE2 expression"),
        ("a", "has 0 groups"),
        ("(a*)", "finds nothing at all"),
        ("(b+)", "does not find the value"),
        ("(a+)", "finds something in"),
        ("x" * 3000, "is the bound"),
    ],
)
def test_a_rule_that_is_wrong_says_why(pattern: str, error: str) -> None:
    with pytest.raises(InvalidRule, match=error):
        RedactionRule.of({"id": "mine", "title": "Mine", "pattern": pattern, "finds": ["a >aaa<"], "leaves": ["a b a"]})


def named_as_in_production() -> bytes:
    """The incident with a real host name and an address where it has `localhost` and `127.0.0.1`."""
    with zipfile.ZipFile(INCIDENT) as incident:
        files = {name: incident.read(name) for name in incident.namelist()}
    hosts = {b"localhost": b"flink-1.acme.internal", b"127.0.0.1": b"10.20.30.40"}
    for name, content in files.items():
        for plain, real in hosts.items():
            content = content.replace(plain, real)
        files[name] = content + LOG
    return zipped(files)


@pytest.mark.spark
def test_the_verdict_is_the_same_before_and_after(spark: SparkSession, tmp_path: Path) -> None:
    content = named_as_in_production()
    after, _ = redacted("upload.zip", content, tmp_path)
    with zipfile.ZipFile(after) as bundle:
        assert not any(b"acme.internal" in bundle.read(name) for name in bundle.namelist())
    judged = []
    for path in (tmp_path / "source", after):
        workspace = tmp_path / f"workspace-{path.name}"
        workspace.mkdir()
        ruleset = Ruleset.of(shipped_rules())
        document = analyze(
            Case([SourceFile(path, "upload.zip")]), ruleset=ruleset, spark=spark, workspace=workspace
        ).document
        findings = [(each["rule"]["id"], each["confidence"], each["role"]) for each in document["findings"]]
        judged.append((document["verdict"]["symptom_class"], document["verdict"]["confidence"], findings))
    assert judged[0] == judged[1]
