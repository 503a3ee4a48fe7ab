"""What the title of a fix says of a failure."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.fix_title import Failure, reports

NULL = "java.lang.RuntimeException: failed\njava.lang.NullPointerException: null"
CAST = "java.lang.ClassCastException: org.acme.Row cannot be cast to org.acme.Wide"


@pytest.mark.parametrize(
    ("said", "title", "agrees"),
    [
        (NULL, "Fix NPE if serializer is null", True),
        (NULL, "Fix NullPointException when heartbeat option is enabled", True),
        (NULL, "Fix StateMigrationException because the comparator might be incompatible", False),
        (NULL, "Fix NPE and lost timer during window merging", True),
        (NULL, "Fix data loss when restoring from a checkpoint", False),
        (NULL, "Cache the result in a local variable", False),
        (NULL, "[core] Refactor the writer", False),
        (NULL, "Hive: Improve error messages of the catalog", False),
        (NULL, "Add check to the producer that the region is set", False),
        (CAST, "Fix streaming reader throws ClassCastException", True),
        ("java.lang.RuntimeException: Duplicate fileId 2", "Fix duplicate fileId error in MOR tables", True),
        ("java.lang.RuntimeException: no bucket", "Fix duplicate fileId error in MOR tables", False),
        ("java.lang.NoClassDefFoundError: org/acme/Converter", "Remove org.acme.Converter for java 9", True),
        ("java.lang.NoClassDefFoundError: org/acme/Reader", "Fix conf class loading for inline reading", False),
        ("java.io.NotSerializableException: org.acme.Rows", "Only run closure cleaner if serialization fails", False),
    ],
)
def test_a_title_agrees_unless_it_says_that_it_is_about_something_else(said: str, title: str, agrees: bool) -> None:
    assert Failure(said).agrees_with(title) is agrees


def test_a_method_that_a_title_names_is_one_through_which_the_failure_passed() -> None:
    failure = Failure(NULL, ("org.acme.Enumerator.send", "org.acme.Enumerator.start"))
    assert failure.agrees_with("NullPointerException in Enumerator.start")
    assert failure.agrees_with("NullPointerException in Reader.close")
    assert not failure.agrees_with("NullPointerException in Enumerator.close")


def test_the_words_of_the_message_that_a_title_may_quote_are_those_of_its_first_sentence() -> None:
    failure = Failure("java.lang.RuntimeException: a\norg.acme.TokenException: Token not found. Cannot resume stream")
    assert failure.innermost.startswith("org.acme.TokenException: ")
    assert failure.quotable == {"found"}


def test_a_failure_without_a_message_is_told_by_its_place_alone() -> None:
    assert Failure(NULL).is_bare_for("Format throws Exception when the identity is not full")
    assert not Failure(NULL).is_bare_for("Support other identities")
    assert not Failure(CAST).is_bare_for("Format throws Exception when the identity is not full")


@pytest.mark.parametrize(
    ("method", "is_report"),
    [("checkErroneous", True), ("handleCheckpointException", True), ("failJob", True), ("deserialize", False)],
)
def test_a_method_that_passes_on_what_failed_reports(method: str, is_report: bool) -> None:
    assert reports(method) is is_report
