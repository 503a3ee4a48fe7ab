"""Recordings of Java Flight Recorder, read with the JDK's own tool."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from diagnostics.errors import UnreadableInput
from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile, read_lines, unpack
from tests.diagnostics.formats.reading_aids import Read, read, read_path
from tests.diagnostics.intake.uploads import zipped

SAMPLE = Path(__file__).parent / "samples" / "heavy.jfr"
RECORDING = FORMATS["flight-recording"]


@pytest.fixture(scope="module")
def recording() -> Read:
    return read_path(RECORDING, SAMPLE, "taskmanager.jfr")


def weights(recording: Read) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in recording.rows["stack_sample"]:
        found[row["mode"]] += row["weight"]
    return found


def test_every_execution_sample_is_counted(recording: Read) -> None:
    """`jfr summary` counts 346 of them in this recording."""
    assert weights(recording)["cpu"] == 346


def test_samples_show_when_they_were_taken_to_the_second(recording: Read) -> None:
    """The recording is 8.6 s long, of which 60 slots would be shorter than a second each."""
    times = sorted({row["ts_ms"] for row in recording.rows["stack_sample"] if row["mode"] == "cpu"})
    assert len(times) > 1
    assert {(time - recording.coverage[0].first_ts_ms) % 1_000 for time in times} == {0}


def test_stacks_begin_at_the_root_and_name_the_method(recording: Read) -> None:
    heaviest = max(recording.rows["stack_sample"], key=lambda row: (row["mode"] == "cpu", row["weight"]))
    assert heaviest["thread"] == "main"
    assert heaviest["frames"][-1].startswith("java.util.")
    assert not any("(" in frame or "line:" in frame for frame in heaviest["frames"])


def test_collections_have_their_pause_and_heap(recording: Read) -> None:
    """`jfr view`'s numbers: six young collections and six by the old collector."""
    pauses = recording.rows["gc_pause"]
    assert Counter(row["kind"] for row in pauses) == {"young": 6, "concurrent": 6}
    assert pauses[0]["pause_ms"] == pytest.approx(5.66373)
    assert (pauses[0]["before_bytes"], pauses[0]["after_bytes"]) == (83338136, 82734640)
    assert {row["collector"] for row in pauses} == {"G1"}


def test_a_recording_comes_through_the_intake_byte_for_byte(tmp_path: Path) -> None:
    upload = tmp_path / "upload.zip"
    upload.write_bytes(zipped({"profile/a.jfr": SAMPLE.read_bytes()}))
    (only,) = unpack([SourceFile(upload, "upload.zip")], tmp_path / "workspace").inputs
    assert only.format_id == "flight-recording"
    assert only.path is not None
    assert only.path.read_bytes() == SAMPLE.read_bytes()


def test_a_recording_has_no_lines_to_show() -> None:
    with pytest.raises(UnreadableInput, match="no text"):
        read_lines(SourceFile(SAMPLE, "a.jfr"), None, 1, 10)


def test_a_recording_that_was_cut_says_so(tmp_path: Path) -> None:
    found = read(RECORDING, SAMPLE.read_bytes()[:200_000], tmp_path, "cut.jfr")
    assert found.rows == {}
    assert "its end is missing" in found.warnings[0]


def test_a_recording_with_damaged_events_ends_with_the_tools_reason(tmp_path: Path) -> None:
    content = bytearray(SAMPLE.read_bytes())
    content[1000:300_000] = bytes(299_000)
    with pytest.raises(UnreadableInput, match="`jfr print` could not read the recording"):
        read(RECORDING, bytes(content), tmp_path, "damaged.jfr")


def test_a_stored_file_needs_no_suffix(tmp_path: Path, recording: Read) -> None:
    """Uploads are stored under their digest, and the tool refuses what does not end with `.jfr`."""
    stored = tmp_path / "3f2a9c"
    stored.write_bytes(SAMPLE.read_bytes())
    assert weights(read_path(RECORDING, stored, "taskmanager.jfr")) == weights(recording)
