from __future__ import annotations

import shlex
from pathlib import Path

from django.test import Client

from diagnostics import collect_flink
from diagnostics.diagnosis.missing import collect_command, needs
from tests.workbench.people import People, signed_in


def test_a_host_of_the_cluster_gets_the_collector_without_an_account(db: None) -> None:
    answer = Client().get("/collect_flink.py")
    assert b"".join(answer.streaming_content) == Path(collect_flink.__file__).read_bytes()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="collect_flink.py"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_first_page_shows_the_commands_that_fetch_and_run_it(people: People) -> None:
    page = signed_in(people.alice).get("/cases/new/").content.decode()
    assert "curl -sO http://testserver/collect_flink.py" in page


def test_every_command_that_is_advised_is_one_that_the_collector_takes() -> None:
    parser = collect_flink.command_line()
    advised = [need.how for need in needs().values() if "{collect}" in need.how]
    assert advised
    for how in advised:
        options = how.partition("{collect}")[2].partition(",")[0].partition(" (")[0]
        parser.parse_args([*collect_command("f" * 32).split()[2:], *shlex.split(options, comments=True)])
