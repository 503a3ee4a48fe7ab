"""The article in a text that was copied from a web page: what the page has around it is cut off, and shown as such.

A page puts navigation before its article, and related articles, advertisements, comments and links after it. What
follows a line that announces such a part, and what has the shape of a list of links, is no article: short lines without
a sentence, a code line or a table. Nothing is guessed from the meaning of a text, and nothing of it becomes a rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_ARTICLE = 200_000
"""Characters that are read. Our choice: a hundred pages."""
LEAST_RUN = 3
"""Short lines in a row that make a list of links. Our choice: an article ends with one or two of them, a signature."""
LEAST_SENTENCE = 40
LEAST_IDEOGRAPHS = 16
"""Characters of a line of prose, and of one in Chinese, which says as much in fewer. Our choice."""
LEAST_PART = 0.5
"""Part of the article's lines that comes before its end: an announcement above it is a heading. Our choice."""

LONGEST_HEADING = 30
"""Characters of a line that announces a part by a single word, such as `Comments`. Our choice."""

ANNOUNCES = re.compile(
    r"^\W*(related (articles?|posts?|reading|links?|stories)|recommended( for you| reading)?|read (more|next)|"
    r"you (may|might) also like|more (from|articles|stories)|popular (posts|articles)|latest (posts|articles)|"
    r"(leave a )?(comments?|reply)|share this|about the author|advertisement|sponsored|sign up|subscribe|newsletter|"
    r"tags?:|categories:|相关(推荐|阅读|文章|内容|产品|链接)|推荐(阅读|文章|内容|产品)|猜你喜欢|"
    r"热门(文章|推荐|标签|产品)|最新(文章|资讯|活动|评论)|更多(文章|推荐|内容)|(发表|全部|热门)?评论|广告|举报|登录|注册|"
    r"目录|问题归档|专栏文章|社区|活动|资源|关于|友情链接|联系我们|领券|扫码关注|点赞|收藏|分享)",
    re.IGNORECASE,
)
"""How a short line begins that announces what a page has besides its article."""
NOTICES = re.compile(
    r"^\W*(copyright|all rights reserved|©|原创声明|版权(声明|所有)|如有侵权|本文参与|作者已同意)", re.IGNORECASE
)
"""The same of a line of any length."""
SENTENCE = re.compile("[.!?;:,\u3002\uff01\uff1f\uff1b\uff1a\uff0c]")
"""Punctuation within a sentence, also full-width."""
IDEOGRAPHS = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(
    r"^(\s{4,}|\t)\S|[{};]\s*$|^\s*(//|#\s|@|\$ |> |\| )|\w\(.*\)|^\s*[\w.-]+\s*[:=]\s*\S|^```|<[a-z/][^>]*>"
)
MARKUP = re.compile(r"^\s*(#{1,6}\s|[-*+]\s+\S.{20,}|\d+[.)、]\s*\S.{10,}|\|)")


@dataclass(frozen=True, slots=True)
class PastedArticle:
    """A pasted text in three parts, each as lines.

    before, after  what the page has around the article
    """

    before: Sequence[str]
    lines: Sequence[str]
    after: Sequence[str]

    @property
    def text(self) -> str:
        """The article."""
        return "\n".join(self.lines).strip("\n")

    @property
    def around(self) -> list[str]:
        """What is before and after the article, as texts."""
        return [text for part in (self.before, self.after) if (text := "\n".join(part).strip("\n"))]

    @property
    def cut(self) -> int:
        """How many lines with text were cut off."""
        return sum(bool(line.strip()) for line in (*self.before, *self.after))


def article_in(text: str) -> PastedArticle:
    """The article in a pasted text; all of it where nothing has the shape of a page around it."""
    lines = text[:LONGEST_ARTICLE].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    carries = [_carries_text(line) for line in lines]
    if not any(carries):
        return PastedArticle((), lines, ())
    end = _end(lines, carries)
    start = _start(lines, carries, end)
    return PastedArticle(lines[:start], lines[start:end], lines[end:])


def _carries_text(line: str) -> bool:
    """Whether a line is part of an article by its shape: a sentence, code, a list with sentences, a table."""
    if _announces(line):
        return False
    if CODE.search(line) or MARKUP.match(line):
        return True
    if len(IDEOGRAPHS.findall(line)) >= LEAST_IDEOGRAPHS:
        return bool(SENTENCE.search(line))
    return len(line.strip()) >= LEAST_SENTENCE and bool(SENTENCE.search(line))


def _announces(line: str) -> bool:
    """Whether a line announces a part of the page that is no article."""
    text = line.strip()
    return bool(NOTICES.match(text)) or (len(text) <= LONGEST_HEADING and bool(ANNOUNCES.match(text)))


def _end(lines: Sequence[str], carries: Sequence[bool]) -> int:
    """The line after the article: at an announcement behind which almost nothing carries text, else behind the last
    line that does, where a list of links follows it.
    """
    total, before = sum(carries), 0
    filled = sum(bool(line.strip()) for line in lines)
    for place, line in enumerate(lines):
        is_late = before >= LEAST_PART * total
        if is_late and total - before <= filled * (1 - LEAST_PART) and _announces(line):
            return place
        before += carries[place]
        filled -= bool(line.strip())
    last = max(place for place, carried in enumerate(carries) if carried) + 1
    follow = sum(bool(line.strip()) for line in lines[last:])
    return last if follow >= LEAST_RUN else len(lines)


def _start(lines: Sequence[str], carries: Sequence[bool], end: int) -> int:
    """The first line of the article: its title is the last short line before the first that carries text."""
    first = next((place for place in range(end) if carries[place]), 0)
    short = [place for place in range(first) if lines[place].strip()]
    return short[-1] if len(short) > LEAST_RUN else 0
