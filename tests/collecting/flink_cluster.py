"""A real Flink session cluster on this machine, from the PyPI package that `make flink` installs, and a job that runs.

The package has Flink's jars and no scripts: the processes are started as Flink's scripts start them. The job is SQL,
submitted through the py4j gateway that the package carries for PyFlink, so nothing has to be compiled.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway

from diagnostics.spark.java import java_home
from diagnostics.spark.ports import free_ports

JARS = Path(__file__).resolve().parents[2] / ".venv" / "flink" / "pyflink"
START_SECONDS = 90
OPENED = ("java.lang", "java.lang.reflect", "java.net", "java.nio", "java.text", "java.time", "java.util")
MODULES = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in (*OPENED, "java.util.concurrent")]

LOGGING = """\
rootLogger.level = INFO
rootLogger.appenderRef.file.ref = MainAppender
appender.main.name = MainAppender
appender.main.type = File
appender.main.fileName = ${sys:log.file}
appender.main.layout.type = PatternLayout
appender.main.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %-60c %x - %m%n
"""

TASK_MANAGER_MEMORY = {
    "taskmanager.cpu.cores": "1.0",
    "taskmanager.memory.framework.heap.size": "64m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.task.heap.size": "128m",
    "taskmanager.memory.task.off-heap.size": "0b",
    "taskmanager.memory.managed.size": "32m",
    "taskmanager.memory.network.min": "32m",
    "taskmanager.memory.network.max": "32m",
    "taskmanager.memory.jvm-metaspace.size": "128m",
    "taskmanager.memory.jvm-overhead.min": "192m",
    "taskmanager.memory.jvm-overhead.max": "192m",
}
"""What `taskmanager.sh` computes and hands to the process."""


@dataclass(frozen=True, slots=True)
class FlinkCluster:
    """A running session cluster."""

    url: str
    _folder: Path
    _client: Client

    def rest(self, path: str) -> Any:
        """The parsed answer of the REST API."""
        with urllib.request.urlopen(f"{self.url}{path}", timeout=10) as answer:
            return json.load(answer)

    def cancel(self, job: str) -> None:
        """Asks for the end of a job."""
        asked = urllib.request.Request(f"{self.url}/jobs/{job}?mode=cancel", method="PATCH")
        with urllib.request.urlopen(asked, timeout=10):
            pass

    def _checkpointing(self) -> dict[str, str]:
        return {
            "execution.checkpointing.interval": "3s",
            "execution.checkpointing.min-pause": "1s",
            "execution.checkpointing.dir": f"file://{self._folder}/checkpoints",
        }

    def submit(self, name: str, statements: Sequence[str]) -> None:
        """Runs SQL statements; the last one is the job."""
        port = self.url.rpartition(":")[2]
        settings = {"execution.target": "remote", "rest.address": "localhost", "rest.port": port, "pipeline.name": name}
        settings |= self._checkpointing()  # those of the cluster are not those of a job that a client submits
        flink = self._client.gateway().jvm.org.apache.flink
        configuration = flink.configuration.Configuration()
        for key, value in settings.items():
            configuration.setString(key, value)
        chosen = flink.table.api.EnvironmentSettings.newInstance().withConfiguration(configuration).build()
        environment = flink.table.api.TableEnvironment.create(chosen)
        for statement in statements:
            environment.executeSql(statement)


class Client:
    """The Java that submits jobs: started for the first one, since loading Flink takes seconds of processor time."""

    def __init__(self, classpath: str, folder: Path, stack: ExitStack) -> None:
        self._classpath, self._folder, self._stack = classpath, folder, stack
        self._gateway: JavaGateway | None = None

    def gateway(self) -> JavaGateway:
        """The way into it; ended with the cluster."""
        if self._gateway is None:
            main = "org.apache.flink.api.python.shaded.py4j.GatewayServer"
            command = [*_java(self._classpath, "-Xmx256m"), main, "--die-on-broken-pipe", "--enable-auth", "0"]
            process = subprocess.Popen(command, cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            java = self._stack.enter_context(_ended(process))
            assert java.stdout is not None
            where, token = int(java.stdout.readline()), java.stdout.readline().decode().strip()
            self._gateway = JavaGateway(gateway_parameters=GatewayParameters(port=where, auth_token=token))
            self._stack.callback(self._gateway.close)
        return self._gateway


def wait_until(holds: Callable[[], bool]) -> None:
    """Returns once it holds; a REST API that does not answer yet does not hold."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except OSError:
            pass
        time.sleep(0.5)
    raise AssertionError(f"not within {START_SECONDS} s")


@contextmanager
def running_flink(folder: Path, metrics_ports: Sequence[int] = ()) -> Iterator[FlinkCluster]:
    """A JobManager and a TaskManager of two slots; both are ended with the block.

    metrics_ports  where their metrics can be scraped by Prometheus, two; none for no reporter
    """
    (folder / "log").mkdir()
    (folder / "log4j.properties").write_text(LOGGING)
    rest, rpc = free_ports(2)
    configuration = {
        "jobmanager.rpc.address": "localhost",
        "jobmanager.rpc.port": rpc,
        "jobmanager.memory.process.size": "700m",
        "rest.port": rest,
        "rest.bind-port": rest,
        "rest.flamegraph.enabled": "true",
        "rest.profiling.enabled": "true",
        "taskmanager.numberOfTaskSlots": 2,
        "execution.checkpointing.interval": "3s",
        "execution.checkpointing.min-pause": "1s",
        "execution.checkpointing.dir": f"file://{folder}/checkpoints",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 1000,
        "restart-strategy.fixed-delay.delay": "1s",
        "io.tmp.dirs": folder,
    }
    if metrics_ports:
        factory = "org.apache.flink.metrics.prometheus.PrometheusReporterFactory"
        configuration["metrics.reporter.prom.factory.class"] = factory
        configuration["metrics.reporter.prom.port"] = ",".join(map(str, metrics_ports))
    (folder / "config.yaml").write_text("".join(f"{key}: {value}\n" for key, value in configuration.items()))
    classpath = ":".join(str(jar) for jar in sorted([*JARS.glob("lib/*.jar"), *JARS.glob("opt/flink-python-*.jar")]))
    given = [word for key, value in TASK_MANAGER_MEMORY.items() for word in ("-D", f"{key}={value}")]
    processes = {
        "standalonesession": ["entrypoint.StandaloneSessionClusterEntrypoint", "--executionMode", "cluster"],
        "taskexecutor": ["taskexecutor.TaskManagerRunner", *given],
    }
    with ExitStack() as stack:
        cluster = FlinkCluster(f"http://127.0.0.1:{rest}", folder, Client(classpath, folder, stack))
        for name, (main, *options) in processes.items():
            log = f"-Dlog.file={folder}/log/flink-test-{name}-0-vm.log"
            java = _java(classpath, "-Xmx300m", log, f"-Dlog4j.configurationFile=file:{folder}/log4j.properties")
            command = [*java, f"org.apache.flink.runtime.{main}", "--configDir", str(folder), *options]
            output = stack.enter_context((folder / f"{name}.out").open("wb"))
            variables = {**os.environ, "FLINK_PLUGINS_DIR": str(JARS / "plugins")}
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, env=variables)
            stack.enter_context(_ended(process))
        wait_until(lambda: cluster.rest("/overview")["slots-available"] == 2)
        yield cluster


def _java(classpath: str, *options: str) -> list[str]:
    return [str(java_home() / "bin" / "java"), *MODULES, *options, "-cp", classpath]


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process, ended with the block."""
    try:
        yield process
    finally:
        if process.stdin:
            process.stdin.close()
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
