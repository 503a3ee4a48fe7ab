"""The same content twice in one upload."""

from pathlib import Path

from diagnostics.intake import InputFile
from diagnostics.intake.repeated_content import repeated_content


def file(folder: Path, number: int, name: str, text: str, format_id: str = "flink-log") -> InputFile:
    path = folder / str(number)
    path.write_text(text)
    return InputFile(number, name, path, len(text), format_id, "", 1.0, (), None)


def test_a_copied_log_is_read_once(tmp_path: Path) -> None:
    files = [file(tmp_path, 0, "jm.log", "a restart"), file(tmp_path, 1, "copy/jm.log", "a restart")]
    assert repeated_content(files) == {1: "jm.log"}


def test_files_of_the_same_size_with_other_content_are_all_read(tmp_path: Path) -> None:
    files = [file(tmp_path, 0, "jm.log", "a restart"), file(tmp_path, 1, "tm.log", "a failure")]
    assert repeated_content(files) == {}


def test_an_answer_that_did_not_change_until_the_next_snapshot_is_read_again(tmp_path: Path) -> None:
    answers = [file(tmp_path, number, f"t{number}/wm.json", "[]", "flink-rest-watermarks") for number in (0, 1)]
    assert repeated_content(answers) == {}
