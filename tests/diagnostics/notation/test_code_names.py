"""Names that a job's source uses for its state, its key and its events, and source that has none to repeat."""

from __future__ import annotations

import time

import pytest

from diagnostics.notation.code_names import code_names

JOB = """
import java.time.Duration;
ValueState<byte[]> profile;
profile = getRuntimeContext().getState(new ValueStateDescriptor<>("user-profile", byte[].class));
env.addSource(new Clicks())
    .assignTimestampsAndWatermarks(WatermarkStrategy.<Click>forBoundedOutOfOrderness(Duration.ofMillis(500))
        .withTimestampAssigner((click, before) -> click.seenAt))
    .keyBy((KeySelector<Click, Long>) e -> e.userId)
    .process(new ProfileAggregate(p.getInt("limit", 3)))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .addSink(new DiscardingSink<>());
"""


def names(code: str) -> dict[str, str]:
    return {kind: name for kind, name, _ in code_names(code)}


def test_state_key_and_events_are_named_as_the_source_names_them() -> None:
    assert names(JOB) == {
        "state-class": "ValueStateDescriptor",
        "state-name": "user-profile",
        "state-types": "byte[].class",
        "key-part": "userId",
        "keyed-function": "ProfileAggregate",
        "event-type": "Click",
        "event-time": "seenAt",
        "assigner-event": "click",
        "assigner-recorded": "before",
        "assigner": ".withTimestampAssigner((click, before) -> click.seenAt)",
        "windowing": "window",
        "window": ".window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))",
        "state-statement": (
            'profile = getRuntimeContext().getState(new ValueStateDescriptor<>("user-profile", byte[].class))'
        ),
        "state-variable": "profile",
        "state-type": "byte[]",
        "handed-argument": "ProfileAggregate limit",
        "source": "Clicks",
        "import": "java.time.Duration",
    }


def test_each_name_has_its_line() -> None:
    assert {kind: line for kind, _, line in code_names(JOB)}["keyed-function"] == 9


def test_the_two_types_of_a_map_stay_together() -> None:
    found = names('getMapState(new MapStateDescriptor<>("open-carts", String.class, CartItem.class));')
    assert found["state-types"] == "String.class, CartItem.class"


def test_a_type_of_other_types_is_named_with_what_tells_it_to_the_descriptor() -> None:
    field, hint = "ValueState<ArrayList<String>> seen;", "new TypeHint<ArrayList<String>>() {}.getTypeInfo()"
    got = f'seen = getRuntimeContext().getState(new ValueStateDescriptor<ArrayList<String>>("seen-ads", {hint}));'
    found = names(f"{field}\n{got}")
    assert (found["state-type"], found["state-types"]) == ("ArrayList<String>", hint)
    nested = names(f"MapState<String, Map<Long, List<Item>>> seen;\n{got}")
    assert nested["state-type"] == "String, Map<Long, List<Item>>"
    begun = time.process_time()
    names("State<" + "<a" * 100_000)
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    "code",
    [
        'new ValueStateDescriptor<>(name + "-x", new TypeHint<Tuple2<Long, Long>>() {});',
        'new ValueStateDescriptor<>("a b; rm -rf /", x -> { y(); });',
    ],
)
def test_what_is_more_than_a_name_is_not_repeated(code: str) -> None:
    assert set(names(code)) == {"state-class"}


def test_a_key_that_is_computed_has_no_part_of_the_record() -> None:
    assert names("stream.keyBy(e -> e.day + other.hour).sum(1);") == {}
    assert names("stream.keyBy(e -> other.hour).sum(1);") == {}


LOOK_UP = """
class CustomerLookup extends RichFlatMapFunction<Order, Order> {
    void flatMap(Order o, Collector<Order> out) { try (ResultSet rs = ps.executeQuery()) { out.collect(o); } }
}
class Parse extends RichMapFunction<String, Order> { Order map(String s) { return new Order(s); } }
env.addSource(new Orders()).map(new Parse()).flatMap(new CustomerLookup(p.get("jdbc"))).setParallelism(3);
"""


def test_the_function_that_waits_for_an_outside_system_is_found_where_it_is_attached() -> None:
    assert names(LOOK_UP)["look-up"] == '.flatMap(new CustomerLookup(p.get("jdbc")))'


def test_the_construction_of_that_function_has_its_arguments() -> None:
    assert names(LOOK_UP)["look-up-made"] == 'CustomerLookup(p.get("jdbc"))'
    over_lines = LOOK_UP.replace('p.get("jdbc")', 'p.get("jdbc"),\n    pool')
    assert names(over_lines)["look-up-made"] == "CustomerLookup(...)"


BY_JDBC = """
class CustomerLookup extends RichFlatMapFunction<Order, Order> {
    void open() { ps = con.prepareStatement("SELECT region FROM customer_dim(?)"); }
    void flatMap(Order o, Collector<Order> out) {
        ps.setInt(1, o.customerId);
        try (ResultSet rs = ps.executeQuery()) { while (rs.next()) { o.region = rs.getString(1); out.collect(o); } }
    }
}
env.addSource(new Orders()).flatMap(new CustomerLookup(p.get("jdbc")));
"""


def test_a_query_by_jdbc_has_the_key_and_the_types_that_its_function_gives_it() -> None:
    found = names(BY_JDBC)
    asked = found["look-up-key"], found["look-up-key-type"], found["look-up-answer-type"]
    assert asked == ("customerId", "Integer", "String")
    two = names(BY_JDBC.replace("o.customerId);", "o.customerId); ps.setString(2, o.day);"))
    assert "look-up-key" not in two, "nobody can say which of them is the key"
    mixed = names(BY_JDBC.replace("rs.getString(1)", "rs.getString(1) + rs.getInt(2)"))
    assert "look-up-answer-type" not in mixed


def test_a_call_over_several_lines_is_not_quoted() -> None:
    found = names("stream.keyBy(e -> e.user)\n    .window(\n        TumblingEventTimeWindows.of(size));")
    assert "window" not in found
    assert found["windowing"] == "window"


def test_source_made_to_go_back_ends() -> None:
    for filling in (
        ".keyBy(" * 100_000,
        "WatermarkStrategy.<" * 50_000,
        ".withTimestampAssigner((a,b)->" * 30_000,
        " " * 900_000,
        ".window(" * 100_000,
        "class A extends B { x.executeQuery(); " * 20_000,
        "a = getRuntimeContext().getState(new ValueStateDescriptor" * 15_000,
        "import a.b" * 80_000,
        "new A(p.getInt(" * 60_000,
        "class A extends B { r.executeQuery(); ResultSet r " + ".setInt(1,a.b)" * 2_000 + "} .map(new A(1))" * 300,
    ):
        begun = time.process_time()
        list(code_names(filling))
        assert time.process_time() - begun < 3
