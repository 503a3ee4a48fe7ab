"""The Java for Spark, and the error for an unsuitable one."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.errors import SparkUnavailable
from diagnostics.spark.java import java_home
from workbench.launch.plan import LaunchRefused, plan_from


def home_of(folder: Path, release: str | None) -> Path:
    (folder / "bin").mkdir()
    (folder / "bin" / "java").touch()
    if release is not None:
        (folder / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{release}"\n')
    return folder


@pytest.mark.parametrize(("release", "told"), [("1.8.0_402", "Java 8"), ("11.0.22", "Java 11")])
def test_a_java_that_is_too_old_for_spark_stops_the_start_and_says_so(tmp_path: Path, release: str, told: str) -> None:
    variables = {"JAVA_HOME": str(home_of(tmp_path, release)), "WORKBENCH_DATA": str(tmp_path / "data")}
    with pytest.raises(LaunchRefused, match=f"{told}; Spark needs 17 or newer.*unset it"):
        plan_from(variables)
    plan_from(variables | {"SPARK_REMOTE": "sc://spark:15002"})


@pytest.mark.parametrize("release", ["17.0.9", "21", "25.0.1", None])
def test_a_newer_java_and_one_without_a_version_are_accepted(tmp_path: Path, release: str | None) -> None:
    assert java_home({"JAVA_HOME": str(home_of(tmp_path, release))}) == tmp_path


def test_a_folder_without_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(SparkUnavailable, match=f"{tmp_path}, but there is no bin/java"):
        java_home({"JAVA_HOME": str(tmp_path)})


def test_without_java_home_it_is_the_one_of_the_package() -> None:
    assert (java_home({}) / "bin" / "java").exists()
