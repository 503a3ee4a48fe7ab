"""Constants are found in one pass, and lead to the entries of a catalogue that own them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from diagnostics.notation.constant_text import ConstantTexts, EntryTexts

ENTRIES = (("Connection reset", "Broken pipe"), (), ("reset by peer",), ("Connection reset",))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("java.io.IOException: Connection reset by peer", {0, 2, 3}),
        ("java.net.SocketException: Broken pipe\n\tat Writer.write", {0}),
        ("half a pair \ud83d before Broken pipe", {0}),
        ("java.io.EOFException", set()),
    ],
)
def test_a_text_has_each_entry_of_which_it_contains_a_constant(text: str, entries: set[int]) -> None:
    assert EntryTexts(ENTRIES).entries_in(text) == entries


def test_several_threads_search_at_the_same_time() -> None:
    texts, buffer = ConstantTexts((b"Connection reset", b"Broken pipe")), b"Connection reset. Broken pipe. " * 50_000
    with ThreadPoolExecutor(4) as threads:
        matches = [len(numbers) for numbers, _ in threads.map(texts.find, [buffer] * 8)]
    assert matches == [100_000] * 8
