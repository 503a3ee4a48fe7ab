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


def log(records: int, of: str = "orders") -> str:
    return "".join(f"2026-11-29 01:07:58,{each % 1000:03} INFO  {of} - checkpoint {each}\n" for each in range(records))


def test_of_a_log_that_was_fetched_twice_while_it_grew_the_longer_copy_is_read(tmp_path: Path) -> None:
    files = [
        file(tmp_path, 0, "logs/jobmanager/jm.log", log(200)),
        file(tmp_path, 1, "logs/taskmanager-1/jm.log", log(220)[:-5]),
        file(tmp_path, 2, "logs/taskmanager-2/jm.log", log(250)),
        file(tmp_path, 3, "logs/taskmanager-3/jm.log", log(200)),
        file(tmp_path, 4, "other.log", log(300, "payments")),
    ]
    longest = "logs/taskmanager-2/jm.log"
    assert repeated_content(files) == {0: longest, 1: longest, 3: longest}


def test_files_that_only_begin_alike_are_all_read(tmp_path: Path) -> None:
    files = [file(tmp_path, number, f"{number}.log", log(200) + log(number, "end")) for number in (3, 4, 5)]
    files += [file(tmp_path, 6, "6.log", log(200) + "something else\n")]
    assert repeated_content(files[:1] + files[3:]) == {}


def test_of_two_files_that_continue_a_third_the_longer_is_named(tmp_path: Path) -> None:
    files = [file(tmp_path, 0, "begin.log", log(200)), file(tmp_path, 1, "a.log", log(200) + "x\n" * 9)]
    files += [file(tmp_path, 2, "b.log", log(200) + "y\n" * 99)]
    assert repeated_content(files) == {0: "b.log"}


def test_each_of_many_files_that_differ_at_their_end_alone_is_read_once(tmp_path: Path) -> None:
    """An archive of such files is small, and comparing each with each other would read gigabytes."""
    begin = log(5_000)
    files = [file(tmp_path, number, f"{number}.log", f"{begin}{number:05}") for number in range(100)]
    before = bytes_read()
    assert repeated_content(files) == {}
    assert bytes_read() - before < 3 * sum(each.bytes for each in files)


def bytes_read() -> int:
    """Bytes that this process has read so far."""
    return int(Path("/proc/self/io").read_text().partition("rchar: ")[2].split()[0])


def test_a_short_excerpt_stands_for_itself(tmp_path: Path) -> None:
    files = [file(tmp_path, 0, "paste.txt", log(3)), file(tmp_path, 1, "jm.log", log(200))]
    assert repeated_content(files) == {}
