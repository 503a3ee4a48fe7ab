"""Uploads shown to a virus scanner: a server that speaks as much of clamd's protocol as INSTREAM needs."""

from __future__ import annotations

import io
import socketserver
import threading
import zipfile
from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from tests.workbench.people import People, case_of
from workbench.machine.environment import CLAMD_FORM
from workbench.uploads.models import UploadedFile
from workbench.uploads.refusals import UploadRefused
from workbench.uploads.services import upload_add, uploads_add

EICAR = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
"""The text that every scanner finds, made for tests: https://www.eicar.org/download-anti-malware-testfile/."""
LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting TaskManager\n"
MOST = 1_000_000


class _Clamd(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert self.rfile.read(10) == b"zINSTREAM\0"
        content = b""
        while length := int.from_bytes(self.rfile.read(4), "big"):
            content += self.rfile.read(length)
            if len(content) > MOST:
                self.wfile.write(b"INSTREAM size limit exceeded. ERROR\0")
                return
        self.wfile.write(b"stream: Eicar-Signature FOUND\0" if EICAR in _opened(content) else b"stream: OK\0")


def _opened(content: bytes) -> bytes:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


@pytest.fixture
def clamd(settings: LazySettings) -> Iterator[None]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Clamd) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        settings.CLAMD = f"127.0.0.1:{server.server_address[1]}"
        yield
        server.shutdown()


def stored(settings: LazySettings) -> list[str]:
    return [path.name for path in settings.UPLOADS_DIR.rglob("*") if path.is_file()]


@pytest.mark.usefixtures("clamd")
def test_an_infected_file_is_refused_and_a_clean_one_beside_it_is_kept_f171(
    people: People, settings: LazySettings
) -> None:
    drops = [("bad.log", io.BytesIO(LOG + EICAR)), ("good.log", io.BytesIO(LOG))]

    bad, good = uploads_add(case=case_of(people.alice), user=people.alice, drops=drops)

    assert isinstance(bad, UploadRefused)
    assert str(bad) == "Not stored: the virus scanner finds Eicar-Signature in it."
    assert isinstance(good, UploadedFile)
    assert stored(settings) == [good.path.name]


@pytest.mark.usefixtures("clamd")
def test_an_infected_member_of_an_archive_refuses_the_archive(people: People, settings: LazySettings) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/tm.log", LOG)
        archive.writestr("logs/macro.doc", EICAR)
    packed.seek(0)

    with pytest.raises(UploadRefused, match="the virus scanner finds Eicar-Signature"):
        upload_add(case=case_of(people.alice), user=people.alice, content=packed, name="bundle.zip")
    assert stored(settings) == []


@pytest.mark.usefixtures("clamd")
def test_a_file_that_is_larger_than_the_scanner_reads_is_refused_with_the_setting(
    people: People, settings: LazySettings
) -> None:
    content = io.BytesIO(LOG * (MOST // len(LOG) + 5_000))

    with pytest.raises(UploadRefused, match="larger than it reads"):
        upload_add(case=case_of(people.alice), user=people.alice, content=content, name="tm.log")
    assert stored(settings) == []


def test_a_scanner_that_is_away_lets_nothing_through(people: People, settings: LazySettings) -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), _Clamd) as server:
        settings.CLAMD = f"127.0.0.1:{server.server_address[1]}"

    with pytest.raises(UploadRefused, match="which does not answer"):
        upload_add(case=case_of(people.alice), user=people.alice, content=io.BytesIO(LOG), name="tm.log")
    assert stored(settings) == []


@pytest.mark.parametrize(
    ("given", "fits"),
    [("clamav:3310", True), ("unix:/run/clamd.sock", True), ("[::1]:3310", True), ("clamav", False), ("a b:1", False)],
)
def test_the_address_is_a_socket_or_a_host_with_a_port(given: str, fits: bool) -> None:
    assert bool(CLAMD_FORM.fullmatch(given)) is fits
