"""Sign-in by OpenID Connect against a real provider, and what a hostile person may try with it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.conf import LazySettings
from django.test import Client

from tests.workbench.people import People
from tests.workbench.sign_in.conftest import RunningProvider, way_to_the_provider
from workbench.accounts.models import ApiToken, Membership, Role, Team, User
from workbench.sign_in.models import GroupMapping, Identity
from workbench.sign_in.oidc import _clients


@pytest.fixture
def mapped(people: People) -> People:
    GroupMapping.objects.create(group="flink-oncall", team=people.team, role=Role.RESPONDER)
    GroupMapping.objects.create(group="Flink-Rules", role=Role.RULE_EDITOR)
    return people


def signed_in_as(client: Client, provider: RunningProvider, name: str, place: str = "") -> requests.Response:
    return client.get(provider.sign_in(way_to_the_provider(client, place), name))


def test_a_person_of_a_mapped_group_signs_in_with_its_team_and_role(mapped: People, provider: RunningProvider) -> None:
    client = Client()
    answer = signed_in_as(client, provider, "paula", "/rules/")
    assert (answer.status_code, answer["Location"]) == (302, "/rules/")
    paula = User.objects.get(username="paula")
    assert (paula.role, list(paula.teams.all()), paula.first_name) == (Role.RESPONDER, [mapped.team], "Paula")
    assert not paula.has_usable_password()
    assert client.get("/").status_code == 200
    assert client.session.get_expiry_age() <= 12 * 3600


def test_the_highest_role_of_several_groups_counts_and_case_does_not(mapped: People, provider: RunningProvider) -> None:
    signed_in_as(Client(), provider, "rolf")
    assert User.objects.get(username="rolf").role == Role.RULE_EDITOR


def test_the_way_to_the_provider_has_state_nonce_and_pkce(mapped: People, provider: RunningProvider) -> None:
    query = parse_qs(urlsplit(way_to_the_provider(Client())).query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["response_type"] == ["code"]
    assert all(len(query[name][0]) >= 20 for name in ("state", "nonce", "code_challenge"))
    again = parse_qs(urlsplit(way_to_the_provider(Client())).query)
    assert all(query[name] != again[name] for name in ("state", "nonce", "code_challenge"))


def test_whoever_is_in_no_mapped_group_is_not_admitted(mapped: People, provider: RunningProvider) -> None:
    client = Client()
    answer = signed_in_as(client, provider, "nobody")
    assert answer.status_code == 403
    assert "None of your groups may use this workbench" in answer.content.decode()
    assert not User.objects.filter(username="nobody").exists()
    assert client.get("/").status_code == 302


def test_whoever_lost_all_groups_loses_role_teams_and_tokens(mapped: People, provider: RunningProvider) -> None:
    signed_in_as(Client(), provider, "rolf")
    rolf = User.objects.get(username="rolf")
    ApiToken.objects.make(rolf, "script")
    by_hand = Team.objects.create(name="By hand")
    Membership.objects.create(user=rolf, team=by_hand)
    GroupMapping.objects.all().delete()
    GroupMapping.objects.create(group="others", team=mapped.team)
    assert signed_in_as(Client(), provider, "rolf").status_code == 403
    rolf.refresh_from_db()
    assert (rolf.role, list(rolf.teams.all()), rolf.is_staff) == (Role.VIEWER, [by_hand], False)
    assert not rolf.api_tokens.exists()


def test_nobody_becomes_a_local_account_of_the_same_name(mapped: People, provider: RunningProvider) -> None:
    answer = signed_in_as(Client(), provider, "alice")
    assert answer.status_code == 403
    assert "There is an account alice already" in answer.content.decode()
    assert not Identity.objects.exists()


def test_an_administrator_links_a_local_account(mapped: People, provider: RunningProvider) -> None:
    signed_in_as(Client(), provider, "paula")
    Identity.objects.update(user=mapped.bob)
    client = Client()
    assert signed_in_as(client, provider, "paula").status_code == 302
    assert client.session["_auth_user_id"] == str(mapped.bob.pk)


def test_an_account_that_is_not_active_stays_out(mapped: People, provider: RunningProvider) -> None:
    signed_in_as(Client(), provider, "paula")
    User.objects.filter(username="paula").update(is_active=False)
    assert signed_in_as(Client(), provider, "paula").status_code == 403


# Hostile people


def test_a_sign_in_begun_in_another_browser_is_refused(mapped: People, provider: RunningProvider) -> None:
    back = provider.sign_in(way_to_the_provider(Client()), "paula")
    victim = Client()
    answer = victim.get(back)
    assert answer.status_code == 403
    assert "not begun in this browser" in answer.content.decode()
    assert "_auth_user_id" not in victim.session


def test_a_way_back_counts_once(mapped: People, provider: RunningProvider) -> None:
    client = Client()
    back = provider.sign_in(way_to_the_provider(client), "paula")
    assert client.get(back).status_code == 302
    client.post("/logout/")
    assert client.get(back).status_code == 403


@pytest.mark.parametrize("changed", ["nonce", "code_verifier"])
def test_a_token_for_another_nonce_and_a_code_for_another_verifier_are_refused(
    mapped: People, provider: RunningProvider, changed: str
) -> None:
    client = Client()
    back = provider.sign_in(way_to_the_provider(client), "paula")
    session = client.session
    [name] = [name for name, _ in session.items() if name.startswith("_state_")]
    session[name]["data"][changed] = "x" * 43
    session[name] = dict(session[name])
    session.save()
    assert client.get(back).status_code == 403
    assert not User.objects.filter(username="paula").exists()


@pytest.mark.parametrize(
    "place",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "http:///evil.example"],
)
def test_the_page_to_go_to_is_one_of_this_workbench(mapped: People, provider: RunningProvider, place: str) -> None:
    assert signed_in_as(Client(), provider, "paula", place)["Location"] == "/"


def test_the_way_back_does_not_depend_on_the_host_of_the_request(mapped: People, provider: RunningProvider) -> None:
    query = parse_qs(urlsplit(way_to_the_provider(Client(headers={"Host": "localhost"}))).query)
    assert query["redirect_uri"] == ["http://workbench.test/sign-in/oidc/callback/"]


def test_ten_worthless_ways_back_stop_the_address(mapped: People, provider: RunningProvider) -> None:
    statuses = [Client().get("/sign-in/oidc/callback/", {"code": "x", "state": "y"}).status_code for _ in range(11)]
    assert (statuses[0], statuses[-1]) == (403, 429)
    assert Client().get("/sign-in/oidc/").status_code == 429
    assert Client(REMOTE_ADDR="192.0.2.9").get("/sign-in/oidc/").status_code == 302


def test_an_error_of_the_provider_is_not_repeated_on_the_page(mapped: People, provider: RunningProvider) -> None:
    asked = {"error": "server_error", "error_description": "<b>call 0900</b>", "state": "x"}
    answer = Client().get("/sign-in/oidc/callback/", asked)
    assert answer.status_code == 403
    assert "call 0900" not in answer.content.decode()  # the number alone may stand in a token or a file's digest


def test_a_provider_that_describes_another_issuer_is_refused(
    mapped: People, provider: RunningProvider, settings: LazySettings
) -> None:
    settings.OIDC_ISSUER = provider.issuer + "/"
    answer = Client().get("/sign-in/oidc/")
    assert answer.status_code == 503
    assert "could not be verified" in answer.content.decode()


@pytest.mark.parametrize("issuer", ["http://127.0.0.1:9/o", "http://10.0.0.1/o"])
def test_a_provider_that_does_not_answer_or_must_not_be_asked_says_so(
    mapped: People, provider: RunningProvider, settings: LazySettings, issuer: str
) -> None:
    settings.OIDC_ISSUER = issuer
    assert Client().get("/sign-in/oidc/").status_code == 503


def test_keys_at_an_address_of_this_machine_are_not_fetched_for_a_provider_elsewhere(
    mapped: People, provider: RunningProvider
) -> None:
    client = Client()
    back = provider.sign_in(way_to_the_provider(client), "paula")
    [(_, known)] = _clients.values()
    known.server_metadata.pop("jwks", None)
    known.server_metadata["jwks_uri"] = known.server_metadata["jwks_uri"].replace("127.0.0.1", "127.0.0.2")
    try:
        assert client.get(back).status_code == 403
    finally:
        _clients.clear()


# Local accounts stay


def test_local_accounts_sign_in_beside_the_provider(mapped: People, provider: RunningProvider) -> None:
    client = Client()
    page = client.get("/login/", {"next": "/rules/?a=1&b=2"}).content.decode()
    assert "/sign-in/oidc/?next=%2Frules%2F%3Fa%3D1%26b%3D2" in page
    form = {"username": "alice", "password": "alice-has-a-password"}
    assert client.post("/login/", form).status_code == 302


def test_without_a_provider_there_is_no_way_to_one(people: People) -> None:
    assert "sign-in/oidc" not in Client().get("/login/").content.decode()
    assert Client().get("/sign-in/oidc/").status_code == 404
    assert Client().get("/sign-in/oidc/callback/").status_code == 404
