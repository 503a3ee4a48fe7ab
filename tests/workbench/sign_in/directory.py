"""OpenLDAP's server as a program, with people and groups, on the loopback interface."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ldap3 import Connection, Server
from ldap3.core.exceptions import LDAPException

from tests.workbench.certificates import STARTTLS_ADDRESS, write_certificate

SLAPD = shutil.which("slapd", path=f"{os.environ['PATH']}:/usr/sbin")
BASE = "dc=example,dc=org"
READER, READER_PASSWORD = f"cn=reader,{BASE}", "reader-has-a-password"
PASSWORD = "directory-has-a-password"
CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile {folder}/pid
TLSCACertificateFile {folder}/certificate.pem
TLSCertificateFile {folder}/certificate.pem
TLSCertificateKeyFile {folder}/key.pem
database mdb
directory {folder}
suffix "{base}"
rootdn "{reader}"
rootpw "{password}"
"""
PEOPLE = {"lena": "Lena Lind", "olaf": "Olaf Ost", "star*": "Star Sign"}
GROUPS = {"flink-oncall": ["lena"], "canteen": ["lena", "olaf", "star*"]}


@dataclass(frozen=True, slots=True)
class Directory:
    """The running server: its plain and its encrypted port, and the certificate that verifies it."""

    port: int
    tls_port: int
    certificate: Path


@contextmanager
def running_directory(folder: Path, port: int, tls_port: int) -> Iterator[Directory]:
    """The server, filled; it ends with the block."""
    assert SLAPD is not None
    certificate = write_certificate(folder)
    settings = {"folder": folder, "base": BASE, "reader": READER, "password": READER_PASSWORD}
    (folder / "slapd.conf").write_text(CONFIGURATION.format_map(settings))
    plain = f"ldap://127.0.0.1:{port}/ ldap://{STARTTLS_ADDRESS}:{port}/ ldap://127.0.0.2:{port}/"
    listening = f"{plain} ldaps://127.0.0.1:{tls_port}/ ldaps://127.0.0.2:{tls_port}/"
    with subprocess.Popen([SLAPD, "-h", listening, "-f", folder / "slapd.conf", "-d", "0"]) as program:
        try:
            _fill(port)
            yield Directory(port, tls_port, certificate)
        finally:
            program.terminate()


def _fill(port: int) -> None:
    with _connected(port) as directory:
        directory.add(BASE, ["dcObject", "organization"], {"o": "Example"})
        for unit in ("people", "groups"):
            directory.add(f"ou={unit},{BASE}", "organizationalUnit")
        for uid, name in PEOPLE.items():
            first, last = name.split()
            entry = {"cn": name, "sn": last, "givenName": first, "mail": f"{first}@example.org"}
            entry["userPassword"] = PASSWORD
            directory.add(f"uid={uid},ou=people,{BASE}", "inetOrgPerson", entry)
        for group, members in GROUPS.items():
            entry = {"member": [f"uid={uid},ou=people,{BASE}" for uid in members]}
            directory.add(f"cn={group},ou=groups,{BASE}", "groupOfNames", entry)


def _connected(port: int) -> Connection:
    until = time.monotonic() + 20
    while True:
        try:
            return Connection(Server("127.0.0.1", port), READER, READER_PASSWORD, auto_bind=True)
        except LDAPException:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
