"""The release of a JVM in the words of each file that states it."""

from __future__ import annotations

import pytest

from diagnostics.notation.java_version import java_release


@pytest.mark.parametrize(
    ("printed", "release"),
    [
        ("17.0.15+6-Debian-1deb12u1 (release)", 17),
        ("OpenJDK 64-Bit Server VM - Debian - 17/17.0.15+6-Debian-1deb12u1", 17),
        ("21+35-LTS", 21),
        ("OpenJDK 64-Bit Server VM (25.342-b07) for linux-amd64 JRE (1.8.0_342-b07), built on Jul 20 2022", 8),
        ("OpenJDK 64-Bit Server VM - Private Build - 1.8/25.342-b07", 8),
        ("Java HotSpot(TM) 64-Bit Server VM (25.191-b12)", 8),
        ("Java HotSpot(TM) 64-Bit Server VM (24.80-b11)", 7),
        ("OpenJDK 64-Bit Server VM - Eclipse Adoptium - 11/11.0.21+9", 11),
        ("an unknown machine", None),
    ],
)
def test_the_release_is_read(printed: str, release: int | None) -> None:
    assert java_release(printed) == release
