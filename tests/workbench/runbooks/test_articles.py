"""A pasted article without the page around it, kept as a text beside a runbook."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.rules.models import Draft, RuleVersion
from workbench.runbooks.models import Article
from workbench.runbooks.pasted_article import LONGEST_ARTICLE, article_in

BODY = """Why our checkpoints expired
The job failed every night because one key received most of the clicks, and its window held back the barriers.

## What we changed
1. We salted the key of the campaign and aggregated in two steps, which spread the records evenly.

```
execution.checkpointing.timeout: 20 min
```

Comments in the code of the source name the keys, and the share of the hottest one fell from 90 % to 12 %."""

TAIL = """Related articles
Ten tips for Kafka
What is new in Flink
Sign up
Download our app
About us
Advertisement
Buy two clusters, get one free!
Contact"""

HEAD = """Home
Products
Blog
Log in
Search"""

CHINESE = Path(__file__).with_name("pasted_page_zh.txt").read_text("utf-8")


def test_the_page_around_an_article_is_cut_off_s164() -> None:
    read = article_in(f"{HEAD}\n{BODY}\n{TAIL}")

    assert read.text == BODY
    assert [line for line in read.after if line] == TAIL.split("\n")
    assert [line for line in read.before if line] == HEAD.split("\n")
    assert read.cut == 14


def test_the_page_around_a_chinese_article_is_cut_off() -> None:
    read = article_in(CHINESE)

    assert read.lines[0] == "Flink Checkpoint 超时排查"
    assert read.lines[-1].startswith("资源不足时先看内存配置")
    assert "相关推荐" in read.after


@pytest.mark.parametrize("text", [BODY, BODY + "\nThe streaming team", "Restart it", "", "\n\n", "Related articles"])
def test_a_text_without_a_page_around_it_is_kept_whole(text: str) -> None:
    read = article_in(text)

    assert read.text == text.strip("\n")
    assert read.cut == 0


def test_a_hostile_text_is_read_within_bounds() -> None:
    began = time.process_time()
    for text in (
        "a\n" * LONGEST_ARTICLE,
        "related articles\n" * LONGEST_ARTICLE,
        " " * 10 * LONGEST_ARTICLE,
        "<" * 10**6,
    ):
        assert len(article_in(text).text) <= LONGEST_ARTICLE
    assert time.process_time() - began < 10


def test_what_is_cut_is_shown_before_anything_is_kept(people: People) -> None:
    sent = {"text": f"{HEAD}\n{BODY}\n{TAIL}", "does": "read"}
    page = signed_in(people.alice).post(reverse("runbooks:articles"), sent).content.decode()

    assert "14 lines that the page has around the article are left out." in page
    assert "Ten tips for Kafka" in page
    assert not Article.objects.exists()


def test_an_article_is_kept_for_the_team_and_becomes_no_rule(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0]["runbook"] = "data-skew"
    analysis.save(update_fields=["document"])
    before = (RuleVersion.objects.count(), Draft.objects.count())
    text = BODY + "\n<script>alert(1)</script>\nwhen: {fact: load_balance.skew_ratio, op: '>=', value: 1}"
    sent = {"text": text, "title": "Salting", "runbook": "data-skew", "team": str(people.team.pk), "does": "keep"}

    signed_in(people.alice).post(reverse("runbooks:articles"), sent)

    article = Article.objects.get()
    page = signed_in(people.bob).get(article.get_absolute_url()).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    runbook = signed_in(people.bob).get(reverse("runbooks:detail", args=[analysis.pk, 0])).content.decode()
    assert f'href="{article.get_absolute_url()}"' in runbook
    assert (RuleVersion.objects.count(), Draft.objects.count()) == before
    assert signed_in(people.charlie).get(article.get_absolute_url()).status_code == 404


@pytest.mark.parametrize(
    "wrong", [{"title": ""}, {"text": " "}, {"runbook": "no-such"}, {"url": "javascript:alert(1)"}, {"team": "999"}]
)
def test_what_cannot_be_kept_is_refused_beside_its_field(people: People, wrong: dict[str, str]) -> None:
    sent = {
        "text": BODY,
        "title": "Salting",
        "runbook": "data-skew",
        "team": str(people.team.pk),
        "does": "keep",
    } | wrong

    answer = signed_in(people.alice).post(reverse("runbooks:articles"), sent)

    assert answer.status_code == 200
    assert not Article.objects.exists()


def test_an_article_is_removed_by_who_may_change_cases(people: People) -> None:
    article = Article.objects.create(team=people.team, runbook="data-skew", title="x", text="y", added_by=people.alice)
    address = reverse("runbooks:article_remove", args=[article.pk])

    assert signed_in(people.vera).post(address).status_code == 403
    assert signed_in(people.bob).post(address).status_code == 302
    assert not Article.objects.exists()
