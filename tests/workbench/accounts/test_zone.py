"""The zone in which times are written is kept with the person, not with the browser."""

from __future__ import annotations

from django.test import Client

from tests.workbench.people import People, signed_in


def test_the_chosen_zone_is_there_in_another_browser(people: People) -> None:
    assert 'data-zone="utc"' in signed_in(people.bob).get("/").content.decode()
    assert signed_in(people.bob).post("/zone/", {"zone": "browser"}).status_code == 200
    assert 'data-zone="browser"' in signed_in(people.bob).get("/").content.decode()
    assert 'data-zone="utc"' in signed_in(people.alice).get("/").content.decode()


def test_a_zone_that_does_not_exist_is_refused(people: People) -> None:
    assert signed_in(people.bob).post("/zone/", {"zone": "Mars"}).status_code == 400
    assert signed_in(people.bob).get("/zone/").status_code == 405
    assert Client().post("/zone/", {"zone": "utc"}).status_code == 302
    people.bob.refresh_from_db()
    assert people.bob.zone_shown == "utc"
