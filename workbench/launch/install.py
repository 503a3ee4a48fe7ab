"""Builds `.venv` from `requirements.txt`. The Makefile runs it with the system's Python: `install.py VENV STAMP`.

Only the standard library and syntax of Python 3.6, so that an old Python gets as far as a clear error message.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST_PYTHON = (3, 11)  # required by pyspark 4.3
PROJECT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = PROJECT / "requirements.txt"
WHEEL_OPTIONS = PROJECT / "workbench" / "launch" / "wheel.cfg"
NOT_COMPILED = "/(tests|plotly|pip|pygments|setuptools)/"
"""Packages not imported at each start, a third of all files; of plotly only its script is used."""
# ruff: noqa: RUF001 - punctuation of Chinese
LOCALE = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")


def say(english: str, chinese: str) -> str:
    """The sentence in the language of the terminal. The catalogues are of no use to an old Python."""
    return chinese if re.match("zh(?![a-z])", LOCALE) else english


PIP_FAILED = say(
    "pip could not install requirements.txt; the reason is above. make setup tries again.",
    "pip 无法安装 requirements.txt，原因见上文。运行 make setup 可重试。",
)


def install(venv: Path, stamp: Path) -> int:
    """Makes or completes the virtual environment, and touches the stamp when it is complete."""
    if sys.version_info < LEAST_PYTHON:
        found = ".".join(str(part) for part in sys.version_info[:3])
        return refuse(
            say(
                f"Python 3.11 or newer is needed, {sys.executable} is {found}. Try make PYTHON=/path/to/python3.11",
                f"需要 Python 3.11 或更新的版本，{sys.executable} 为 {found}。可尝试 make PYTHON=/path/to/python3.11",
            )
        )
    try:
        write_to(PROJECT)
    except OSError as error:
        return refuse(say(f"{PROJECT} cannot be written: {error.strerror}.", f"无法写入 {PROJECT}：{error.strerror}。"))
    if not runs(venv) and subprocess.call([sys.executable, "-m", "venv", "--clear", str(venv)]) != 0:
        return refuse(
            say(
                f"{sys.executable} cannot make {venv}. On Debian and Ubuntu: apt install python3-venv.",
                f"{sys.executable} 无法创建 {venv}。在 Debian 和 Ubuntu 上：apt install python3-venv。",
            )
        )
    downloads = say(
        "Installing requirements.txt into .venv. The first time this downloads about 0.7 GB, most of it Spark:\n"
        "about a minute on a fast line, many minutes on a slow one. pip reports as it goes.",
        "正在把 requirements.txt 安装到 .venv。首次安装约下载 0.7 GB，大部分是 Spark：\n"
        "网络快时约一分钟，慢时需要很多分钟。pip 会显示进度。",
    )
    print(downloads, flush=True)
    python = str(venv / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    if install_first(venv, pip) != 0:
        return refuse(PIP_FAILED)
    preparation = say(
        "Preparing Spark for quick starts (once, a minute) while the others are installed.",
        "正在安装其余软件包，同时为 Spark 的快速启动做准备（只需一次，约一分钟）。",
    )
    print(preparation, flush=True)
    prepare = [python, "-m", "diagnostics.spark_service", "prepare"]
    preparing = subprocess.Popen(prepare, cwd=str(PROJECT), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # Instead of pip's compilation. Other modules are compiled when they are first imported.
    compile_packages = [python, "-m", "compileall", "-qq", "-j", "0", "-x", NOT_COMPILED, str(venv / "lib")]
    installed = subprocess.call([*pip, "install", "--no-compile", "--requirement", str(REQUIREMENTS)]) == 0
    if installed:
        subprocess.call(compile_packages, stdout=subprocess.DEVNULL)
    else:
        preparing.terminate()
    said, _ = preparing.communicate()
    if not installed:
        return refuse(PIP_FAILED)
    if preparing.returncode != 0:
        sys.stderr.write(said.decode("utf-8", "replace"))
        return refuse(say("Spark does not run here; the reason is above.", "Spark 在这里无法运行，原因见上文。"))
    stamp.touch()
    return 0


def install_first(venv: Path, pip: "list[str]") -> int:
    """Installs the first paragraph of requirements.txt, which Spark's preparation needs; gives pip's exit status.

    PyPI has only Spark's source distribution, whose wheel is built in parallel with the installation.
    """
    variables = {**os.environ, "DIST_EXTRA_CONFIG": str(WHEEL_OPTIONS)}
    first = REQUIREMENTS.read_text("utf-8").partition("\n\n")[0] + "\n"
    with tempfile.TemporaryDirectory(prefix=".wheels-", dir=str(venv)) as wheels:
        listed = Path(wheels) / "first.txt"
        listed.write_text(first, "utf-8")
        install = [*pip, "install", "--no-compile", "--find-links", wheels, "--requirement", str(listed)]
        spark = re.search(r"^pyspark\S*==(\S+).*\n", first, re.MULTILINE)
        if spark is None or any(venv.glob(f"lib/python*/site-packages/pyspark-{spark[1]}.dist-info")):
            return subprocess.call(install, env=variables)
        make_wheel = [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, f"pyspark=={spark[1]}"]
        making = subprocess.Popen(make_wheel, env=variables)
        listed.write_text(first.replace(spark[0], ""), "utf-8")
        status = subprocess.call(install)
        # If this failed, the last step tries it again and reports the reason.
        making.wait()
        listed.write_text(first, "utf-8")
        return status or subprocess.call(install, env=variables)


def write_to(folder: Path) -> None:
    """Raises OSError when the folder is not writable."""
    probe = folder / f".write-probe-{os.getpid()}"
    probe.mkdir()
    probe.rmdir()


def runs(venv: Path) -> bool:
    """Whether the virtual environment works: a moved clone or a replaced system Python breaks it."""
    python = venv / "bin" / "python"
    if not python.exists():
        return False
    check = [str(python), "-c", f"import sys, pip; sys.exit(sys.version_info < {LEAST_PYTHON})"]
    return subprocess.call(check, stderr=subprocess.DEVNULL) == 0


def refuse(line: str) -> int:
    """One line on standard error."""
    sys.stderr.write(f"setup: {line}\n")
    return 1


if __name__ == "__main__":
    sys.exit(install(PROJECT / sys.argv[1], PROJECT / sys.argv[2]))
