"""Invalid and hostile files. Each function writes into a folder what one careless or malicious person would upload."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

GOOD_LOG = Path(__file__).with_name("taskmanager.log")
MIB = 1024**2
COPIES = itertools.count(1)


def good_log() -> bytes:
    """A short, real TaskManager log, each time with another last record: copies are read once."""
    return GOOD_LOG.read_bytes() + f"2026-11-21 01:36:00,000 INFO  a.B [] - copy {next(COPIES)}\n".encode()


def not_a_log(folder: Path) -> None:
    """Prose."""
    (folder / "letter.txt").write_text("Dear colleague,\n\nthe job is slow again. Please help.\n\nYours\n")


def empty(folder: Path) -> None:
    """No bytes at all, under a name that promises much."""
    (folder / "flink-taskmanager-empty.log").write_bytes(b"")


def binary(folder: Path) -> None:
    """Noise with every byte value, called a log."""
    (folder / "flink-jobmanager-binary.log").write_bytes(random.Random(1).randbytes(64 * 1024))


def truncated_gzip(folder: Path) -> None:
    """A gzip that ends in the middle, as a full disk leaves it."""
    whole = gzip.compress(good_log() * 50, mtime=0)
    (folder / "cut-taskmanager.log.gz").write_bytes(whole[: len(whole) // 2])


def damaged_gzip(folder: Path) -> None:
    """A gzip whose check sum does not hold."""
    whole = bytearray(gzip.compress(good_log(), mtime=0))
    whole[-8:-4] = b"\0\0\0\0"
    (folder / "damaged-taskmanager.log.gz").write_bytes(bytes(whole))


def wrong_json(folder: Path) -> None:
    """JSON that stops in the middle of a string."""
    (folder / "jobs_overview.json").write_text('{"jobs":[{"jid":"a3b1c2d4e5f60718293a4b5c6d7e8f90","name":"ord')


def unexpected_json(folder: Path) -> None:
    """Valid JSON under a REST answer's name, in which nothing has the shape it should have."""
    (folder / "taskmanagers.json").write_text('{"taskmanagers": {"id": [null, 1e999, true]}, "slotsTotal": "many"}')


def deep_json(folder: Path) -> None:
    """JSON nested a hundred thousand deep: a recursive reader overflows its stack."""
    (folder / "jobs_deep_checkpoints.json").write_text("[" * 100_000 + "]" * 100_000)


def endless_number(folder: Path) -> None:
    """A number of more digits than Python converts."""
    (folder / "size.json").write_text('{"size": ' + "9" * 5_000 + "}")


def error_page(folder: Path) -> None:
    """What a proxy answered in the place of Flink, saved under the answer's name."""
    page = "<!DOCTYPE html><html><head><title>502</title></head><body><script>alert(1)</script></body></html>"
    (folder / "jobs_overview.json").write_text(page)


def half_a_letter(folder: Path) -> None:
    """Texts with half of a surrogate pair, which JSON can hold and UTF-8 cannot."""
    half, job = "\\ud800", "62c0ae9f2958cc5d669a5f9058cc4097"
    (folder / "jobs_overview.json").write_text(f'{{"jobs":[{{"jid":"{job}","name":"a{half}","state":"{half}"}}]}}')
    thread = f'{{"tid":"1","name":"{half}","stack":["a.B.c{half}(B.java:1)"]}}'
    dump = f'{{"threadDump":{{"processId":"1","time":"{half}","threadContainers":[{{"threads":[{thread}]}}]}}}}'
    (folder / "threads.json").write_text(dump)


def absurd_numbers(folder: Path) -> None:
    """Measurements and times that no process has: beyond 64 bits, below nothing, before and after all calendars."""
    values = ("1e308", "-1e308", "NaN", "+Inf", "9" * 400, "-5", "9223372036854775808", "0")
    label = 'job_id="62c0ae9f2958cc5d669a5f9058cc4097",task_id="0fcda262ddc259703435ec6b5d9af99f",task_name="Map"'
    lines = [
        f'flink_taskmanager_job_task_{name}{{{label},subtask_index="{subtask}"}} {value} {time}\n'
        for name in ("busyTimeMsPerSecond", "numRecordsIn", "currentInputWatermark", "backPressuredTimeMsPerSecond")
        for subtask, value in enumerate(values)
        for time in ("1795222800000", "1", "999999999999999", "1795222860000")
    ]
    (folder / "taskmanager.prom").write_text("".join(lines))
    row = {"id": 2**63 - 1, "status": "COMPLETED", "trigger_timestamp": 2**62, "end_to_end_duration": 1e308}
    (folder / "jobs_62c0ae9f2958cc5d669a5f9058cc4097_checkpoints.json").write_text(
        json.dumps({"counts": {"completed": 10**400, "failed": -1}, "summary": {}, "latest": {}, "history": [row] * 3})
    )


def absurd_times(folder: Path) -> None:
    """A log whose clock stands still, runs back, and shows years that nobody lives to see."""
    record = "{} INFO  org.apache.flink.runtime.taskmanager.Task [] - Map (1/2)#0 switched from RUNNING to FAILED.\n"
    times = ("0000-00-00 00:00:00,000", "0001-01-01 00:00:00,000", "9999-12-31 23:59:59,999", "9999-99-99 99:99:99,999")
    text = "".join(record.format(time) for time in times) * 3
    (folder / "times-taskmanager.log").write_bytes(good_log() + text.encode() + good_log())


def compressed_nothing(folder: Path) -> None:
    """A gzip of a hundred thousand empty parts: each costs time, none gives a byte."""
    (folder / "nothing.log.gz").write_bytes(gzip.compress(b"", mtime=0) * 100_000)


def utf16_log(folder: Path) -> None:
    """A log as a Windows editor saves it."""
    (folder / "utf16-taskmanager.log").write_bytes(good_log().decode().encode("utf-16"))


def gbk_log(folder: Path) -> None:
    """A log with Chinese messages in GBK."""
    line = "2026-11-21 01:40:00,000 WARN  com.acme.risk.RiskScore [] - 订单延迟 下游写入变慢\n"
    (folder / "gbk-taskmanager.log").write_bytes(good_log() + (line * 20).encode("gbk"))


def gbk_names(folder: Path) -> None:
    """A folder in a zip as a Chinese Windows packs it: its name is in GBK, and nothing says so."""
    packed = _zipped({"XXXX/gbk-name-taskmanager.log": good_log()})
    (folder / "gbk-names.zip").write_bytes(packed.replace(b"XXXX", "日志".encode("gbk")))


def one_long_line(folder: Path) -> None:
    """Five MiB without a line break."""
    start = b"2026-11-21 01:40:00,000 ERROR com.acme.Sink [] - "
    (folder / "long-line-taskmanager.log").write_bytes(good_log() + start + b"x" * (5 * MIB))


def terminal_escapes(folder: Path) -> None:
    """A log that would clear the reader's terminal, with NUL bytes and a script for the browser."""
    line = b"2026-11-21 01:40:00,000 ERROR a.B [] - \x1b[2J\x1b]0;owned\x07 \0\0 <script>alert(1)</script> {{ 7*7 }}\n"
    (folder / "escapes-taskmanager.log").write_bytes(good_log() + line)


def zip_with_path_escape(folder: Path) -> None:
    """Entries that would be written outside, beside a good one."""
    with zipfile.ZipFile(folder / "escape.zip", "w") as archive:
        archive.writestr("../../escaped.log", good_log())
        archive.writestr("/etc/absolute.log", good_log())
        archive.writestr("..\\..\\windows.log", good_log())
        archive.writestr("logs/inside-taskmanager.log", good_log())


def zip_with_link(folder: Path) -> None:
    """A symbolic link to a file of the server, beside a good log."""
    with zipfile.ZipFile(folder / "links.zip", "w") as archive:
        link = zipfile.ZipInfo("logs/link-taskmanager.log")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("logs/beside-link-taskmanager.log", good_log())


def tar_with_links_and_devices(folder: Path) -> None:
    """Symbolic and hard links, a device and a pipe in a tar, beside a good log."""
    with tarfile.open(folder / "links.tar.gz", "w:gz") as archive:
        for name, kind in (
            ("sym.log", tarfile.SYMTYPE),
            ("hard.log", tarfile.LNKTYPE),
            ("device.log", tarfile.CHRTYPE),
        ):
            info = tarfile.TarInfo(f"logs/{name}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        pipe = tarfile.TarInfo("logs/pipe.log")
        pipe.type = tarfile.FIFOTYPE
        archive.addfile(pipe)
        info = tarfile.TarInfo("logs/in-tar-taskmanager.log")
        info.size = len(good_log())
        archive.addfile(info, io.BytesIO(good_log()))


def zip_bomb(folder: Path) -> None:
    """300 MiB of one byte in 300 KB."""
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb-taskmanager.log", b"\n" * (300 * MIB))


def nested_zip_bomb(folder: Path) -> None:
    """Zips in zips in zips: each level multiplies by ten."""
    inner = _zipped({"zeros.log": b"0" * (10 * MIB)})
    for depth in range(4):
        inner = _zipped({f"level{depth}-{copy}.zip": inner for copy in range(10)})
    (folder / "nested.zip").write_bytes(inner)


def zip_that_lies(folder: Path) -> None:
    """An entry that says it has ten bytes and has fifty million."""
    body = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = body.compress(b"1" * (50 * MIB)) + body.flush()
    (folder / "lying.zip").write_bytes(_raw_zip("lying-taskmanager.log", packed, size=10, flags=0, method=8))


def encrypted_zip(folder: Path) -> None:
    """A zip whose entry needs a password: bit 0 of the general purpose flags (APPNOTE 4.4.4)."""
    noise = random.Random(2).randbytes(12 + 200)
    (folder / "secret.zip").write_bytes(_raw_zip("secret-taskmanager.log", noise, size=200, flags=1, method=0))


def cut_zip(folder: Path) -> None:
    """A zip without its directory at the end, as a broken download leaves it.

    Its log begins as no other one does: the beginning of a log that another file continues is not read.
    """
    whole = _zipped({"logs/cut-in-zip-taskmanager.log": good_log().replace(b"2026-", b"2025-") * 20})
    (folder / "cut.zip").write_bytes(whole[: len(whole) // 2])


def gzip_of_zeros(folder: Path) -> None:
    """500 MB of zeros in half a megabyte."""
    with gzip.open(folder / "zeros.log.gz", "wb", compresslevel=6) as packed:
        for _ in range(500):
            packed.write(bytes(MIB))


def absurd_names(folder: Path) -> None:
    """Names with line breaks, markup, right-to-left marks, emojis, and as long as the file system allows."""
    for name in (
        "new\nline.log",
        "<script>alert(1)<script>.log",
        "\u202egol.txt",
        "🔥🔥.log",
        "'; DROP TABLE cases; --.log",
        "%2e%2e%2fescape.log",
        "--json",
        "n" * 251 + ".log",
    ):
        (folder / name).write_bytes(good_log())


def absurd_names_in_zip(folder: Path) -> None:
    """The same inside a zip, where a name may have any length and hold any character."""
    with zipfile.ZipFile(folder / "names.zip", "w") as archive:
        for name in (
            "</td><script>alert(1)</script>.log",
            "a/" * 200 + "deep.log",
            "n" * 300 + ".log",
            "C:\\tm.log",
            "nul\n.log",
        ):
            archive.writestr(name, good_log())


def truth_file(folder: Path) -> None:
    """A file that claims to know the answer."""
    claim = {"symptom_class": "rocksdb_slow_upload", "root_cause": "because I say so", "must_find": ["everything"]}
    (folder / "truth.json").write_text(json.dumps(claim))


def billion_laughs(folder: Path) -> None:
    """Flink's configuration, with aliases that multiply to a billion."""
    lines = ['a: &a ["lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol"]']
    for previous, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{previous}'] * 10)}]")
    (folder / "config.yaml").write_text("taskmanager.numberOfTaskSlots: 2\n" + "\n".join(lines) + "\n")


def python_object_yaml(folder: Path) -> None:
    """A configuration that asks the reader to run a command."""
    (folder / "flink-conf.yaml").write_text("parallelism.default: !!python/object/apply:os.system ['touch owned']\n")


def many_files(folder: Path, count: int = 10_000) -> None:
    """Ten thousand small logs in one folder."""
    for number in range(count):
        (folder / f"tm-{number:05}.log").write_bytes(b"2026-11-21 01:40:00,000 INFO  a.B [] - started\n")


def zip_with_many_files(folder: Path, count: int = 10_000) -> None:
    """Ten thousand small logs in one zip."""
    with zipfile.ZipFile(folder / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count):
            archive.writestr(f"tm-{number:05}.log", b"2026-11-21 01:40:00,000 INFO  a.B [] - started\n")


def write_all(folder: Path, builders: Iterable[Callable[[Path], None]]) -> None:
    """Each builder's files in a folder of its own name, and the good log beside them."""
    for builder in builders:
        below = folder / builder.__name__
        below.mkdir(parents=True)
        builder(below)
    (folder / "good-taskmanager.log").write_bytes(good_log())


def _zipped(entries: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return target.getvalue()


def _raw_zip(name: str, packed: bytes, *, size: int, flags: int, method: int) -> bytes:
    """A zip of one entry whose headers say what we like, after PKWARE's APPNOTE 4.3."""
    encoded = name.encode()
    common = struct.pack(
        "<HHHHHIIIHH", 20, flags, method, 0, 0x5B55, zlib.crc32(b""), len(packed), size, len(encoded), 0
    )
    local = b"PK\x03\x04" + common + encoded + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + encoded
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + end
