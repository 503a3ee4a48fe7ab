"""Commands in the way of the cluster at hand: standalone, YARN, Kubernetes, or Flink's Kubernetes operator."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import ClassVar

from diagnostics.diagnosis.missing import REST
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say
from diagnostics.notation.secret_option import MASK
from diagnostics.runbook.cluster_folders import exports, log_folder
from diagnostics.runbook.copied_checkpoints import COMMENT
from diagnostics.runbook.process_starts import task_manager_restarts, task_manager_starts
from diagnostics.runbook.unknown_values import UNKNOWN_VALUES
from diagnostics.runbook.zookeeper_ensemble import zookeeper_ensemble
from diagnostics.vocabulary.settings import Version
from diagnostics.wording.code import is_harmless_in_code
from diagnostics.wording.option_names import CONFIG_FILE_SINCE, OLD_CONFIG_FILE

STANDALONE, YARN, KUBERNETES, OPERATOR = "standalone", "yarn", "kubernetes", "kubernetes operator"
"""Kinds of deployment, as the signal `deployment` states them."""

TARGET_SINCE: Version = (1, 11)
"""First version whose command line selects the cluster with `--target`. Source: Flink 1.11 release notes, FLIP-73."""

RUN_APPLICATION_UNTIL: Version = (1, 20)
"""Last version in which `flink run-application` is the way to start an application cluster; `flink run` since."""

NATIVE_SINCE: Version = (1, 15)
"""First version with savepoints in the native format, and with `--type`. Source: Flink 1.15 release notes, FLIP-203."""

CONFIG_FILE = "config.yaml"

PROCESSES = {"jobmanager": "standalonesession", "taskmanager": "taskexecutor"}
"""Kind of process -> the word in the name of its log on a standalone cluster. Source: Flink's flink-daemon.sh."""

OWN_PARALLELISM = re.compile(r"((?:^| )(?:-p(?= \d+ .*\.jar)|--?par(?:allel(?:ism)?)?)[ =])\d+(?= |$)")
"""The parallelism among the words of a start: Flink's option before the JAR, or an argument that has its name."""

RUNNER = {
    YARN: "org.apache.flink.yarn.YarnTaskExecutorRunner",
    KUBERNETES: "org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner",
    OPERATOR: "org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner",
}
"""Main class of a TaskManager's JVM. Source: Flink's sources."""


class ClusterCommands:
    """How one cluster is reached, as far as the evidence states it; what is unknown stays a placeholder."""

    DERIVED: ClassVar[frozenset[str]] = frozenset(
        [
            "rest",
            "cluster.task_manager_class",
            "cluster.checkpoint_folder",
            "cluster.log_folder",
            "cluster.savepoint_folder",
            "cluster.last_checkpoint",
            "cluster.checkpoint_listing",
            "cluster.older_state",
            "cluster.run",
            "cluster.run_on_new_task_managers",
            "cluster.canonical_stop",
            "cluster.task_manager_starts",
            "cluster.zookeeper_ensemble",
            "cluster.program",
            "cluster.smaller_program",
            "cluster.named_path",
        ]
    )
    """References that this cluster answers, instead of a measured fact."""

    def __init__(self, lookup: Lookup, version: Version | None) -> None:
        self._lookup = lookup
        self.version = version
        self.kind = lookup("deployment.kind")

    def text(self, reference: str) -> str | None:
        """The value when it is a text that no shell interprets."""
        value = self._lookup(reference)
        return value if isinstance(value, str) and is_harmless_in_code(value) else None

    def derived(self, reference: str) -> str | None:
        """The value of one of DERIVED."""
        if reference == "rest":
            return self.rest
        if reference == "cluster.task_manager_class":
            return self.task_manager_class
        if reference == "cluster.savepoint_folder":
            return self.savepoint_folder
        if reference == "cluster.last_checkpoint":
            return self.last_checkpoint
        if reference == "cluster.named_path":
            return self.named_path
        if reference == "cluster.older_state":
            return self.older_state
        if reference == "cluster.log_folder":
            return self.log_folder
        return self.checkpoint_folder if reference == "cluster.checkpoint_folder" else None

    @property
    def named_path(self) -> str | None:
        """The path among the arguments of the program whose file the exception of declined checkpoints names."""
        message = str(self._lookup("checkpoint_declines.message") or "")
        paths = [word for word in self.program.split() if "/" in word and not word.endswith(".jar")]
        return next((path for path in paths if PurePosixPath(path).name in message.split()), None)

    @property
    def unknown(self) -> Mapping[str, str]:
        """Replacements in commands: placeholders, and the parts of a start, which are several words of a shell."""
        return {
            **UNKNOWN_VALUES,
            "cluster.run": self.flink("run -d"),
            "cluster.run_on_new_task_managers": self.run_on_new_task_managers,
            "cluster.canonical_stop": self.canonical_stop,
            "cluster.program": self.program,
            "cluster.task_manager_starts": "\n".join(self.task_manager_starts),
            "cluster.zookeeper_ensemble": zookeeper_ensemble(self._lookup("deployment.zookeeper")),
            "cluster.smaller_program": self.smaller_program,
            "cluster.checkpoint_listing": self.checkpoint_listing or UNKNOWN_VALUES["cluster.checkpoint_listing"],
        }

    @property
    def canonical_stop(self) -> str:
        """The command that stops a job with a savepoint that another state backend can read, without the job's id."""
        folder = self.savepoint_folder or UNKNOWN_VALUES["cluster.savepoint_folder"]
        return f"{self.flink(self.canonical_stop_action)} --savepointPath {folder}"

    @property
    def canonical_stop_action(self) -> str:
        """The client's action for it; before NATIVE_SINCE each savepoint is canonical."""
        return "stop --type canonical" if self.version is not None and self.version >= NATIVE_SINCE else "stop"

    @property
    def task_manager_starts(self) -> list[str]:
        """A command for each TaskManager with the options that it had."""
        return task_manager_starts(self._lookup, self.script("taskmanager.sh"))

    @property
    def run_on_new_task_managers(self) -> str:
        """The restarts of the TaskManagers of a standalone cluster, and the beginning of a start of the job after them,
        which waits after `#` with a restart that somebody has to complete.
        """
        restarts = task_manager_restarts(self._lookup, self.script("taskmanager.sh")) if self.is_standalone else []
        mark = COMMENT if any(each.startswith(COMMENT) for each in restarts) else ""
        return "\n".join([*restarts, f"{mark}{self.flink('run -d')}"])

    @property
    def is_standalone(self) -> bool:
        """Whether somebody starts its processes, as far as the evidence states it."""
        return self.kind in (STANDALONE, None)

    @property
    def checkpoint_folder(self) -> str | None:
        """The checkpoint directory as a path of the shell, when it is one of a file system."""
        folder = self.text("settings.checkpoint_dir")
        if folder is None or not folder.startswith(("file:/", "/")):
            return None
        return "/" + folder.removeprefix("file:").lstrip("/")

    @property
    def job_folder(self) -> str | None:
        """The directory of the job's checkpoints, below the configured one."""
        folder, job = self.text("settings.checkpoint_dir"), self.text("subject.job")
        return f"{folder.rstrip('/')}/{job}" if folder and job else None

    @property
    def last_checkpoint(self) -> str | None:
        """Path of the last completed checkpoint: as stated, else by its number below the job's directory."""
        stated = self.text("checkpoint_progress.last_path")
        completed = self._lookup("checkpoint_progress.completed_ids")
        if stated or self.job_folder is None or not isinstance(completed, list) or not completed:
            return stated
        return f"{self.job_folder}/chk-{completed[-1]}"

    @property
    def checkpoint_listing(self) -> str | None:
        """The command that shows whether the last completed checkpoint is still there; None without a known storage."""
        path = self.last_checkpoint or ""
        if path.startswith(("s3:", "s3a:", "s3p:")):
            return f"aws s3 ls s3://{path.partition('://')[2]}/_metadata"
        if path.startswith(("hdfs:", "viewfs:")):
            return f"hdfs dfs -ls {path}/_metadata"
        if path.startswith(("file:/", "/")):
            return f"ls /{path.removeprefix('file:').lstrip('/')}/_metadata"
        return None

    @property
    def savepoint_folder(self) -> str | None:
        """The configured directory for savepoints, else that of the last savepoint, else one beside the checkpoints."""
        last = self.text("checkpoint_progress.last_savepoint_path") or ""
        parent, _, name = (self.text("settings.checkpoint_dir") or "").rstrip("/").rpartition("/")
        beside = f"{parent}/savepoints" if name and parent and not parent.endswith(("/", ":")) else None
        return self.text("settings.savepoint_dir") or last.rstrip("/").rpartition("/")[0] or beside

    @property
    def older_state(self) -> str | None:
        """A savepoint that is not the state whose restore failed."""
        savepoint = self.text("checkpoint_progress.last_savepoint_path")
        return savepoint if savepoint != self.text("restore_failures.path") else None

    @property
    def on_kubernetes(self) -> bool:
        return self.kind in (KUBERNETES, OPERATOR)

    @property
    def config_file(self) -> str:
        """Name of the configuration file that the processes loaded, else that of the version."""
        loaded = self.text("deployment.config_file")
        if loaded:
            return loaded.rpartition("/")[2]
        return OLD_CONFIG_FILE if self.version and self.version < CONFIG_FILE_SINCE else CONFIG_FILE

    @property
    def config_place(self) -> str:
        """Where an option is changed."""
        name, cluster = self.config_file, self.text("deployment.cluster_id")
        if self.kind == OPERATOR:
            return say("spec.flinkConfiguration of the FlinkDeployment {cluster}", cluster=cluster or "").strip()
        if self.kind == KUBERNETES:
            return say("{name} in the conf folder of the client that starts the cluster", name=name)
        if self.kind == YARN:
            return say("{name} in the conf folder of the client that starts the job", name=name)
        return self.text("deployment.config_file") or name

    @property
    def rest(self) -> str:
        """Base address of the REST API."""
        asked = self._lookup("rest_api.address")
        if isinstance(asked, str):
            return asked
        if self.on_kubernetes:
            return f"http://localhost:{self._lookup('deployment.rest_port') or 8081}"
        address, port = self.text("deployment.rest_address"), self._lookup("deployment.rest_port")
        return f"http://{address}:{port}" if address and port else REST

    @property
    def needed(self) -> list[tuple[str, str]]:
        """What has to be done once before the commands run: (what, command)."""
        commands = []
        if self.on_kubernetes and not isinstance(self._lookup("rest_api.address"), str):
            cluster, port = self.text("deployment.cluster_id"), self._lookup("deployment.rest_port") or 8081
            what = say("Make the REST API of the JobManager reachable from here, in a second terminal")
            commands.append((what, f"{self.kubectl} port-forward svc/{cluster or '<cluster-id>'}-rest {port}:{port}"))
        if self.exports:
            what = say("Let Flink's scripts read the folder that this cluster loaded")
            if log_folder(self.text):
                what = say("Let Flink's scripts use the folders of this cluster: its configuration and its logs")
            commands.append((what, "\n".join(self.exports)))
        return commands

    @property
    def exports(self) -> list[str]:
        """The commands after which Flink's scripts use the folders of this cluster, where they do not anyway."""
        return exports(self.text) if self.kind == STANDALONE else []

    @property
    def place(self) -> str | None:
        """Where the commands run, when the address is that of one machine only."""
        address = self.text("deployment.rest_address") or ""
        if self.kind == STANDALONE and self.rest.startswith(("http://localhost:", "http://127.")):
            return say(
                "{address} is an address that each host gives itself: run the commands on the JobManager's host.",
                address=address,
            )
        return None

    @property
    def kubectl(self) -> str:
        namespace = self.text("deployment.namespace")
        return f"kubectl -n {namespace}" if namespace else "kubectl"

    def script(self, name: str) -> str:
        """A script of Flink's folder `bin`."""
        home = self.text("deployment.home") if self.kind == STANDALONE else None
        return f"{home}/bin/{name}" if home else name if name == "flink" else f"bin/{name}"

    def flink(self, action: str) -> str:
        """The command line client with an action, directed to this cluster."""
        return " ".join([self.script("flink"), action, *self._target(action)])

    def _target(self, action: str) -> list[str]:
        address, port = self.text("deployment.rest_address"), self._lookup("deployment.rest_port")
        mode = self.text("deployment.mode") or "session"
        if self.kind == STANDALONE and address and port:
            return ["-m", f"{address}:{port}"]
        if self.kind == YARN:
            application = self.text("deployment.application_id") or "<application-id>"
            if self.version and self.version < TARGET_SINCE:
                return ["-yid", application]
            starts_cluster = action.startswith("run") and mode != "session"
            return [f"--target yarn-{mode}", *([] if starts_cluster else [f"-Dyarn.application.id={application}"])]
        if self.kind == KUBERNETES:
            cluster, namespace = self.text("deployment.cluster_id"), self.text("deployment.namespace")
            target = [f"--target kubernetes-{mode}", f"-Dkubernetes.cluster-id={cluster or '<cluster-id>'}"]
            return [*target, *([f"-Dkubernetes.namespace={namespace}"] if namespace else [])]
        return []

    def start(self, checkpoint: str, *, drops_state: bool = False) -> str:
        """The command that starts the job again from a checkpoint or savepoint, with `{restart.program}` to fill.

        drops_state  whether the state of operators that the job no longer has may be left out
        """
        clusters = self.text("deployment.mode") == "application" and self.kind in (YARN, KUBERNETES)
        by_run = not clusters or (self.version is not None and self.version > RUN_APPLICATION_UNTIL)
        action = "run -d" if by_run and not clusters else "run" if by_run else "run-application"
        dropping = " --allowNonRestoredState" if drops_state else ""
        return f"{self.flink(action)} -s {checkpoint}{dropping} {{restart.program}}"

    @property
    def program(self) -> str:
        """Options, JAR and arguments as the job was started with."""
        words = self._lookup("deployment.program")
        if not isinstance(words, list) or not words:
            return "<jar>"
        return " ".join(_word(str(each)) for each in words)

    @property
    def smaller_program(self) -> str:
        """The program with a lower parallelism: in its own argument, which overrides the option of the client."""
        program, arguments = OWN_PARALLELISM.subn(r"\g<1><lower-parallelism>", self.program)
        return program if arguments else f"-p <lower-parallelism> {program}"

    def logs(self, process: str, command: str) -> str:
        """A command that reads text, over the logs of a kind of process.

        process  jobmanager, taskmanager or all
        command  a `grep` without files, perhaps followed by a pipe
        """
        if self.on_kubernetes:
            return f"{self._pod_logs(process)} | {_without_file_names(command)}"
        if self.kind == YARN:
            application = self.text("deployment.application_id") or "<application-id>"
            return f"yarn logs -applicationId {application} | {_without_file_names(command)}"
        search, pipe, after = command.partition(" | ")
        return f"{search} {self._log_files(process)}{pipe}{after}"

    def _pod_logs(self, process: str) -> str:
        labels = [f"app={self.text('deployment.cluster_id') or '<cluster-id>'}"]
        labels += [f"component={process}"] if process in PROCESSES else []
        return f"{self.kubectl} logs -l {','.join(labels)} --tail=-1 --prefix"

    def _log_files(self, process: str) -> str:
        logs = (
            ("task_manager_log", "jobmanager_log")
            if process == "taskmanager"
            else ("jobmanager_log", "task_manager_log")
        )
        folder = self._folder_of(*logs) if self.kind == STANDALONE else "log"
        return f"{folder}/flink-*-{PROCESSES[process]}-*.log" if process in PROCESSES else f"{folder}/flink-*.log"

    @property
    def log_folder(self) -> str:
        """The folder of the TaskManagers' logs, where a log names it; that of Flink itself where none does."""
        return self._folder_of("task_manager_log", "jobmanager_log")

    def _folder_of(self, *logs: str) -> str:
        """The folder of the first of these logs that is known."""
        known = next((path for each in logs if (path := self.text(f"deployment.{each}"))), "")
        return known.rpartition("/")[0] or "log"

    def at_task_manager(self, command: str) -> str:
        """A command on the host or in the pod of a TaskManager."""
        if not self.on_kubernetes:
            return command
        pod = self.text("deployment.task_manager") or "<taskmanager-pod>"
        inner = command if is_harmless_in_code(command) or "'" not in command else command.replace("'", '"')
        return f"{self.kubectl} exec {pod} -- sh -c '{inner}'"

    @property
    def task_manager_class(self) -> str:
        """Main class of the TaskManagers' JVMs, by which `jcmd` finds them."""
        return RUNNER.get(str(self.kind), "org.apache.flink.runtime.taskexecutor.TaskManagerRunner")


def _word(word: str) -> str:
    if word == MASK or word.endswith(f"={MASK}"):
        return f"{word.removesuffix(MASK)}<secret>"
    return word if word and shlex.quote(word) == word else shlex.quote(word)


def _without_file_names(command: str) -> str:
    """A `grep` that reads a pipe: it finds no files below a folder."""
    return command.replace("grep -rh", "grep -", 1)
