"""Commands speak the language of the terminal: an option, else the locale, else English."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError

from diagnostics.diagnosis.judge import judge
from diagnostics.language import CHINESE, command_language, reading_in
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from workbench.accounts.management.commands.create_token import Command as CreateToken
from workbench.analyses.management.commands.diagnose import Command as Diagnose
from workbench.analyses.management.commands.diagnose import gate
from workbench.languages.sentences import in_language
from workbench.languages.terminal import TerminalCommand
from workbench.launch.plan import LaunchRefused, plan_from

CHINESE_TERMINAL = {"LANG": "zh_CN.UTF-8"}


@pytest.mark.parametrize(
    ("arguments", "environ", "expected"),
    [
        ([], {}, "en"),
        ([], {"LANG": "C.UTF-8"}, "en"),
        ([], {"LANG": "en_GB.UTF-8"}, "en"),
        ([], CHINESE_TERMINAL, "zh-hans"),
        ([], {"LANG": "zh"}, "zh-hans"),
        ([], {"LANG": "zha_CN.UTF-8"}, "en"),
        ([], CHINESE_TERMINAL | {"LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ([], CHINESE_TERMINAL | {"LC_ALL": ""}, "zh-hans"),
        ([], {"LC_ALL": "zh_CN.GBK", "LC_MESSAGES": "en_US.UTF-8"}, "zh-hans"),
        (["logs/", "--language", "en"], CHINESE_TERMINAL, "en"),
        (["--language=zh-hans", "logs/"], {}, "zh-hans"),
        (["--language", "klingon"], CHINESE_TERMINAL, "zh-hans"),
        (["--lang", "en"], CHINESE_TERMINAL, "zh-hans"),
    ],
)
def test_the_option_counts_before_the_locale(arguments: list[str], environ: dict[str, str], expected: str) -> None:
    assert command_language(arguments, environ) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("somebody", "--nonsense"), "没有这样的选项"),
        ((), "缺少必需的参数"),
        (("somebody", "--language", "latin"), "--language 应为"),
        (("somebody", "--language"), "--language 需要一个值"),
    ],
)
def test_refusals_are_in_the_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], expected: str
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with pytest.raises(SystemExit) as ended:
        CreateToken().run_from_argv(["manage.py", "create_token", *arguments])
    assert ended.value.code == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "locale", "expected"),
    [((), "zh_CN.UTF-8", "输出某个用户的新 API 令牌"), (("--language", "en"), "zh_CN.UTF-8", "Prints a new API token")],
)
def test_help_is_in_the_language(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    locale: str,
    expected: str,
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    with pytest.raises(SystemExit):
        CreateToken().run_from_argv(["manage.py", "create_token", "--help", *options])
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize("command", [CreateToken(), Diagnose()])
def test_help_has_no_word_of_another_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: TerminalCommand
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with pytest.raises(SystemExit):
        command.run_from_argv(["manage.py", "command", "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("用法")
    assert [word for word in ("usage", "options", "arguments", "show", "the ", "Django") if word in shown] == []


def test_errors_are_in_the_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with pytest.raises(SystemExit) as ended:
        Diagnose().run_from_argv(["manage.py", "diagnose", str(tmp_path / "gone")])
    assert ended.value.code == 2
    assert "没有可用的输入" in capsys.readouterr().err


def test_what_a_program_reads_stays_english_while_a_person_reads_chinese(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rules, target = Ruleset.of(shipped_rules()), tmp_path / "diagnosis.json"
    document, printed = judge([], [], rules), judge([], [], rules, language=CHINESE)
    with in_language(CHINESE):
        Diagnose()._write(printed, document, str(target))
        with pytest.raises(CommandError, match="证据不足") as stopped:
            gate(printed, "critical")
    assert "置信度" in capsys.readouterr().out
    assert json.loads(target.read_text("utf-8")) == document
    assert stopped.value.returncode == 4


def test_the_launcher_refuses_in_the_language(tmp_path: Path) -> None:
    with (
        reading_in(CHINESE),
        pytest.raises(LaunchRefused, match="WORKBENCH_PORT 的值为 'eight'。应为 1 到 65535"),
    ):
        plan_from({"WORKBENCH_DATA": str(tmp_path), "WORKBENCH_PORT": "eight"})
