"""Keeps and removes the articles of a team about a runbook's class."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet

from diagnostics.runbook import runbooks
from workbench.accounts.models import Team, User
from workbench.languages.sentences import say
from workbench.runbooks.models import LONGEST_TITLE, LONGEST_URL, Article
from workbench.runbooks.pasted_article import LONGEST_ARTICLE
from workbench.untrusted.storable import storable


def articles_visible(user: User) -> QuerySet[Article]:
    """The articles of the user's teams; of all for an administrator."""
    known = Article.objects.select_related("team", "added_by")
    return known if user.is_administrator else known.filter(team__in=user.teams.all())


def article_add(*, user: User, team: Team | None, runbook: str, title: str, text: str, url: str = "") -> Article:
    """Keeps an article beside a runbook. It stays a text: no rule and no step is made from it.

    Raises PermissionDenied for readers, ValidationError by field.
    """
    if not user.may_change_cases:
        raise PermissionDenied(say("Your role may read articles, not add them."))
    if team is None or not (user.is_administrator or user.teams.filter(pk=team.pk).exists()):
        raise ValidationError({"team": say("Choose one of your teams.")})
    errors: dict[str, str] = {}
    if runbook not in runbooks():
        errors["runbook"] = say("Choose the runbook that it belongs to.")
    title, text, url = " ".join(title.split()), text.strip(), url.strip()
    if not title or len(title) > LONGEST_TITLE:
        errors["title"] = say("A title has 1 to {most} characters.", most=LONGEST_TITLE)
    if not text or len(text) > LONGEST_ARTICLE:
        errors["text"] = say("An article has 1 to {most:,} characters.", most=LONGEST_ARTICLE)
    if url and (urlsplit(url).scheme not in ("http", "https") or len(url) > LONGEST_URL):
        errors["url"] = say("An address begins with https:// and has at most {most} characters.", most=LONGEST_URL)
    if errors:
        raise ValidationError(errors)
    return Article.objects.create(
        team=team, runbook=runbook, title=storable(title), text=storable(text), url=storable(url), added_by=user
    )


def article_remove(*, user: User, article: Article) -> None:
    """Removes an article. Raises PermissionDenied for readers."""
    if not user.may_change_cases:
        raise PermissionDenied(say("Your role may read articles, not remove them."))
    article.delete()
