"""Sign-in by a directory: OpenLDAP's own server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from diagnostics.spark.ports import free_port
from tests.workbench.certificates import STARTTLS_ADDRESS
from tests.workbench.people import People
from tests.workbench.sign_in.directory import (
    BASE,
    PASSWORD,
    READER,
    READER_PASSWORD,
    SLAPD,
    Directory,
    running_directory,
)
from workbench.accounts.models import Role, User
from workbench.sign_in.models import GroupMapping, Identity

pytestmark = pytest.mark.skipif(SLAPD is None, reason="slapd (Debian) is not installed")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    with running_directory(tmp_path_factory.mktemp("directory"), free_port(), free_port()) as directory:
        yield directory


@pytest.fixture
def directory(running: Directory, people: People, settings: LazySettings) -> Directory:
    """The directory as the environment of the workbench names it, with one group mapped."""
    settings.LDAP_URL = f"ldap://127.0.0.1:{running.port}"
    settings.LDAP_BIND_DN, settings.LDAP_PASSWORD = READER, READER_PASSWORD
    settings.LDAP_PEOPLE, settings.LDAP_GROUPS = f"ou=people,{BASE}", f"ou=groups,{BASE}"
    GroupMapping.objects.create(group="flink-oncall", team=people.team, role=Role.RESPONDER)
    return running


def sign_in(name: str, password: str, client: Client | None = None) -> tuple[int, str]:
    answer = (client or Client()).post("/login/", {"username": name, "password": password})
    return answer.status_code, answer.content.decode()


def test_a_person_of_a_mapped_group_signs_in_with_its_team_and_role(directory: Directory, people: People) -> None:
    client = Client()
    assert sign_in("lena", PASSWORD, client)[0] == 302
    lena = User.objects.get(username="lena")
    assert (lena.role, list(lena.teams.all()), lena.last_name) == (Role.RESPONDER, [people.team], "Lind")
    assert not lena.has_usable_password()
    assert client.session.get_expiry_age() <= 12 * 3600
    assert sign_in("LENA", PASSWORD)[0] == 302, "a directory compares names without case"
    assert User.objects.filter(username__iexact="lena").count() == 1


def test_a_group_is_mapped_by_its_distinguished_name_too(directory: Directory, people: People) -> None:
    GroupMapping.objects.create(group=f"CN=Canteen,ou=groups,{BASE}", role=Role.VIEWER)
    assert sign_in("olaf", PASSWORD)[0] == 302
    assert User.objects.get(username="olaf").role == Role.VIEWER


def test_whoever_is_in_no_mapped_group_is_not_admitted_and_reads_why(directory: Directory) -> None:
    status, page = sign_in("olaf", PASSWORD)
    assert status == 200
    assert "None of your groups may use this workbench" in page
    assert not User.objects.filter(username="olaf").exists()


@pytest.mark.parametrize("password", ["wrong", "", " ", "\x00", "x" * 5_000])
def test_a_wrong_or_empty_password_signs_nobody_in(directory: Directory, password: str) -> None:
    assert sign_in("lena", password)[0] == 200
    assert not Identity.objects.exists()


@pytest.mark.parametrize("name", ["*", "l*", "lena)(uid=*", "star*)", "lena\x00", "(", "\\", "uid=lena"])
def test_a_name_with_characters_of_filters_matches_nobody_else(directory: Directory, name: str) -> None:
    assert sign_in(name, PASSWORD)[0] == 200
    assert not Identity.objects.exists()


def test_a_name_with_an_asterisk_is_that_person(directory: Directory, people: People) -> None:
    GroupMapping.objects.create(group="canteen", role=Role.VIEWER)
    assert sign_in("star*", PASSWORD)[0] == 302
    assert User.objects.get(username="star").last_name == "Sign"


def test_guessing_is_bounded_as_for_local_accounts(directory: Directory) -> None:
    statuses = [sign_in("lena", f"guess-{number}")[0] for number in range(10)]
    assert statuses[:9] == [200] * 9
    assert sign_in("lena", PASSWORD)[0] == 429


def test_nobody_becomes_a_local_account_of_the_same_name(directory: Directory, people: People) -> None:
    User.objects.create_user("lena", password="lena-has-a-local-one")
    status, page = sign_in("lena", PASSWORD)
    assert status == 200
    assert "There is an account lena already" in page
    assert sign_in("lena", "lena-has-a-local-one")[0] == 302


def test_a_directory_that_does_not_answer_leaves_local_accounts(directory: Directory, settings: LazySettings) -> None:
    settings.LDAP_URL = f"ldap://127.0.0.1:{free_port()}"
    status, page = sign_in("lena", PASSWORD)
    assert status == 200
    assert "The directory does not answer; local accounts can sign in." in page
    assert sign_in("alice", "alice-has-a-password")[0] == 302


def test_a_refused_reader_is_a_failure_of_the_directory(directory: Directory, settings: LazySettings) -> None:
    settings.LDAP_PASSWORD = "another"
    assert "The directory does not answer" in sign_in("lena", PASSWORD)[1]


def test_an_encrypted_connection_verifies_the_certificate(
    directory: Directory, settings: LazySettings, tmp_path: Path
) -> None:
    settings.LDAP_URL, settings.LDAP_CA_FILE = f"ldaps://localhost:{directory.tls_port}", str(directory.certificate)
    assert sign_in("lena", PASSWORD)[0] == 302
    settings.LDAP_CA_FILE = ""
    assert "The directory does not answer" in sign_in("lena", PASSWORD)[1]


def test_a_certificate_of_another_name_is_refused(directory: Directory, settings: LazySettings) -> None:
    settings.LDAP_URL, settings.LDAP_CA_FILE = f"ldaps://127.0.0.2:{directory.tls_port}", str(directory.certificate)
    assert "The directory does not answer" in sign_in("lena", PASSWORD)[1]


def test_a_plain_address_elsewhere_is_encrypted_by_starttls_and_verified(
    directory: Directory, settings: LazySettings
) -> None:
    settings.LDAP_URL = f"ldap://{STARTTLS_ADDRESS}:{directory.port}"
    settings.LDAP_CA_FILE = str(directory.certificate)
    assert sign_in("lena", PASSWORD)[0] == 302
    settings.LDAP_CA_FILE = ""
    assert "The directory does not answer" in sign_in("lena", PASSWORD)[1]


def test_a_directory_elsewhere_with_a_certificate_of_another_name_gets_no_password(
    directory: Directory, settings: LazySettings
) -> None:
    settings.LDAP_URL, settings.LDAP_CA_FILE = f"ldap://127.0.0.2:{directory.port}", str(directory.certificate)
    assert "The directory does not answer" in sign_in("lena", PASSWORD)[1]
