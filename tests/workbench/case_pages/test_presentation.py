"""A diagnosis document as prepared for pages."""

import pytest

from diagnostics.diagnosis.health import points_left
from diagnostics.language import CHINESE
from diagnostics.wording.phrase import split_sentences
from workbench.analyses.models import Citation
from workbench.case_pages.inputs import MOST_FOLDERS, describe_clock, describe_offset, inputs_shown
from workbench.case_pages.presentation import FindingShown, checks_shown, new_lines_first
from workbench.cases.templatetags.diagnosis import score_band, short_path, waterfall
from workbench.languages.sentences import in_language


def shown(*names: str) -> dict[str, list[str]]:
    document = {"inputs": [{"file": name, "warnings": []} for name in names]}
    return {folder.name: [entry["path"] for entry in folder.entries] for folder in inputs_shown(document, {})}


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


def test_the_path_below_the_shown_folder_distinguishes_the_files() -> None:
    vertices = [f"rest/vertices/{number}/vertex.json" for number in range(MOST_FOLDERS + 1)]
    assert shown(*vertices)["rest/vertices"][0] == "0/vertex.json"


def test_a_line_that_a_finding_shows_comes_last_in_those_after_it() -> None:
    def lines(*numbers: int) -> list[Citation]:
        return [Citation(path="jm.log", line=number) for number in numbers]

    ordered = new_lines_first({0: lines(1, 2, 3, 4, 5), 1: lines(2, 5, 6)})
    assert {place: [each.line for each in found] for place, found in ordered.items()} == {
        0: [1, 2, 3, 4, 5],
        1: [5, 6, 2],
    }


@pytest.mark.parametrize(
    ("least_ms", "most_ms", "sentence", "is_off"),
    [
        (-10, 40, "Its clock agrees with that of jm.log (at least -10 ms and at most +40 ms, {shared}).", False),
        (None, 40, "Its clock agrees with that of jm.log (at most +40 ms, {shared}).", False),
        (
            7_199_000,
            7_201_000,
            "Its clock is 2 h ahead of that of jm.log (at least +7199 s and at most +7201 s, {shared}). That is what "
            "another time zone would make.",
            True,
        ),
        (
            -95_000,
            -93_000,
            "Its clock is 94 s behind that of jm.log (at least -95 s and at most -93 s, {shared}).",
            True,
        ),
        (
            500,
            -500,
            "Its clock and that of jm.log were set or drift: no one offset explains 7 steps of tasks that both logs "
            "tell of.",
            True,
        ),
    ],
)
def test_the_offset_of_a_clock_is_reported_with_its_bounds(
    least_ms: int | None, most_ms: int | None, sentence: str, is_off: bool
) -> None:
    told = describe_offset({"against": "logs/jm.log", "least_ms": least_ms, "most_ms": most_ms, "events": 7})
    shared = "from 7 steps of tasks that both logs tell of"
    assert (told.sentence, told.is_off) == (sentence.format(shared=shared), is_off)


def test_a_moved_clock_is_shown() -> None:
    assert describe_clock({"zone": "Europe/Berlin", "shift_ms": -90_000}) == (
        "Its times were read as local time of Europe/Berlin and moved by -90 s."
    )


@pytest.mark.parametrize(
    ("score", "symptom_class", "band"),
    [
        (95, "healthy", "good"),
        (95, "inconclusive", "unknown"),
        (41, "inconclusive", "act"),
        (70, "data_skew", "watch"),
        (84, "data_skew", "watch"),
        (84, None, "good"),
        (None, None, "unknown"),
    ],
)
def test_a_good_score_counts_only_without_a_cause(score: int | None, symptom_class: str | None, band: str) -> None:
    assert score_band(score, symptom_class) == band


def test_deductions_of_one_title_are_told_apart_by_their_task() -> None:
    full = {"title": "Buffer pools are full", "points": 0.8}
    deductions = [{"title": "Expired", "points": 9.0, "finding": 0}, *({**full, "finding": each} for each in (1, 2))]
    findings = [{"subject": {"job": "a"}}, {"subject": {"vertex": "map"}}, {"subject": {"vertex": "sink"}}]
    assert [each["task"] for each in waterfall({"deductions": deductions}, findings)] == [None, "map", "sink"]


def test_the_waterfall_goes_down_to_the_score_and_never_below_zero() -> None:
    deductions = [
        {"title": "skew", "points": 49.0},
        {"title": "pressure", "points": 7.5},
        {"title": "heap", "points": 50.0},
    ]
    steps = waterfall({"deductions": deductions})
    assert [step["left"] for step in steps] == [51, 44, 0]
    assert 100 - sum(step["points"] for step in steps) == 0
    parts = [48.5, 15.2, 4.3, 7.1, 6.7, 0.5, 0.2]
    steps = waterfall({"deductions": [{"title": "", "points": each} for each in parts]})
    assert steps[-1]["left"] == points_left(parts), "the last one is the score, however its parts add up"


def test_a_statement_falls_apart_into_its_sentences_and_numbers_stay_whole() -> None:
    text = "Checkpoints took 12.8 s. The task is Sink. of orders. State grew to 1.5 GB."
    assert split_sentences(text) == [
        "Checkpoints took 12.8 s.",
        "The task is Sink. of orders.",
        "State grew to 1.5 GB.",
    ]


def test_a_quotation_stays_whole_and_an_option_or_a_number_begins_a_sentence() -> None:
    said = 'It failed with "Too large. Size=5". pekko.framesize: 10 MB is the limit. 16 devices run fast.'
    assert split_sentences(said) == [
        'It failed with "Too large. Size=5".',
        "pekko.framesize: 10 MB is the limit.",
        "16 devices run fast.",
    ]


def test_a_path_keeps_its_words_and_loses_the_tails_of_its_ids() -> None:
    job, task = "e7670588d52cb8dd6b217d2271f5ce2a", "365c2099650e684f80cf2c8c7ede434e"
    paths = [
        f"rest/end/jobs_{job}_vertices_{task}.json",
        f"rest/end/jobs_{job}_checkpoints_details_2_subtasks_{task}.json",
        f"rest/end/jobs_{job}_checkpoints_details_3_subtasks_{task}.json",
    ]
    assert [short_path(path) for path in paths] == [
        "rest/end/jobs_e76705…_vertices_365c20….json",
        "rest/end/jobs_e76705…_checkpoints_details_2_subtasks_365c20….json",
        "rest/end/jobs_e76705…_checkpoints_details_3_subtasks_365c20….json",
    ]
    assert short_path("logs/flink-root-taskexecutor-0-vm.log") == "logs/flink-root-taskexecutor-0-vm.log"


def test_a_rule_that_did_not_hold_shows_the_subject_that_comes_nearest_to_its_bound() -> None:
    """The pause of 835 ms was in a chart, while the list of rules had 246 ms, of another process."""
    silent = [
        {
            "rule": {"id": "gc.pause", "version": 1},
            "symptom_class": "resource_shortage",
            "checks": [{"fact": "garbage_collection.longest_ms", "op": ">=", "bound": 10_000, "value": value}],
        }
        for value in (246, 835, 12)
    ]

    [shown] = checks_shown({"checks": {"silent": silent}}).silent

    assert (shown["subjects"], shown["checks"][0]["value"]) == (3, 835)


def test_a_rule_that_is_a_finding_of_another_job_names_the_job_that_it_does_not_hold_of() -> None:
    def entry(job: str, task: str = "") -> dict[str, object]:
        rule = {"id": "timeout.expired", "version": 1}
        subject = {"job": job} | ({"vertex": task} if task else {})
        return {
            "rule": rule,
            "title": "Expired",
            "symptom_class": "checkpoint_timeout",
            "subject": subject,
            "unknown": [],
        }

    jobs = [{"job_id": "a", "name": "orders"}, {"job_id": "b", "name": "views"}]
    found = {"findings": [entry("a")], "jobs": jobs}

    assert [each["where"] for each in checks_shown(found | {"checks": {"silent": [entry("b")]}}).silent] == ["views"]
    both = {"jobs": jobs, "checks": {"silent": [entry("b", "Window")], "undecided": [entry("a", "Map")]}}
    assert [each["where"] for each in checks_shown(both).undecided] == ["orders · Map"]
    assert [each["where"] for each in checks_shown({"jobs": jobs, "checks": {"silent": [entry("b")]}}).silent] == [""]


def test_a_rule_that_yields_to_a_finding_is_not_among_those_that_are_not_the_case() -> None:
    finding = {"rule": {"id": "timeout.expired", "version": 1}, "title": "Expired", "subject": {}}
    near = {"rule": {"id": "timeout.near", "version": 1}, "symptom_class": "checkpoint_timeout", "covered_by": 0}

    shown = checks_shown({"findings": [finding], "checks": {"silent": [near]}})

    assert (shown.silent, [each["by"] for each in shown.covered]) == ([], [{"position": 0, "title": "Expired"}])


def test_a_folder_names_its_formats_in_the_language_of_the_reader() -> None:
    files = [("a.log", "flink-log"), ("b.log", "flink-log"), ("c.txt", "thread-dump"), ("d.bin", None)]
    document = {"inputs": [{"file": name, "format": format_id} for name, format_id in files]}
    assert inputs_shown(document, {})[0].formats == "2 Flink log, 1 JVM thread dump, 1 not analysed"
    with in_language(CHINESE):
        assert (
            inputs_shown(document, {})[0].formats
            == "Flink 日志\uff1a2 个\uff0cJVM 线程转储\uff1a1 个\uff0c未分析\uff1a1 个"
        )


def test_the_number_beside_the_claim_is_one_that_makes_the_rule_hold() -> None:
    """A share that only supports it may be of something else: of the slow devices beside a claim about fast ones."""
    lead = {"fact": "device_clocks.fast_by_max_ms", "op": ">=", "bound": 5_000, "value": 44_000}
    share = {"fact": "device_clocks.over_bound_ratio", "op": ">=", "bound": 0.01, "value": 0.086}
    checks = [(lead, None), (share, None)]
    [(named, _)] = filter(None, [FindingShown(0, {"deciding_checks": 1}, (), None, checks).decisive])
    assert named == lead
    excluding = {"fact": "task_manager_loss.all.gc_ratio_before", "op": "<", "bound": 0.2, "value": 0.0}
    apart = [(excluding, None), (share, None)]
    [(told, _)] = filter(None, [FindingShown(0, {"deciding_checks": 1}, (), None, apart).decisive])
    assert told == share, "what stays below its bound rules something else out: it tells nothing of this"
    [(of_an_old_document, _)] = filter(None, [FindingShown(0, {}, (), None, checks).decisive])
    assert of_an_old_document == share
