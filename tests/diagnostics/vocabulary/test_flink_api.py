"""Which lines of Flink have a class, method or constant, and what an error of the JVM asks for."""

from __future__ import annotations

import pytest

from diagnostics.notation.missing_member import method_of_descriptor, missing_method
from diagnostics.reconstruction.bugs.asked_api import asked_api
from diagnostics.vocabulary.class_owners import class_named
from diagnostics.vocabulary.flink_api import flink_api, life_of_class, life_of_method

SPLIT = "org.apache.flink.connector.file.src.FileSourceSplit"
OLD_SPLIT = (
    f"'void {SPLIT}.<init>(java.lang.String, org.apache.flink.core.fs.Path, long, long, java.lang.String[], "
    "org.apache.flink.connector.file.src.util.CheckpointedPosition)'"
)


def test_both_prints_of_a_method_are_read_alike() -> None:
    of_java_8 = "a.b.C$D.m(La/b/E;J[Ljava/lang/String;)La/F;"
    of_java_11 = "'a.F a.b.C$D.m(a.b.E, long, java.lang.String[])'"
    assert missing_method(of_java_8) == missing_method(of_java_11) == ("a.b.C$D", "m(E,long,String[])F")
    assert method_of_descriptor("m", "(La/b/E;J[Ljava/lang/String;)La/F;") == "m(E,long,String[])F"


@pytest.mark.parametrize("message", ["", "a.b.C.m(La/b", "org.apache.calcite.sql.parser.SqlParser", "m()V", "'m()'"])
def test_a_message_that_is_cut_names_no_method(message: str) -> None:
    assert missing_method(message) is None


@pytest.mark.parametrize(
    ("exception", "message", "flink", "lines", "place", "nearest"),
    [
        ("NoSuchMethodError", OLD_SPLIT, (2, 0, 0), "≤ 1.20", "after", "1.20"),
        ("NoSuchMethodError", OLD_SPLIT, None, "≤ 1.20", None, None),
        (
            "NoSuchMethodError",
            "org.apache.flink.configuration.CoreOptions.getParentFirstLoaderPatterns("
            "Lorg/apache/flink/configuration/ReadableConfig;)[Ljava/lang/String;",
            (1, 14, 4),
            "≥ 1.16",
            "before",
            "1.16",
        ),
        (
            "NoClassDefFoundError",
            "org/apache/flink/api/connector/sink2/Sink$InitContext",
            (2, 0, 0),
            "1.15-1.20",
            "after",
            "1.20",
        ),
        ("NoSuchFieldError", "MATERIALIZED_TABLE", (1, 18, 0), "≥ 1.20", "before", "1.20"),
    ],
)
def test_the_lines_that_have_what_is_asked_for(
    exception: str, message: str, flink: tuple[int, int, int] | None, lines: str, place: str | None, nearest: str | None
) -> None:
    found = asked_api(f"java.lang.{exception}", message, class_named(exception, message), flink)
    assert (found["asked_lines"], found["asked_from"], found["asked_nearest"]) == (lines, place, nearest)


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("ClassNotFoundException", "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment"),
        ("ClassNotFoundException", "com.example.Job"),
        ("NoSuchFieldError", "INSTANCE"),
        ("NoSuchMethodError", "com.example.Job.open(Lorg/apache/flink/configuration/Configuration;)V"),
    ],
)
def test_what_all_lines_have_or_flink_has_not_says_nothing(exception: str, message: str) -> None:
    assert asked_api(f"java.lang.{exception}", message, class_named(exception, message), (1, 20, 0)) == {}


def test_a_class_that_moved_names_its_new_place() -> None:
    life = life_of_class("org.apache.flink.streaming.api.functions.source.SourceFunction")
    assert life is not None
    assert (life.lines, life.now) == (
        "≤ 1.20",
        "org.apache.flink.streaming.api.functions.source.legacy.SourceFunction",
    )


def test_a_method_lives_no_longer_than_its_class() -> None:
    life = life_of_method("org.apache.flink.api.connector.sink2.Sink$InitContext", "getJobId()JobID")
    assert life is not None
    assert life.lines == "1.18-1.20"


def test_no_entry_is_open_at_both_ends() -> None:
    assert [key for key, life in flink_api().items() if life.since is None and life.until is None] == []
