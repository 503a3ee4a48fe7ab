"""How tasks are connected where only what they read and wrote is known."""

from __future__ import annotations

from diagnostics.reconstruction.job.record_flow import Flow, VertexKey, connect


def flow(name: str, read: float, written: float, delay: float | None = None) -> Flow:
    return Flow(("a", name), name, read, written, delay)


def key(name: str) -> VertexKey:
    return ("a", name)


def test_records_out_of_one_task_are_those_into_the_next() -> None:
    flows = [flow("source__orders", 0, 9000), flow("window", 9010, 450), flow("sink__store", 450, 0)]
    assert connect(flows) == {key("window"): (key("source__orders"),), key("sink__store"): (key("window"),)}


def test_barriers_show_the_order_of_tasks_that_pass_every_record() -> None:
    flows = [
        flow("source__orders", 0, 9000, 10),
        flow("enrich", 9000, 9000, 40_000),
        flow("check", 9000, 9000, 200),
        flow("sink__store", 9000, 0, 40_100),
    ]
    assert connect(flows) == {
        key("check"): (key("source__orders"),),
        key("enrich"): (key("check"),),
        key("sink__store"): (key("enrich"),),
    }


def test_without_barriers_two_tasks_that_pass_every_record_have_no_order() -> None:
    middle = [flow("enrich", 9000, 9000), flow("check", 9000, 9000)]
    assert connect([flow("source__orders", 0, 9000), *middle, flow("sink__store", 9000, 0)]) == {}


def test_a_join_reads_what_two_sources_wrote() -> None:
    flows = [flow("source__a", 0, 700), flow("source__b", 0, 300), flow("join", 1000, 900), flow("sink_", 900, 0)]
    assert connect(flows)[key("join")] == (key("source__a"), key("source__b"))


def test_a_source_whose_records_wait_in_buffers_is_still_the_input() -> None:
    flows = [flow("source__orders", 0, 6100), flow("lookupjoin", 9000, 9000), flow("sink_", 9000, 0)]
    assert connect(flows)[key("lookupjoin")] == (key("source__orders"),)


def test_an_output_without_a_reader_means_an_unknown_task() -> None:
    flows = [flow("source__a", 0, 700), flow("source__b", 0, 300), flow("map", 700, 700), flow("sink_", 700, 0)]
    assert connect(flows) == {}


def test_a_task_that_has_hardly_read_is_not_placed() -> None:
    assert connect([flow("source__orders", 0, 9000), flow("window", 3, 0)]) == {}
