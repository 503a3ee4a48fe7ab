"""Acts of restores that hold the value which the message itself states."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import message_remedies, remedy_of

OPERATOR = "cbc357ccb763df2852fee8c4fc7d55f2"
MISMATCH = (
    "Max parallelism mismatch between checkpoint/savepoint state and new program. Cannot map operator "
    f"{OPERATOR} with max parallelism 128 to new program with max parallelism 256."
)
POJO = "org.apache.flink.api.java.typeutils.runtime.PojoSerializer"
KRYO = "org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer"
PAIR = "The new state serializer ({}@5a) must not be incompatible with the old state serializer ({}@6b)."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (f"Cannot map checkpoint/savepoint state for operator {OPERATOR} to the new program", f'Hash("{OPERATOR}")'),
        (MISMATCH, "pipeline.max-parallelism: 128"),
        ("Vertex Window's parallelism (200) is higher than the max parallelism (128). Please lower", "-p 128"),
        ("java.io.IOException: Could not find class 'com.acme.Order' in classpath.", "Bring com.acme.Order back"),
        (
            "Could not restore keyed state backend\njava.io.InvalidClassException: com.acme.State; local class "
            "incompatible: stream classdesc serialVersionUID = -123, local class serialVersionUID = 456",
            "serialVersionUID = -123L; in com.acme.State",
        ),
        (PAIR.format(KRYO, POJO), "a POJO again"),
        (PAIR.format(POJO, KRYO), "GenericTypeInfo"),
        (
            "A savepoint has been created at: s3://b/sp/savepoint-26-1, but the corresponding job failed",
            "from s3://b/sp/savepoint-26-1:",
        ),
    ],
)
def test_the_act_names_what_the_message_states(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_without_the_values_the_general_act_is_shown() -> None:
    general = remedy_of("Max parallelism mismatch between checkpoint/savepoint state and new program.")
    assert general is not None
    assert "{" not in general


def test_each_act_uses_values_that_its_expression_takes() -> None:
    named = [each for each in message_remedies() if each.values and each.remedy_with]
    assert named
    for each in named:
        assert each.values is not None
        values = dict.fromkeys(each.values.groupindex, "52")
        assert str(each.remedy_with).format(**values), each.id
