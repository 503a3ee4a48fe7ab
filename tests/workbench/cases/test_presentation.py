"""What pages make of a diagnosis document."""

import pytest

from workbench.cases.presentation import MOST_FOLDERS, inputs_shown
from workbench.cases.templatetags.diagnosis import score_band, sentences, waterfall


def shown(*names: str) -> dict[str, list[str]]:
    document = {"inputs": [{"file": name, "warnings": []} for name in names]}
    return {folder.name: [entry["path"] for entry in folder.entries] for folder in inputs_shown(document)}


def test_files_are_shown_by_their_folder() -> None:
    assert shown("conf/config.yaml", "logs/jm.log", "logs/tm.log") == {
        "conf": ["config.yaml"],
        "logs": ["jm.log", "tm.log"],
    }


def test_files_without_a_folder_stand_together() -> None:
    assert shown("jm.log", "tm.log") == {"": ["jm.log", "tm.log"]}


def test_deep_folders_of_a_large_dump_are_shown_as_part_of_one_above_them() -> None:
    vertices = [f"case.zip!/rest/vertices/{number}/vertex.json" for number in range(MOST_FOLDERS + 1)]
    assert list(shown("case.zip!/logs/jm.log", *vertices)) == ["case.zip!/logs", "case.zip!/rest/vertices"]


def test_the_path_below_the_shown_folder_tells_the_files_apart() -> None:
    vertices = [f"rest/vertices/{number}/vertex.json" for number in range(MOST_FOLDERS + 1)]
    assert shown(*vertices)["rest/vertices"][0] == "0/vertex.json"


@pytest.mark.parametrize(
    ("score", "symptom_class", "band"),
    [
        (95, "healthy", "good"),
        (95, "inconclusive", "unknown"),
        (41, "inconclusive", "act"),
        (70, "data_skew", "watch"),
        (None, None, "unknown"),
    ],
)
def test_a_good_score_counts_only_with_a_verdict(score: int | None, symptom_class: str | None, band: str) -> None:
    assert score_band(score, symptom_class) == band


def test_the_waterfall_goes_down_to_the_score_and_never_below_zero() -> None:
    deductions = [
        {"title": "skew", "points": 49.0},
        {"title": "pressure", "points": 7.5},
        {"title": "heap", "points": 50.0},
    ]
    assert [step["left"] for step in waterfall({"deductions": deductions})] == [51, 44, 0]


def test_a_statement_falls_apart_into_its_sentences_and_numbers_stay_whole() -> None:
    told = "Checkpoints took 12.8 s. The task is Sink. of orders. State grew to 1.5 GB."
    assert sentences(told) == ["Checkpoints took 12.8 s.", "The task is Sink. of orders.", "State grew to 1.5 GB."]
