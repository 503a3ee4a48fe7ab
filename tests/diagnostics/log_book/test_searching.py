"""What a search of log records means, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.log_book.finding import find
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import InvalidSearch, parse_search
from tests.diagnostics.log_book.books import log_book, messages

TRIGGERING = "Triggering checkpoint 7"
EXPIRED = "Checkpoint 7 of"
RUNNING = "Enrich (1/4)#0 (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)"
ENSURING = "Ensuring all FileSystem"
FREEING = "Freeing task resources,"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> LogBook:
    return log_book(tmp_path_factory.mktemp("search"))


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("expired", [EXPIRED]),
        ("EXPIRED before", [EXPIRED]),
        ('"before completing"', [EXPIRED]),
        ('"completing before"', []),
        ("-checkpoint -enrich", [FREEING, FREEING]),
        ("SocketTimeoutException", [RUNNING]),
        ("/fre+ing.*4[01]/", [FREEING, FREEING]),
        ("-/checkpoint|freeing/ level:info", [RUNNING]),
        ("level:warn", [EXPIRED]),
        ("level:warn+", [RUNNING, EXPIRED]),
        ("level:error,warn", [RUNNING, EXPIRED]),
        ("-level:info", [RUNNING, EXPIRED]),
        ('logger:coordinator -"checkpoint 8"', [TRIGGERING, EXPIRED]),
        ("checkpoint=7", [TRIGGERING, ENSURING, EXPIRED]),
        ("checkpoint:5..7 level:info", [TRIGGERING, ENSURING]),
        ("task=Enrich", [RUNNING, RUNNING]),
        ("task:rich subtask=0 attempt=0", [RUNNING, RUNNING]),
        ("subtask=1", []),
        ("host=worker level:error", [RUNNING]),
        ("role:jobmanager level:warn", [EXPIRED]),
        ("file:taskexecutor 41", [FREEING]),
        ("exception:runtime", [RUNNING]),
        ("cause=java.net.SocketTimeoutException", [RUNNING]),
        ("line:9..11 file:worker", [FREEING, FREEING, ENSURING]),
        ("http://nothing java:nothing", []),
    ],
)
def test_a_search_finds(book: LogBook, search: str, found: list[str]) -> None:
    assert messages(book, search) == found


def test_a_pattern_is_found_by_its_id(book: LogBook) -> None:
    freeing = next(each for each in book.contents["patterns"] if each["text"].startswith("Freeing"))
    assert messages(book, f"pattern:{freeing['id']}") == [FREEING, FREEING]
    assert len(messages(book, f"-pattern:{freeing['id']}")) == book.records - 2


@pytest.mark.parametrize(
    ("search", "told"),
    [
        ("level:loud", "TRACE, DEBUG, INFO, WARN, ERROR, FATAL"),
        ("checkpoint:many", "number"),
        ("logger:", "logger:value"),
        ("/(/", "missing"),
        ("x " * 31, "30 terms"),
        ("x" * 1_001, "1000 characters"),
    ],
)
def test_a_search_that_says_nothing_is_refused_with_the_reason(book: LogBook, search: str, told: str) -> None:
    with pytest.raises(InvalidSearch, match=told):
        find(book, parse_search(search))


def test_an_expression_that_would_take_other_engines_for_ever_takes_linear_time(tmp_path: Path) -> None:
    logs = {"a.log": f"2026-11-21 01:00:00,000 INFO  a.B [] - {'a' * 1_900}\n" * 50}
    assert messages(log_book(tmp_path, logs), "/(a+)+$x/") == []


def test_searched_terms_are_distinguished_from_filters() -> None:
    search = parse_search("expired level:warn -kafka /time.?out/")
    assert [each.source for each in search.looked_for.terms] == ["expired", "/time.?out/"]
    assert [each.source for each in search.narrowed_by.terms] == ["level:warn", "-kafka"]


CHINESE_LOG = """\
2026-11-21 01:00:00,000 ERROR com.acme.Enrich [] - 写入 HBase 失败\uff1a连接超时, 订单号 42
2026-11-21 01:00:01,000 INFO  com.acme.Enrich [] - 读取维表 完成
"""


@pytest.mark.parametrize(
    ("search", "count"),
    [
        ("超时", 1),
        ("接超", 1),
        ("维表\u3000完成", 1),
        ("写入 完成", 0),
        ("\u201c失败\uff1a连接超时\u201d", 1),
        ('"读取维表 完成"', 1),
        ("-超时", 1),
        ("/订单号 \\d+/", 1),
        ("logger\uff1aenrich level\uff1aerror\uff0cwarn", 1),
        ("level\uff1dinfo", 1),
    ],
)
def test_chinese_words_and_parts_of_words_are_found(tmp_path: Path, search: str, count: int) -> None:
    book = log_book(tmp_path, {"日志/订单.log": CHINESE_LOG})
    assert len(messages(book, search)) == count
    assert book.file_id("日志/订单.log") == 0
